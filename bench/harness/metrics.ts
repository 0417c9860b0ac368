/** The metrics that are compared, the ratios that must hold, and their statistics. */
import type { LatencyPart, Percentile, Sample } from './sample.js'

export interface Metric {
  readonly title: string
  readonly unit: string
  readonly of: (sample: Sample) => number
}

export const metrics = {
  rate: { title: 'throughput', unit: 'a second', of: (sample) => sample.operations / sample.seconds },
  p50: { title: 'p50 latency', unit: 'ms', of: (sample) => percentile(sample, 50) },
  p99: { title: 'p99 latency', unit: 'ms', of: (sample) => percentile(sample, 99) },
  worst: { title: 'worst latency', unit: 'ms', of: (sample) => percentile(sample, 100) },
  p99Excluding: {
    title: 'p99 latency without it',
    unit: 'ms',
    of: (sample) => partPercentile(sample, 'excluding', 99),
  },
  p99NoStall: {
    title: 'p99 latency, no standstills',
    unit: 'ms',
    of: (sample) => partPercentile(sample, 'noStall', 99),
  },
  p99NoStallExcluding: {
    title: 'p99 latency without it, no standstills',
    unit: 'ms',
    of: (sample) => partPercentile(sample, 'noStallExcluding', 99),
  },
  cpu: { title: 'CPU time', unit: 'µs each', of: (sample) => sample.cpuMicros / sample.operations },
  batch: { title: 'operations a commit', unit: '', of: (sample) => sample.operations / (sample.transactions ?? 0) },
  bytes: { title: 'bytes', unit: 'each', of: (sample) => sample.bytes / sample.operations },
  resident: { title: 'resident memory', unit: 'bytes', of: (sample) => maxResident(sample) },
  gibibyte: { title: 'a gibibyte', unit: 'bytes', of: () => 1024 ** 3 },
  memoryHalfway: { title: 'memory held halfway', unit: 'bytes', of: (sample) => memoryAt(sample, 0.5) },
  memoryAtEnd: { title: 'memory held at the end', unit: 'bytes', of: (sample) => memoryAt(sample, 1) },
} as const satisfies Record<string, Metric>
export type MetricName = keyof typeof metrics

/** Percentiles of latency that the bench reports. */
export const percents = [1, 10, 25, 50, 75, 90, 95, 99, 99.5, 99.9, 100] as const

export function percentile(sample: Sample, percent: number): number {
  return read(sample.latencyMs, percent)
}

function partPercentile({ partsMs }: Sample, part: LatencyPart, percent: number): number {
  return read(partsMs?.[part] ?? [], percent)
}

function read(latencies: readonly Percentile[], percent: number): number {
  return latencies.find(([at]) => at === percent)?.[1] ?? Number.NaN
}

function maxResident({ timeline = [] }: Sample): number {
  const readings = timeline.flatMap(({ residentBytes }) => residentBytes ?? [])
  return readings.length > 0 ? Math.max(...readings) : Number.NaN
}

function memoryAt({ memory = [] }: Sample, share: number): number {
  const last = memory.at(-1)?.operations ?? 0
  return memory.find(({ operations }) => operations >= last * share)?.usedBytes ?? Number.NaN
}

export interface Spread {
  readonly median: number
  readonly low: number
  readonly high: number
}

export function spread(values: readonly number[]): Spread {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = (sorted.length - 1) / 2
  const median = ((sorted[Math.floor(middle)] ?? Number.NaN) + (sorted[Math.ceil(middle)] ?? Number.NaN)) / 2
  return { median, low: sorted[0] ?? Number.NaN, high: sorted.at(-1) ?? Number.NaN }
}

/**
 * One candidate's metric divided by its own or another candidate's, taken within each round. Without a bound it is only
 * reported.
 */
export interface Ratio {
  readonly metric: MetricName
  readonly of: string
  readonly over: string
  /** The metric of `over`, when it differs. */
  readonly overMetric?: MetricName
  readonly atLeast?: number
  readonly atMost?: number
}

export interface RatioResult extends Ratio {
  readonly perRound: readonly number[]
  readonly median: number
  /** Absent when the ratio has no bound. */
  readonly holds?: boolean
}

/**
 * The ratio is taken inside each round, between windows seconds apart, and its median is compared with the bound: a
 * machine that slows down for a while slows both sides of a round.
 */
export function evaluateRatio(ratio: Ratio, rounds: ReadonlyMap<string, readonly Sample[]>): RatioResult {
  const above = metrics[ratio.metric]
  const below = metrics[ratio.overMetric ?? ratio.metric]
  const under = rounds.get(ratio.over) ?? []
  const perRound = (rounds.get(ratio.of) ?? []).map((sample, round) => above.of(sample) / below.of(under[round]!))
  const { median } = spread(perRound)
  if (ratio.atLeast === undefined && ratio.atMost === undefined) return { ...ratio, perRound, median }
  const holds =
    median >= (ratio.atLeast ?? Number.NEGATIVE_INFINITY) && median <= (ratio.atMost ?? Number.POSITIVE_INFINITY)
  return { ...ratio, perRound, median, holds }
}
