/** The series of a metric: one for each combination of labels; callers add to them through a meter. */
import { metrics as limits } from '../../core/limits/index.js'

export type Labels = Readonly<Record<string, string>>

export interface Counter {
  add(by?: number): void
}

export interface Histogram {
  observe(value: number): void
}

export interface Sample {
  readonly labels: Labels
  readonly value: number
  readonly metricName?: string
}

/** One label combination of a metric: the meter for callers, and the samples for a scrape. */
export interface Series<M> {
  readonly instrument: M
  samples(): readonly Sample[]
}

/** All series of one metric, by their labels. */
export type SeriesMap = Map<string, Series<unknown>>

/** Labels may come from outside, so their number is bounded: one overflow series takes all further ones. */
export function seriesOf<M>(allSeries: SeriesMap, labels: Labels, create: (labels: Labels) => Series<M>): M {
  const isFull = allSeries.size >= limits.seriesPerMetric
  const effectiveLabels = isFull && !allSeries.has(keyOf(labels)) ? overflowLabels(labels) : labels
  const key = keyOf(effectiveLabels)
  const existing = allSeries.get(key)
  if (existing) return existing.instrument as M
  const created = create(effectiveLabels)
  allSeries.set(key, created)
  return created.instrument
}

function keyOf(labels: Labels): string {
  return JSON.stringify(Object.entries(labels).sort(([a], [b]) => (a < b ? -1 : 1)))
}

function overflowLabels(labels: Labels): Labels {
  return Object.fromEntries(Object.keys(labels).map((name) => [name, 'other']))
}

export function createCounterSeries(labels: Labels): Series<Counter> {
  let total = 0
  return {
    instrument: {
      add(by = 1) {
        if (by > 0) total += by
      },
    },
    samples: () => [{ labels, value: total }],
  }
}

export function createReadSeries(labels: Labels, read: () => number): Series<undefined> {
  return {
    instrument: undefined,
    samples() {
      try {
        return [{ labels, value: read() }]
      } catch {
        return []
      }
    },
  }
}

export function createHistogramSeries(name: string, labels: Labels, buckets: readonly number[]): Series<Histogram> {
  const counts = new Float64Array(buckets.length + 1)
  const bounds = Float64Array.from(buckets)
  let sum = 0
  return {
    instrument: {
      observe(value) {
        const measured = Number.isFinite(value) && value > 0 ? value : 0
        let at = 0
        while (at < bounds.length && measured > bounds[at]!) at++
        counts[at]!++
        sum += measured
      },
    },
    samples() {
      let cumulative = 0
      const steps = Array.from(counts, (count, at): Sample => {
        cumulative += count
        const le = at < bounds.length ? String(bounds[at]) : '+Inf'
        return { labels: { le, ...labels }, value: cumulative, metricName: `${name}_bucket` }
      })
      return [
        ...steps,
        { labels, value: sum, metricName: `${name}_sum` },
        { labels, value: cumulative, metricName: `${name}_count` },
      ]
    },
  }
}
