/** What a listener counts: answers by route, how often a plane is called of late, and connections. */
import type { Counter, Histogram, Metrics } from '../observe/metrics.js'
import { counterOf, gaugeOf, histogramOf } from '../observe/named.js'
import { type Calls, openCalls } from './callrate.js'
import type { Plane, Route } from './route.js'

export interface SocketMeters {
  /** Called with the number of connections whenever it changes. */
  open(sockets: number): void
  /** Called for each connection that is refused. */
  refused(): void
}

export interface RouteMeter {
  /** A status of 0 means that no answer was sent: the client had gone. */
  observe(status: number, durationSeconds: number): void
}

export interface RouteMeters {
  /** Shows in a scrape from its first call on: most routes of a node are never called. */
  meterOf(route: Pick<Route, 'plane' | 'method' | 'path'>): RouteMeter
  /** How often a plane was called of late. */
  callsPerSecond(plane: Plane): number
}

export function routeMeters(metrics: Pick<Metrics, 'counter' | 'histogram'>): RouteMeters {
  const requests = counterOf(metrics, 'parley_http_requests_total')
  const requestDurations = histogramOf(metrics, 'parley_http_request_duration_seconds')
  const calls: Readonly<Record<Plane, Calls>> = { mgmt: openCalls(), gateway: openCalls() }
  return {
    meterOf({ plane, method, path }) {
      const counts: Counter[] = []
      let durations: Histogram | undefined
      return {
        observe(status, durationSeconds) {
          calls[plane].note()
          const at = statusClassOf(status)
          counts[at] ??= requests(plane, method, path, statusClasses[at]!)
          durations ??= requestDurations(plane, method, path)
          counts[at].add()
          durations.observe(durationSeconds)
        },
      }
    },
    callsPerSecond: (plane) => calls[plane].perSecond(),
  }
}

const statusClasses = ['none', '1xx', '2xx', '3xx', '4xx', '5xx'] as const

function statusClassOf(status: number): number {
  return status >= 100 && status < 600 ? Math.trunc(status / 100) : 0
}

/** `2xx` and so on; `none` for what is no status. */
export function statusClass(status: number): string {
  return statusClasses[statusClassOf(status)]!
}

export function socketMeters(metrics: Pick<Metrics, 'counter' | 'gauge'>, plane: Plane): SocketMeters {
  let now = 0
  gaugeOf(metrics, 'parley_http_sockets', () => now, plane)
  const refused = counterOf(metrics, 'parley_http_sockets_refused_total')(plane)
  return {
    open(sockets) {
      now = sockets
    },
    refused: () => refused.add(),
  }
}
