/**
 * Meters of the metrics in the catalog. A caller asks for one by the values of its labels, and gets the same meter for
 * the same values without an allocation: a step through small maps, then an addition.
 */
import { metrics as limits } from '../../core/limits/index.js'
import { catalog, type LabelValues, type MetricDefinition, type MetricName, type NameOf } from './catalog.js'
import type { Counter, Histogram, Labels, Metrics } from './metrics.js'

export function counterOf<N extends NameOf<'counter'>>(
  metrics: Pick<Metrics, 'counter'>,
  name: N,
): (...values: LabelValues<N>) => Counter {
  const { help } = catalog[name]
  return memoize((values) => metrics.counter(name, help, labelsOf(name, values)))
}

/** A counter without labels that the platform maintains. */
export function registerCounter(
  metrics: Pick<Metrics, 'readCounter'>,
  name: NameOf<'counter'>,
  read: () => number,
): void {
  metrics.readCounter(name, catalog[name].help, read)
}

/**
 * Creates the series of all these values at the start: `rate` does not see the first count of a series that appears
 * with it.
 */
export function initializeSeries(
  counter: (...values: never) => Counter,
  ...lists: readonly (readonly string[])[]
): void {
  const combinations = lists.reduce<string[][]>(
    (all, list) => all.flatMap((prefix) => list.map((value) => [...prefix, value])),
    [[]],
  )
  for (const values of combinations) (counter as (...values: string[]) => Counter)(...values)
}

export function histogramOf<N extends NameOf<'histogram'>>(
  metrics: Pick<Metrics, 'histogram'>,
  name: N,
): (...values: LabelValues<N>) => Histogram {
  const { help, buckets }: MetricDefinition = catalog[name]
  return memoize((values) => metrics.histogram(name, help, labelsOf(name, values), buckets))
}

export function registerGauge<N extends NameOf<'gauge'>>(
  metrics: Pick<Metrics, 'gauge'>,
  name: N,
  read: () => number,
  ...values: LabelValues<N>
): void {
  metrics.gauge(name, catalog[name].help, read, labelsOf(name, values))
}

function labelsOf(name: MetricName, values: readonly string[]): Labels {
  const { labels }: MetricDefinition = catalog[name]
  return Object.fromEntries(labels.map((label, at) => [label, values[at] ?? '']))
}

type Node<M> = { instrument?: M; readonly next: Map<string, Node<M>> }

/** Some values come from partner adapters, so the number of cached meters is limited to the series of a metric. */
function memoize<M>(create: (values: readonly string[]) => M): (...values: readonly string[]) => M {
  const root: Node<M> = { next: new Map() }
  let remaining: number = limits.seriesPerMetric
  return (...values) => {
    let step = root
    for (const value of values) {
      const existing = step.next.get(value)
      if (!existing && remaining <= 0) return create(values)
      const next = existing ?? { next: new Map() }
      if (!existing) {
        remaining--
        step.next.set(value, next)
      }
      step = next
    }
    step.instrument ??= create(values)
    return step.instrument
  }
}
