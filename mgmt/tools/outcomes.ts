/** Outcomes of calls. */
import type { OutsideOutcome } from '../../core/turn/port.js'
import type { Concluded } from './attempts.js'

/** `result` is what the caller sees of a call that was done. */
export function outcomeOf(concluded: Concluded, result: unknown): OutsideOutcome {
  if (concluded.kind === 'done') return { outcome: { state: 'ok', result } }
  return { outcome: { state: concluded.kind, reason: concluded.reason } }
}

/** Nothing was done, for a reason on Parley's side or in the agent's configuration. */
export function failed(reason: string): OutsideOutcome {
  return { outcome: { state: 'failed', reason } }
}

export const unavailable = failed('The configuration of the agent could not be read just now.')
export const unreadable = failed('A stored secret of the agent cannot be read. It has to be entered again.')

/** In the sandbox: what would have gone outside. */
export function captured(kind: string, summary: string, payload: unknown, at: number): OutsideOutcome {
  return {
    outcome: { state: 'captured', result: { captured: true } },
    effects: [{ kind, summary, payload, at }],
  }
}
