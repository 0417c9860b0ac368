/** Metrics of delivery: submissions to providers, and the HTTP calls that they take. */
import type { ChannelRoute } from '../../core/agent/routing.js'
import type { DeliveryOutcome } from '../../core/conversation/outcome.js'
import type { OutboundMessageRecord } from '../../core/conversation/state.js'
import { statusClass } from '../http/metrics.js'
import { counterOf, histogramOf } from '../observe/meters.js'
import type { Metrics } from '../observe/metrics.js'

type Bound = Pick<ChannelRoute, 'channel' | 'provider'>

export interface DeliveryMetrics {
  /** Observes a finished submission to a provider. */
  observeSubmission(binding: Bound, outcome: DeliveryOutcome, elapsedMs: number): void
  /** Observes the wait of a message before its first submission. */
  observeWait(binding: Bound, message: Pick<OutboundMessageRecord, 'isBatch'>, waitMs: number): void
}

export interface ProviderMetrics {
  /** Observes a finished call to a provider; without a status no answer came. */
  observeCall(binding: Bound, status: number | undefined, elapsedMs: number): void
}

export function deliveryMetrics(metrics: Metrics): DeliveryMetrics {
  const submissions = counterOf(metrics, 'parley_provider_submissions_total')
  const submissionTimes = histogramOf(metrics, 'parley_provider_submission_duration_seconds')
  const waits = histogramOf(metrics, 'parley_message_wait_seconds')
  return {
    observeSubmission({ channel, provider }, outcome, elapsedMs) {
      submissions(channel, provider, outcome.kind === 'sent' ? 'sent' : outcome.retry).add()
      submissionTimes(channel, provider).observe(elapsedMs / 1000)
    },
    observeWait({ channel }, { isBatch }, waitMs) {
      waits(channel, isBatch ? 'bulk' : 'direct').observe(waitMs / 1000)
    },
  }
}

export function providerMetrics(metrics: Metrics): ProviderMetrics {
  const calls = counterOf(metrics, 'parley_provider_calls_total')
  const callTimes = histogramOf(metrics, 'parley_provider_call_duration_seconds')
  return {
    observeCall({ channel, provider }, status, elapsedMs) {
      calls(channel, provider, statusClass(status ?? 0)).add()
      callTimes(channel, provider).observe(elapsedMs / 1000)
    },
  }
}
