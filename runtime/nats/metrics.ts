/** Metrics of the connection to the NATS servers. */

import { counterOf, registerGauge } from '../observe/meters.js'
import type { Counter, Metrics } from '../observe/metrics.js'
import type { Bus } from './contract.js'

export function reconnectCounter(metrics: Pick<Metrics, 'counter'>): Counter {
  return counterOf(metrics, 'parley_bus_reconnects_total')()
}

/** Registers the gauges of that bus. */
export function registerBusMetrics(metrics: Pick<Metrics, 'gauge'>, bus: Pick<Bus, 'failure'>): void {
  registerGauge(metrics, 'parley_bus_connected', () => (bus.failure() === undefined ? 1 : 0))
}
