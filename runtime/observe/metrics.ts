/**
 * What one node counts and times. Callers hold small meters that add to plain numbers; the numbers become Prometheus
 * text only when somebody scrapes, so the hot path never touches labels, maps or strings.
 */
import { type Metric, Registry } from 'prom-client'
import { metrics as limits } from '../../core/limits.js'
import type { Method, Plane } from '../http/route.js'
import { type Calls, openCalls } from './calls.js'
import { catalog } from './catalog.js'
import { addProcessFigures } from './process.js'
import {
  type Counter,
  countingSeries,
  type Histogram,
  type Labels,
  readingSeries,
  type Sample,
  type SeriesMap,
  seriesOf,
  timingSeries,
} from './series.js'

export type { Counter, Histogram, Labels } from './series.js'

export interface RouteMeter {
  /** A status of 0 means that no answer was sent: the client had gone. */
  observe(status: number, durationSeconds: number): void
}

/** A metric's name begins with `parley_` and ends with its unit; a counter's ends with `_total`. */
export interface Metrics {
  /** The same name and labels give the same counter; every series of a name has the same label names. */
  counter(name: string, help: string, labels?: Labels): Counter
  /** One that the platform keeps, read at scrape time. */
  readCounter(name: string, help: string, read: () => number): void
  histogram(name: string, help: string, labels?: Labels, buckets?: readonly number[]): Histogram
  /** Reads at scrape time only, so it cannot go stale; one that throws is left out of that scrape. */
  gauge(name: string, help: string, read: () => number, labels?: Labels): void
  /** Shows in a scrape from its first call on: most routes of a node are never called. */
  routeMeter(plane: Plane, method: Method, path: string): RouteMeter
  /** How often a plane was called of late. */
  callsPerSecond(plane: Plane): number
  render(): Promise<{ type: string; text: string }>
}

type Kind = 'counter' | 'gauge' | 'histogram'

/** A metric as prom-client's registry walks it. */
interface Family {
  readonly name: string
  readonly help: string
  readonly type: Kind
  readonly series: SeriesMap
  readonly labelNames: string
  get(): Promise<{ name: string; help: string; type: Kind; values: Sample[] }>
}

const requestCount = 'parley_http_requests_total'
const requestDuration = 'parley_http_request_duration_seconds'
const grammar: Readonly<Record<Kind, RegExp>> = {
  counter: /^parley_[a-z0-9_]+_total$/,
  gauge: /^parley_[a-z0-9_]+(?<!_total)$/,
  histogram: /^parley_[a-z0-9_]+(?<!_total)$/,
}

export interface MetricsOptions {
  /** The process's own figures: memory, event loop, garbage collection. */
  readonly ofProcess?: boolean
}

export function openMetrics(options: MetricsOptions = {}): Metrics {
  const registry = new Registry()
  const families = new Map<string, Family>()
  const calls: Readonly<Record<Plane, Calls>> = { mgmt: openCalls(), gateway: openCalls() }

  function familyOf(type: Kind, name: string, help: string, labels: Labels): Family {
    const labelNames = Object.keys(labels).sort().join()
    const known = families.get(name)
    if (known) {
      if (known.type !== type) throw new Error(`the metric ${name} is a ${known.type}, not a ${type}`)
      if (known.labelNames !== labelNames) throw new Error(`the metric ${name} has the labels "${known.labelNames}"`)
      return known
    }
    if (!grammar[type].test(name)) throw new Error(`${name} is no name for a ${type}`)
    const family = openFamily(type, name, help, labelNames)
    registry.registerMetric(family as unknown as Metric)
    families.set(name, family)
    return family
  }

  function counter(name: string, help: string, labels: Labels = {}): Counter {
    return seriesOf(familyOf('counter', name, help, labels).series, labels, countingSeries)
  }

  function histogram(
    name: string,
    help: string,
    labels: Labels = {},
    buckets: readonly number[] = limits.durationBucketsSeconds,
  ): Histogram {
    return seriesOf(familyOf('histogram', name, help, labels).series, labels, (own) => timingSeries(name, own, buckets))
  }

  const metrics: Metrics = {
    counter,
    readCounter(name, help, read) {
      seriesOf(familyOf('counter', name, help, {}).series, {}, (own) => readingSeries(own, read))
    },
    histogram,
    gauge(name, help, read, labels = {}) {
      seriesOf(familyOf('gauge', name, help, labels).series, labels, (own) => readingSeries(own, read))
    },
    callsPerSecond: (plane) => calls[plane].perSecond(),
    routeMeter(plane, method, path) {
      const labels = { plane, method, path }
      const counts: Counter[] = []
      let durations: Histogram | undefined
      return {
        observe(status, durationSeconds) {
          calls[plane].note()
          const at = statusClassOf(status)
          counts[at] ??= counter(requestCount, catalog[requestCount].help, { ...labels, status: statusClasses[at]! })
          durations ??= histogram(requestDuration, catalog[requestDuration].help, labels)
          counts[at].add()
          durations.observe(durationSeconds)
        },
      }
    },
    async render() {
      return { type: registry.contentType, text: await registry.metrics() }
    },
  }
  if (options.ofProcess ?? true) addProcessFigures(metrics)
  return metrics
}

const statusClasses = ['none', '1xx', '2xx', '3xx', '4xx', '5xx'] as const

function statusClassOf(status: number): number {
  return status >= 100 && status < 600 ? Math.trunc(status / 100) : 0
}

/** `2xx` and so on; `none` for what is no status. */
export function statusClass(status: number): string {
  return statusClasses[statusClassOf(status)]!
}

function openFamily(type: Kind, name: string, help: string, labelNames: string): Family {
  const series: SeriesMap = new Map()
  return {
    name,
    help,
    type,
    series,
    labelNames,
    async get() {
      return { name, help, type, values: [...series.values()].flatMap((one) => one.samples()) }
    },
  }
}
