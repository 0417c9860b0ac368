/** What a run says in the terminal: a table of the candidates and a table of the ratios. */
import Table from 'cli-table3'
import { metrics, percentile, type RatioResult, spread } from './metrics.js'
import { type CandidateResult, medianOf, type Outcome, serverCores } from './run.js'

export function number(value: number, digits = 0): string {
  if (!Number.isFinite(value)) return '–'
  return value.toLocaleString('en-US', { minimumFractionDigits: digits, maximumFractionDigits: digits })
}

export function latency(ms: number): string {
  return number(ms, ms < 10 ? 2 : ms < 100 ? 1 : 0)
}

/** Columns of the candidates' table, in the terminal and in the report. */
export const columns: readonly {
  readonly title: (unit: string) => string
  readonly value: (result: CandidateResult) => string
}[] = [
  { title: (unit) => `${unit}/s`, value: (result) => number(medianOf(result, 'rate')) },
  { title: () => 'lowest – highest', value: (result) => range(result, 'rate', number) },
  { title: () => 'p50 ms', value: (result) => percentileOf(result, 50) },
  { title: () => 'p90 ms', value: (result) => percentileOf(result, 90) },
  { title: () => 'p99 ms', value: (result) => percentileOf(result, 99) },
  { title: () => 'p99.9 ms', value: (result) => percentileOf(result, 99.9) },
  { title: () => 'max ms', value: (result) => percentileOf(result, 100) },
  { title: () => 'CPU µs each', value: (result) => number(medianOf(result, 'cpu'), 1) },
  { title: () => 'cores: own, load', value: coresOf },
]

export function candidatesTable({ scenario, candidates }: Outcome): string {
  const head = [scenario.name, ...columns.map((column) => column.title(scenario.unit))]
  const rows = candidates.map((result) => [result.candidate.name, ...columns.map((column) => column.value(result))])
  return [drawn(head, rows), ...remarkLines(candidates)].join('\n')
}

export function remarkLines(candidates: readonly CandidateResult[]): string[] {
  return candidates.flatMap(({ candidate, remarks }) => remarks.map((remark) => `${candidate.name}: ${remark}`))
}

export const ratioHead = ['ratio', 'median', 'lowest – highest', 'floor', '']

export function ratioRow(ratio: RatioResult): string[] {
  const { low, high } = spread(ratio.perRound)
  const range = `${number(low, 2)} – ${number(high, 2)}`
  return [says(ratio), number(ratio.median, 2), range, bound(ratio), verdict(ratio)]
}

export function ratiosTable({ ratios }: Outcome): string {
  return drawn(ratioHead, ratios.map(ratioRow))
}

/** Names to the left, figures to the right, no lines between the rows. */
function drawn(head: string[], rows: string[][]): string {
  const table = new Table({
    head,
    colAligns: head.map((_, at) => (at === 0 ? 'left' : 'right')),
    style: { head: [], border: [], compact: true },
  })
  table.push(...rows)
  return table.toString()
}

export function says({ metric, of, over }: RatioResult): string {
  return `${metrics[metric].title}: ${of} / ${over}`
}

function bound({ atLeast, atMost }: RatioResult): string {
  if (atLeast !== undefined) return `at least ${number(atLeast, 2)}`
  return atMost === undefined ? '' : `at most ${number(atMost, 2)}`
}

function verdict({ holds }: RatioResult): string {
  return holds === undefined ? '' : holds ? 'pass' : 'miss'
}

function percentileOf(result: CandidateResult, percent: number): string {
  return latency(spread(result.samples.map((sample) => percentile(sample, percent))).median)
}

function range(result: CandidateResult, metric: keyof typeof metrics, write: (value: number) => string): string {
  const { low, high } = spread(result.samples.map(metrics[metric].of))
  return `${write(low)} – ${write(high)}`
}

function coresOf({ samples }: CandidateResult): string {
  const own = number(spread(samples.map(serverCores)).median, 2)
  const load = spread(samples.flatMap((sample) => sample.loadCores ?? [])).median
  return Number.isNaN(load) ? own : `${own}, ${number(load, 2)}`
}
