/** The terminal output of a run: a table of the candidates and a table of the ratios. */
import Table from 'cli-table3'
import { metrics, percentile, type RatioResult, spread } from './metrics.js'
import { type CandidateResult, medianOf, type Outcome, serverCores } from './run.js'
import type { MemoryReading } from './sample.js'

export function formatNumber(value: number, digits = 0): string {
  if (!Number.isFinite(value)) return '–'
  return value.toLocaleString('en-US', { minimumFractionDigits: digits, maximumFractionDigits: digits })
}

export function formatLatency(ms: number): string {
  return formatNumber(ms, ms < 10 ? 2 : ms < 100 ? 1 : 0)
}

/** Columns of the candidates' table, in the terminal and in the report. */
export const columns: readonly {
  readonly title: (unit: string) => string
  readonly value: (result: CandidateResult) => string
}[] = [
  { title: (unit) => `${unit}/s`, value: (result) => formatNumber(medianOf(result, 'rate')) },
  { title: () => 'lowest – highest', value: (result) => range(result, 'rate', formatNumber) },
  { title: () => 'p50 ms', value: (result) => percentileOf(result, 50) },
  { title: () => 'p90 ms', value: (result) => percentileOf(result, 90) },
  { title: () => 'p99 ms', value: (result) => percentileOf(result, 99) },
  { title: () => 'p99.9 ms', value: (result) => percentileOf(result, 99.9) },
  { title: () => 'max ms', value: (result) => percentileOf(result, 100) },
  { title: () => 'CPU µs each', value: (result) => formatNumber(medianOf(result, 'cpu'), 1) },
  { title: () => 'cores: own, load', value: coresOf },
  { title: () => 'held MB on the way', value: (result) => readings(result, ({ usedBytes: heapBytes }) => heapBytes) },
  { title: () => 'resident MB', value: (result) => readings(result, ({ residentBytes }) => residentBytes) },
]

export function candidatesTable({ scenario, candidates }: Outcome): string {
  const head = [scenario.name, ...columns.map((column) => column.title(scenario.unit))]
  const rows = candidates.map((result) => [result.candidate.name, ...columns.map((column) => column.value(result))])
  return [renderTable(head, rows), ...remarkLines(candidates)].join('\n')
}

export function remarkLines(candidates: readonly CandidateResult[]): string[] {
  return candidates.flatMap(({ candidate, remarks }) => remarks.map((remark) => `${candidate.name}: ${remark}`))
}

export const ratioHead = ['ratio', 'median', 'lowest – highest', 'floor', '']

export function ratioRow(ratio: RatioResult): string[] {
  const { low, high } = spread(ratio.perRound)
  const range = `${formatNumber(low, 2)} – ${formatNumber(high, 2)}`
  return [describeRatio(ratio), formatNumber(ratio.median, 2), range, bound(ratio), verdict(ratio)]
}

export function ratiosTable({ ratios }: Outcome): string {
  return renderTable(ratioHead, ratios.map(ratioRow))
}

/** Names are left-aligned, figures right-aligned, no lines between the rows; empty columns are left out. */
function renderTable(head: readonly string[], rows: readonly string[][]): string {
  const used = head.map((_, at) => rows.some((row) => row[at] !== ''))
  const usedCells = (cells: readonly string[]) => cells.filter((_, at) => used[at])
  const table = new Table({
    head: usedCells(head),
    colAligns: usedCells(head).map((_, at) => (at === 0 ? 'left' : 'right')),
    style: { head: [], border: [], compact: true },
  })
  table.push(...rows.map(usedCells))
  return table.toString()
}

export function describeRatio({ metric, of, over, overMetric }: RatioResult): string {
  const { title } = metrics[metric]
  return overMetric ? `${title} of ${of} / ${metrics[overMetric].title} of ${over}` : `${title}: ${of} / ${over}`
}

function bound({ atLeast, atMost }: RatioResult): string {
  if (atLeast !== undefined) return `at least ${formatNumber(atLeast, 2)}`
  return atMost === undefined ? '' : `at most ${formatNumber(atMost, 2)}`
}

function verdict({ holds }: RatioResult): string {
  return holds === undefined ? '' : holds ? 'pass' : 'miss'
}

function percentileOf(result: CandidateResult, percent: number): string {
  return formatLatency(spread(result.samples.map((sample) => percentile(sample, percent))).median)
}

function range(result: CandidateResult, metric: keyof typeof metrics, format: (value: number) => string): string {
  const { low, high } = spread(result.samples.map(metrics[metric].of))
  return `${format(low)} – ${format(high)}`
}

/** The readings of the last round, one figure for each. */
function readings({ samples }: CandidateResult, of: (reading: MemoryReading) => number): string {
  const read = samples.at(-1)?.memory ?? []
  return read.map((reading) => formatNumber(of(reading) / 1e6, 1)).join(' – ')
}

function coresOf({ samples }: CandidateResult): string {
  const own = formatNumber(spread(samples.map(serverCores)).median, 2)
  const load = spread(samples.flatMap((sample) => sample.loadCores ?? [])).median
  return Number.isNaN(load) ? own : `${own}, ${formatNumber(load, 2)}`
}
