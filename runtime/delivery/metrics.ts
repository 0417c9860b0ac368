/** Metrics of delivery: hand-overs to providers, and the calls that those take. */
import type { ChannelRoute } from '../../core/agent/routing.js'
import type { DeliveryOutcome } from '../../core/conversation/outcome.js'
import type { Outgoing } from '../../core/conversation/state.js'
import { statusClass } from '../http/metrics.js'
import type { Metrics } from '../observe/metrics.js'
import { counterOf, histogramOf } from '../observe/named.js'

type Bound = Pick<ChannelRoute, 'channel' | 'provider'>

export interface DeliveryMetrics {
  /** A hand-over to a provider is over. */
  handedOver(bound: Bound, outcome: DeliveryOutcome, elapsedMs: number): void
  /** A message is handed over for the first time, after that wait. */
  waited(bound: Bound, outgoing: Pick<Outgoing, 'isBatch'>, waitedMs: number): void
}

export interface ProviderMetrics {
  /** A call to a provider is over; without a status no answer came. */
  called(bound: Bound, status: number | undefined, elapsedMs: number): void
}

export function deliveryMetrics(metrics: Metrics): DeliveryMetrics {
  const handovers = counterOf(metrics, 'parley_provider_handovers_total')
  const handoverTimes = histogramOf(metrics, 'parley_provider_handover_duration_seconds')
  const waits = histogramOf(metrics, 'parley_message_wait_seconds')
  return {
    handedOver({ channel, provider }, outcome, elapsedMs) {
      handovers(channel, provider, outcome.kind === 'sent' ? 'sent' : outcome.again).add()
      handoverTimes(channel, provider).observe(elapsedMs / 1000)
    },
    waited({ channel }, { isBatch }, waitedMs) {
      waits(channel, isBatch ? 'bulk' : 'direct').observe(waitedMs / 1000)
    },
  }
}

export function providerMetrics(metrics: Metrics): ProviderMetrics {
  const calls = counterOf(metrics, 'parley_provider_calls_total')
  const callTimes = histogramOf(metrics, 'parley_provider_call_duration_seconds')
  return {
    called({ channel, provider }, status, elapsedMs) {
      calls(channel, provider, statusClass(status ?? 0)).add()
      callTimes(channel, provider).observe(elapsedMs / 1000)
    },
  }
}
