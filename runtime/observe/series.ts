/** The numbers behind a metric: one series a combination of labels, added to by the holders of its meter. */
import { metrics as limits } from '../../core/limits.js'

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

/** One label combination of a metric: what callers hold, and what a scrape reads. */
export interface Series<M> {
  readonly meter: M
  samples(): readonly Sample[]
}

/** All series of one metric, by their labels. */
export type SeriesMap = Map<string, Series<unknown>>

/** Labels may come from outside, so their number is bounded: one more series takes all that come after. */
export function seriesOf<M>(known: SeriesMap, labels: Labels, open: (labels: Labels) => Series<M>): M {
  const full = known.size >= limits.seriesPerMetric
  const own = full && !known.has(keyOf(labels)) ? otherOf(labels) : labels
  const key = keyOf(own)
  const found = known.get(key)
  if (found) return found.meter as M
  const opened = open(own)
  known.set(key, opened)
  return opened.meter
}

function keyOf(labels: Labels): string {
  return JSON.stringify(Object.entries(labels).sort(([a], [b]) => (a < b ? -1 : 1)))
}

function otherOf(labels: Labels): Labels {
  return Object.fromEntries(Object.keys(labels).map((name) => [name, 'other']))
}

export function countingSeries(labels: Labels): Series<Counter> {
  let total = 0
  return {
    meter: {
      add(by = 1) {
        if (by > 0) total += by
      },
    },
    samples: () => [{ labels, value: total }],
  }
}

export function readingSeries(labels: Labels, read: () => number): Series<undefined> {
  return {
    meter: undefined,
    samples() {
      try {
        return [{ labels, value: read() }]
      } catch {
        return []
      }
    },
  }
}

export function timingSeries(name: string, labels: Labels, buckets: readonly number[]): Series<Histogram> {
  const counts = new Float64Array(buckets.length + 1)
  const bounds = Float64Array.from(buckets)
  let sum = 0
  return {
    meter: {
      observe(value) {
        const measured = Number.isFinite(value) && value > 0 ? value : 0
        let at = 0
        while (at < bounds.length && measured > bounds[at]!) at++
        counts[at]!++
        sum += measured
      },
    },
    samples() {
      let seen = 0
      const steps = Array.from(counts, (count, at): Sample => {
        seen += count
        const le = at < bounds.length ? String(bounds[at]) : '+Inf'
        return { labels: { le, ...labels }, value: seen, metricName: `${name}_bucket` }
      })
      return [
        ...steps,
        { labels, value: sum, metricName: `${name}_sum` },
        { labels, value: seen, metricName: `${name}_count` },
      ]
    },
  }
}
