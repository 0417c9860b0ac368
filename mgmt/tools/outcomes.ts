/** Outcomes of calls, each with its line for the agent's log. */
import type { LogEventName } from '../../core/catalogs/logevents.js'
import type { ToolOutcome } from '../../core/tools/contract.js'
import type { OutsideOutcome } from '../../core/turn/port.js'
import type { Concluded } from './attempts.js'

/** The line of a call: its events, and what it says in any case. */
export interface CallLine {
  readonly called: LogEventName
  readonly failed: LogEventName
  readonly data: Readonly<Record<string, unknown>>
}

/** `result` is what the caller sees of a call that was done. */
export function outcomeOf(concluded: Concluded, result: unknown, ms: number, line: CallLine): OutsideOutcome {
  const isDone = concluded.kind === 'done'
  const outcome: ToolOutcome = isDone ? { state: 'ok', result } : { state: concluded.kind, reason: concluded.reason }
  const status = isDone ? concluded.answer.status : concluded.status
  const data = { ...line.data, outcome: outcome.state, ms, ...(status !== undefined && { status }) }
  if (isDone) return { outcome, notes: [{ event: line.called, data }] }
  return { outcome, notes: [{ event: line.failed, data: { ...data, reason: concluded.reason } }] }
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
