/** Metrics of a listener: answers by route, the recent call rate of each plane, and connections. */

import { counterOf, histogramOf, registerGauge } from '../observe/meters.js'
import type { Counter, Histogram, Metrics } from '../observe/metrics.js'
import { type CallRate, createCallRate } from './callrate.js'
import type { Plane, Route } from './route.js'

export interface SocketMeter {
  /** Called with the number of connections whenever it changes. */
  setOpen(sockets: number): void
  /** Called for each connection that is refused. */
  addRefused(): void
}

export interface RouteMeter {
  /** A status of 0 means that no answer was sent, because the client had disconnected. */
  observe(status: number, durationSeconds: number): void
}

export interface RouteMeters {
  /** Shows in a scrape from its first call on: most routes of a node are never called. */
  meterOf(route: Pick<Route, 'plane' | 'method' | 'path'>): RouteMeter
  /** The recent rate of calls of a plane. */
  callsPerSecond(plane: Plane): number
}

export function createRouteMeters(metrics: Pick<Metrics, 'counter' | 'histogram'>): RouteMeters {
  const requests = counterOf(metrics, 'parley_http_requests_total')
  const requestDurations = histogramOf(metrics, 'parley_http_request_duration_seconds')
  const callRates: Readonly<Record<Plane, CallRate>> = { mgmt: createCallRate(), gateway: createCallRate() }
  return {
    meterOf({ plane, method, path }) {
      const counts: Counter[] = []
      let durations: Histogram | undefined
      return {
        observe(status, durationSeconds) {
          callRates[plane].record()
          const at = statusClassOf(status)
          counts[at] ??= requests(plane, method, path, statusClasses[at]!)
          durations ??= requestDurations(plane, method, path)
          counts[at].add()
          durations.observe(durationSeconds)
        },
      }
    },
    callsPerSecond: (plane) => callRates[plane].perSecond(),
  }
}

const statusClasses = ['none', '1xx', '2xx', '3xx', '4xx', '5xx'] as const

function statusClassOf(status: number): number {
  return status >= 100 && status < 600 ? Math.trunc(status / 100) : 0
}

/** `2xx` and so on; `none` for a number that is no HTTP status. */
export function statusClass(status: number): string {
  return statusClasses[statusClassOf(status)]!
}

export function createSocketMeters(metrics: Pick<Metrics, 'counter' | 'gauge'>, plane: Plane): SocketMeter {
  let openSockets = 0
  registerGauge(metrics, 'parley_http_sockets', () => openSockets, plane)
  const refused = counterOf(metrics, 'parley_http_sockets_refused_total')(plane)
  return {
    setOpen(sockets) {
      openSockets = sockets
    },
    addRefused: () => refused.add(),
  }
}
