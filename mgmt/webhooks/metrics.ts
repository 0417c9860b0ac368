/** Metrics of org webhooks: calls by outcome, and dead letters. */

import { counterOf, histogramOf, initializeSeries } from '../../runtime/observe/meters.js'
import type { Metrics } from '../../runtime/observe/metrics.js'
import type { Local } from '../../runtime/shard/contract.js'
import type { Outcome } from './statemachine.js'
import { deliveryTable } from './store.js'

export interface WebhookMetrics {
  /** Observes a finished try. A try that this side stopped says nothing about its endpoint. */
  observeTry(outcome: Exclude<Outcome, { kind: 'stopped' }>): void
}

export function createWebhookMetrics(metrics: Metrics): WebhookMetrics {
  const calls = counterOf(metrics, 'parley_webhook_calls_total')
  const times = histogramOf(metrics, 'parley_webhook_call_duration_seconds')
  initializeSeries(calls, ['org'], ['succeeded', 'failed'])
  return {
    observeTry({ kind, durationMs }) {
      calls('org', kind).add()
      times('org').observe(durationMs / 1000)
    },
  }
}

/** A delivery is written as failed once, after its last try. */
export function countDeadLetters(local: Pick<Local, 'watch'>, metrics: Metrics): void {
  const deadLetters = counterOf(metrics, 'parley_webhook_dead_letters_total')('org')
  local.watch(deliveryTable, (_key, delivery) => {
    if (delivery?.state === 'failed') deadLetters.add()
  })
}
