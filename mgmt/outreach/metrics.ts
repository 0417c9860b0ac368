/** Metrics of outreach: requested sends, their attempts, and the states they reach. */
import { isRefusal, type Refusal } from '../../core/errors.js'
import type { NotAdmitted } from '../../core/outreach/admission.js'
import type { AttemptOutcome } from '../../core/outreach/attempt.js'
import { failures } from '../../core/outreach/statemachine.js'
import { counterOf, initializeSeries } from '../../runtime/observe/meters.js'
import type { Metrics } from '../../runtime/observe/metrics.js'
import type { SendListener } from './listeners.js'
import type { CreateResult } from './schema.js'

export interface SendMetrics {
  /** Counts one answered request for a send. */
  countRequest(answer: CreateResult | NotAdmitted | Refusal, isDryRun: boolean): void
  /** Counts the outcome of one attempt. */
  countAttempt(outcome: AttemptOutcome): void
  readonly onSendChanged: SendListener
}

export function createSendMetrics(metrics: Metrics): SendMetrics {
  const requests = counterOf(metrics, 'parley_send_requests_total')
  const attempts = counterOf(metrics, 'parley_send_attempts_total')
  const sends = counterOf(metrics, 'parley_sends_total')
  initializeSeries(attempts, ['accepted', 'deferred', ...Object.keys(failures)])
  return {
    countRequest(answer, isDryRun) {
      if (isRefusal(answer)) requests('refused', answer.refused).add()
      else if (isDryRun) requests('tried', '').add()
      else requests('status' in answer ? answer.status : 'postponed', '').add()
    },
    countAttempt: (outcome) => attempts(outcome.kind === 'failure' ? outcome.failure : outcome.kind).add(),
    onSendChanged(_tx, _agent, before, { origin, state, reason = '', sandbox }) {
      if (state !== before.state && !sandbox) sends(origin, state, reason).add()
    },
  }
}
