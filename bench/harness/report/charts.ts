/** The plots of a report as SVG text, so that the page needs no script. */
import { parse, View } from 'vega'
import { compile, type TopLevelSpec } from 'vega-lite'
import { metrics, percentile, percents, spread } from '../metrics.js'
import { type CandidateResult, medianOf, type Outcome } from '../run.js'
import { describeRatio } from '../table.js'
import { axisColor, gridColor, textColor } from './colors.js'

const widthPx = 760
const barPx = 34
const missColor = '#c2410c'
/** Limits are grey, peers amber, our candidates blue and green. */
const palettes = {
  limit: ['#8a94a0', '#b4bcc6'],
  peer: ['#d99a1c', '#b7791f'],
  ours: ['#1d6fd1', '#11a08a', '#6d4bc3'],
}

export interface Chart {
  readonly title: string
  readonly svg: string
}

export async function charts(outcome: Outcome): Promise<Chart[]> {
  const { unit } = outcome.scenario
  const specs = [
    { title: `Throughput, ${unit} a second`, spec: bars(outcome, 'rate') },
    { title: 'Latency by percentile, ms', spec: latencyCurves(outcome) },
    { title: `CPU time of the candidate for each of its ${unit}, µs`, spec: bars(outcome, 'cpu') },
    { title: 'Ratios of each round, and their floors', spec: ratioPoints(outcome) },
    ...overTime(outcome),
  ]
  return Promise.all(specs.map(async ({ title, spec }) => ({ title, svg: await draw(spec) })))
}

async function draw(spec: TopLevelSpec): Promise<string> {
  const view = new View(parse(compile(spec).spec), { renderer: 'none' })
  try {
    return await view.toSVG()
  } finally {
    view.finalize()
  }
}

/** A bar is the median, a dot on it is one round. */
function bars({ candidates }: Outcome, metric: 'rate' | 'cpu'): TopLevelSpec {
  const y = { field: 'candidate', type: 'nominal', sort: null, title: null, axis: { labelLimit: 0 } } as const
  const color = candidateColor(candidates)
  const medians = candidates.map((result) => ({ candidate: result.candidate.name, value: medianOf(result, metric) }))
  const rounds = candidates.flatMap(({ candidate, samples }) =>
    samples.map((sample) => ({ candidate: candidate.name, value: metrics[metric].of(sample) })),
  )
  const x = {
    field: 'value',
    type: 'quantitative',
    title: null,
    axis: { format: metric === 'rate' ? ',d' : ',.1f' },
  } as const
  return {
    ...baseSpec(candidates.length * barPx),
    layer: [
      { data: { values: medians }, mark: { type: 'bar', height: barPx * 0.6 }, encoding: { y, x, color } },
      {
        data: { values: rounds },
        mark: { type: 'point', filled: true, size: 22, color: textColor, opacity: 0.7 },
        encoding: { y, x },
      },
    ],
  }
}

function latencyCurves({ candidates }: Outcome): TopLevelSpec {
  const labels = percents.map((percent) => (percent === 100 ? 'max' : `p${percent}`))
  const values = candidates.flatMap(({ candidate, samples }) =>
    percents.map((percent, at) => ({
      candidate: candidate.name,
      percentile: labels[at],
      ms: spread(samples.map((sample) => percentile(sample, percent))).median,
    })),
  )
  return {
    ...baseSpec(260),
    data: { values: values.filter(({ ms }) => ms > 0) },
    mark: { type: 'line', point: true },
    encoding: {
      x: { field: 'percentile', type: 'ordinal', sort: labels, title: null, axis: { labelAngle: 0 } },
      y: { field: 'ms', type: 'quantitative', scale: { type: 'log' }, title: null, axis: { format: ',.2~f' } },
      color: { ...candidateColor(candidates), legend: { orient: 'bottom', title: null, columns: 3 } },
    },
  }
}

/** Dots are rounds, the long tick is the median, the thin red line is the floor. */
function ratioPoints({ ratios }: Outcome): TopLevelSpec {
  const y = { field: 'ratio', type: 'nominal', sort: null, title: null, axis: { labelLimit: 0 } } as const
  const x = { field: 'value', type: 'quantitative', title: null, scale: { zero: true } } as const
  const rows = ratios.map((ratio) => ({ ratio, label: describeRatio(ratio) }))
  const layer = (values: object[], mark: object) => ({ data: { values }, mark, encoding: { y, x } }) as const
  return {
    ...baseSpec(Math.max(1, ratios.length) * barPx),
    layer: [
      layer(
        rows.flatMap(({ ratio, label }) => ratio.perRound.map((value) => ({ ratio: label, value }))),
        { type: 'point', filled: true, size: 40, color: palettes.ours[0], opacity: 0.5 },
      ),
      layer(
        rows.map(({ ratio, label }) => ({ ratio: label, value: ratio.median })),
        { type: 'tick', thickness: 3, size: barPx * 0.7, color: palettes.ours[0] },
      ),
      layer(
        rows.flatMap(({ ratio, label }) => {
          const value = ratio.atLeast ?? ratio.atMost
          return value === undefined ? [] : [{ ratio: label, value }]
        }),
        { type: 'tick', thickness: 2, size: barPx * 0.7, color: missColor },
      ),
    ],
  } as TopLevelSpec
}

interface Plot {
  readonly title: string
  readonly spec: TopLevelSpec
}

/** The timeline: a candidate's windows one after the other, without the time between them. */
function overTime(outcome: Outcome): Plot[] {
  const { unit } = outcome.scenario
  const slices = outcome.candidates.flatMap(({ candidate, samples }) => {
    let before = 0
    return samples.flatMap(({ timeline = [], seconds }) => {
      const since = before
      before += seconds
      return timeline.map((slice) => ({
        candidate: candidate.name,
        seconds: since + slice.atSeconds,
        rate: slice.rate,
        p99: slice.p99,
        residentMB: slice.residentBytes === undefined ? undefined : slice.residentBytes / 1e6,
      }))
    })
  })
  if (slices.length === 0) return []
  const plots = [
    { title: `Throughput over time, ${unit} a second`, field: 'rate', format: ',d' },
    { title: 'p99 latency over time, ms', field: 'p99', format: ',.2~f' },
    { title: 'Resident memory of the candidate over time, MB', field: 'residentMB', format: ',d' },
  ] as const
  return plots.map(({ title, field, format }) => ({
    title,
    spec: {
      ...baseSpec(200),
      data: { values: slices.filter((slice) => slice[field] !== undefined) },
      mark: { type: 'line', interpolate: 'monotone' },
      encoding: {
        x: { field: 'seconds', type: 'quantitative', title: 'seconds under load', axis: { tickCount: 10 } },
        y: { field, type: 'quantitative', title: null, axis: { format } },
        color: { ...candidateColor(outcome.candidates), legend: { orient: 'bottom', title: null, columns: 3 } },
      },
    } as TopLevelSpec,
  }))
}

function baseSpec(height: number) {
  const font = 'system-ui, sans-serif'
  return {
    width: widthPx,
    height,
    background: 'transparent',
    config: {
      font,
      view: { stroke: null },
      axis: { labelColor: textColor, labelFontSize: 12, gridColor, domainColor: axisColor, tickColor: axisColor },
      legend: { labelColor: textColor, labelFontSize: 12, labelLimit: 0 },
    },
  }
}

function candidateColor(candidates: readonly CandidateResult[]) {
  const used = { limit: 0, peer: 0, ours: 0 }
  const range = candidates.map(({ candidate: { role } }) => palettes[role][used[role]++ % palettes[role].length]!)
  const domain = candidates.map(({ candidate }) => candidate.name)
  return { field: 'candidate', type: 'nominal', scale: { domain, range }, legend: null } as const
}
