/** What org webhooks count: calls by what came of them, and deliveries that were given up. */
import type { Metrics } from '../../runtime/observe/metrics.js'
import { beginAtZero, counterOf, histogramOf } from '../../runtime/observe/named.js'
import type { Local } from '../../runtime/shard/contract.js'
import type { Outcome } from './machine.js'
import { deliveryTable } from './store.js'

export interface WebhookMeters {
  /** A try is over. One that was stopped on our side says nothing of its endpoint. */
  tried(outcome: Exclude<Outcome, { kind: 'stopped' }>): void
}

export function webhookMeters(metrics: Metrics): WebhookMeters {
  const calls = counterOf(metrics, 'parley_webhook_calls_total')
  const times = histogramOf(metrics, 'parley_webhook_call_duration_seconds')
  beginAtZero(calls, ['org'], ['succeeded', 'failed'])
  return {
    tried({ kind, durationMs }) {
      calls('org', kind).add()
      times('org').observe(durationMs / 1000)
    },
  }
}

/** A delivery is written as failed once, when its last try was. */
export function meterDeliveries(local: Pick<Local, 'watch'>, metrics: Metrics): void {
  const givenUp = counterOf(metrics, 'parley_webhook_dead_letters_total')('org')
  local.watch(deliveryTable, (_key, delivery) => {
    if (delivery?.state === 'failed') givenUp.add()
  })
}
