/**
 * The metrics of one node. Callers hold small meters that add to plain numbers; the numbers become Prometheus text only
 * at scrape time, so the hot path never touches labels, maps or strings (decision 081).
 */
import { metrics as limits } from '../../core/limits/index.js'
import type { MetricKind } from './catalog.js'
import { type Family, formatMetrics, textType } from './exposition.js'
import {
  type Counter,
  createCounterSeries,
  createHistogramSeries,
  createReadSeries,
  type Histogram,
  type Labels,
  type SeriesMap,
  seriesOf,
} from './series.js'

export type { Counter, Histogram, Labels } from './series.js'

/** A metric's name begins with `parley_` and ends with its unit; a counter's ends with `_total`. */
export interface Metrics {
  /** The same name and labels give the same counter; every series of a name has the same label names. */
  counter(name: string, help: string, labels?: Labels): Counter
  /** A counter that the platform maintains, read at scrape time. */
  readCounter(name: string, help: string, read: () => number): void
  histogram(name: string, help: string, labels?: Labels, buckets?: readonly number[]): Histogram
  /** Read at scrape time only, so it cannot be stale; a gauge that throws is left out of that scrape. */
  gauge(name: string, help: string, read: () => number, labels?: Labels): void
  /** Reads all metrics in one turn of the event loop. */
  render(): { type: string; text: string }
}

interface MutableFamily extends Family {
  readonly series: SeriesMap
  readonly labelNames: string
}

const namePatterns: Readonly<Record<MetricKind, RegExp>> = {
  counter: /^parley_[a-z0-9_]+_total$/,
  gauge: /^parley_[a-z0-9_]+(?<!_total)$/,
  histogram: /^parley_[a-z0-9_]+(?<!_total)$/,
}

export function createMetrics(): Metrics {
  const families = new Map<string, MutableFamily>()

  function familyOf(kind: MetricKind, name: string, help: string, labels: Labels): MutableFamily {
    const labelNames = Object.keys(labels).sort().join()
    const existing = families.get(name)
    if (existing) {
      if (existing.kind !== kind) throw new Error(`the metric ${name} is a ${existing.kind}, not a ${kind}`)
      if (existing.labelNames !== labelNames)
        throw new Error(`the metric ${name} has the labels "${existing.labelNames}"`)
      return existing
    }
    if (!namePatterns[kind].test(name)) throw new Error(`${name} is no name for a ${kind}`)
    const series: SeriesMap = new Map()
    const samples = () => [...series.values()].flatMap((one) => one.samples())
    const family = { name, help, kind, labelNames, series, samples }
    families.set(name, family)
    return family
  }

  return {
    counter(name, help, labels = {}) {
      return seriesOf(familyOf('counter', name, help, labels).series, labels, createCounterSeries)
    },
    readCounter(name, help, read) {
      seriesOf(familyOf('counter', name, help, {}).series, {}, (seriesLabels) => createReadSeries(seriesLabels, read))
    },
    histogram(name, help, labels = {}, buckets = limits.durationBucketsSeconds) {
      const { series } = familyOf('histogram', name, help, labels)
      return seriesOf(series, labels, (seriesLabels) => createHistogramSeries(name, seriesLabels, buckets))
    },
    gauge(name, help, read, labels = {}) {
      seriesOf(familyOf('gauge', name, help, labels).series, labels, (seriesLabels) =>
        createReadSeries(seriesLabels, read),
      )
    },
    render: () => ({ type: textType, text: formatMetrics(families.values()) }),
  }
}
