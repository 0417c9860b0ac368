/** Metrics of calls to agents' webhooks, and their lines in the operator's log. */
import type { WebhookOutcome } from '../../core/conversation/eventqueue.js'
import { attemptTable } from '../conversation/tables.js'
import type { Log } from '../observe/log.js'
import { counterOf, histogramOf, initializeSeries } from '../observe/meters.js'
import type { Metrics } from '../observe/metrics.js'
import type { Local } from '../shard/contract.js'

export interface WebhookMetrics {
  /** Observes a webhook call with its outcome and duration. */
  observeCall(outcome: WebhookOutcome, elapsedMs: number): void
}

export function agentWebhookMetrics(metrics: Metrics): WebhookMetrics {
  const calls = counterOf(metrics, 'parley_webhook_calls_total')
  const callTimes = histogramOf(metrics, 'parley_webhook_call_duration_seconds')
  initializeSeries(calls, ['agent'], ['taken', 'retryable', 'refused'] satisfies WebhookOutcome['kind'][])
  return {
    observeCall({ kind }, elapsedMs) {
      calls('agent', kind).add()
      callTimes('agent').observe(elapsedMs / 1000)
    },
  }
}

/** Logs failed webhook calls. */
export function logFailedCalls(local: Pick<Local, 'watch'>, log: Pick<Log, 'warn'>): void {
  local.watch(attemptTable, ([orgId, agentId], attempt) => {
    if (!attempt || attempt.outcome === 'taken') return
    const { eventId, type, attempt: tryNumber, outcome, status, why } = attempt
    log.warn('agent.webhook.failed', { orgId, agentId, eventId, type, tried: tryNumber, outcome, status, why })
  })
}
