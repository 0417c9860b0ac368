/** What a node counts and shows of its connection to the NATS servers. */
import type { Counter, Metrics } from '../observe/metrics.js'
import { counterOf, gaugeOf } from '../observe/named.js'
import type { Bus } from './contract.js'

export function reconnectCounter(metrics: Pick<Metrics, 'counter'>): Counter {
  return counterOf(metrics, 'parley_bus_reconnects_total')()
}

/** Shows that bus from now on. */
export function busFigures(metrics: Pick<Metrics, 'gauge'>, bus: Pick<Bus, 'failure'>): void {
  gaugeOf(metrics, 'parley_bus_connected', () => (bus.failure() === undefined ? 1 : 0))
}
