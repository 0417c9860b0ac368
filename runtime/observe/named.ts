/**
 * The meters of metrics in the catalog. Whoever counts asks for one by the values of its labels, and gets the same meter
 * for the same values without anything being made anew: a step through small maps, then a plain add.
 */
import { metrics as limits } from '../../core/limits.js'
import { catalog, type LabelValues, type MetricName, type MetricRow, type NameOf } from './catalog.js'
import type { Counter, Histogram, Labels, Metrics } from './metrics.js'

export function counterOf<N extends NameOf<'counter'>>(
  metrics: Pick<Metrics, 'counter'>,
  name: N,
): (...values: LabelValues<N>) => Counter {
  const { help } = catalog[name]
  return remembered((values) => metrics.counter(name, help, labelsOf(name, values)))
}

/** A counter without labels that the platform keeps. */
export function countReadings(
  metrics: Pick<Metrics, 'readCounter'>,
  name: NameOf<'counter'>,
  read: () => number,
): void {
  metrics.readCounter(name, catalog[name].help, read)
}

/** Shows the series of all these values from the start: `rate` does not see the first count of a series that appears with it. */
export function beginAtZero(counter: (...values: never) => Counter, ...lists: readonly (readonly string[])[]): void {
  const combinations = lists.reduce<string[][]>(
    (all, list) => all.flatMap((before) => list.map((value) => [...before, value])),
    [[]],
  )
  for (const values of combinations) (counter as (...values: string[]) => Counter)(...values)
}

export function histogramOf<N extends NameOf<'histogram'>>(
  metrics: Pick<Metrics, 'histogram'>,
  name: N,
): (...values: LabelValues<N>) => Histogram {
  const { help, buckets }: MetricRow = catalog[name]
  return remembered((values) => metrics.histogram(name, help, labelsOf(name, values), buckets))
}

export function gaugeOf<N extends NameOf<'gauge'>>(
  metrics: Pick<Metrics, 'gauge'>,
  name: N,
  read: () => number,
  ...values: LabelValues<N>
): void {
  metrics.gauge(name, catalog[name].help, read, labelsOf(name, values))
}

function labelsOf(name: MetricName, values: readonly string[]): Labels {
  const { labels }: MetricRow = catalog[name]
  return Object.fromEntries(labels.map((label, at) => [label, values[at] ?? '']))
}

type Step<M> = { meter?: M; readonly next: Map<string, Step<M>> }

/** Some values come from adapters of partners, so no more of them are remembered than a metric has series. */
function remembered<M>(open: (values: readonly string[]) => M): (...values: readonly string[]) => M {
  const root: Step<M> = { next: new Map() }
  let left: number = limits.seriesPerMetric
  return (...values) => {
    let step = root
    for (const value of values) {
      const known = step.next.get(value)
      if (!known && left <= 0) return open(values)
      const next = known ?? { next: new Map() }
      if (!known) {
        left--
        step.next.set(value, next)
      }
      step = next
    }
    step.meter ??= open(values)
    return step.meter
  }
}
