/** What outreach counts: sends as they were asked for, their attempts, and the states that they come to. */
import { isRefusal, type Refusal } from '../../core/errors.js'
import type { AttemptOutcome } from '../../core/outreach/attempt.js'
import type { Postponed } from '../../core/outreach/judge.js'
import { troubles } from '../../core/outreach/machine.js'
import type { Metrics } from '../../runtime/observe/metrics.js'
import { beginAtZero, counterOf } from '../../runtime/observe/named.js'
import type { SendListener } from './listeners.js'
import type { CreateResult } from './schema.js'

export interface SendMeters {
  /** Somebody asked for a send and was answered so. */
  asked(answer: CreateResult | Postponed | Refusal, isDryRun: boolean): void
  /** An attempt was made, and this came of it. */
  attempted(outcome: AttemptOutcome): void
  readonly changed: SendListener
}

export function sendMeters(metrics: Metrics): SendMeters {
  const asked = counterOf(metrics, 'parley_sends_asked_total')
  const attempts = counterOf(metrics, 'parley_send_attempts_total')
  const sends = counterOf(metrics, 'parley_sends_total')
  beginAtZero(attempts, ['taken', 'held', ...Object.keys(troubles)])
  return {
    asked(answer, isDryRun) {
      if (isRefusal(answer)) asked('refused', answer.refused).add()
      else if (isDryRun) asked('tried', '').add()
      else asked('status' in answer ? answer.status : 'postponed', '').add()
    },
    attempted: (outcome) => attempts(outcome.kind === 'trouble' ? outcome.trouble : outcome.kind).add(),
    changed(_tx, _agent, before, { origin, state, reason = '', sandbox }) {
      if (state !== before.state && !sandbox) sends(origin, state, reason).add()
    },
  }
}
