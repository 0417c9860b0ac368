/** State machine of one rule run for one person, from the change that started it to its end. */
import Type, { type Static } from 'typebox'
import { closedObject, optional } from '../agent/resources/schemas.js'
import { type Send, type SendReason, type SendState, sendReasons } from '../outreach/send.js'

export const runStates = ['pending', 'waiting', 'queued', 'sent', 'skipped', 'failed', 'cancelled'] as const
export type RunState = (typeof runStates)[number]

/** Reasons of a run beside those of sends. */
export const ownReasons = [
  'in-conversation',
  'safe-hours',
  'rule-disabled',
  'rule-changed',
  'person-deleted',
  'not-in-filter',
  'already-received',
] as const
export type RunReason = SendReason | (typeof ownReasons)[number]

export interface RuleRun {
  readonly outreachId: string
  readonly state: RunState
  readonly reason?: RunReason
  /** When the run is due, or was last. */
  readonly dueAt: number
  readonly sendId?: string
  /** When the run is deleted; only for a run that has ended. */
  readonly deleteAt?: number
  /** Counts the attempts of the run: a result with an earlier number is stale. */
  readonly attempt: number
}

export type RunTrigger =
  | 'deferred'
  | 'skipped'
  | 'accepted'
  | 'sendDeferred'
  | 'sent'
  | 'failed'
  | 'suppressed'
  | 'cancelled'

interface Transition {
  readonly from: readonly RunState[]
  readonly on: RunTrigger
  readonly to: RunState
}

const undecided = ['pending', 'waiting'] as const satisfies RunState[]

export const runTransitions: readonly Transition[] = [
  { from: undecided, on: 'deferred', to: 'waiting' },
  { from: undecided, on: 'skipped', to: 'skipped' },
  { from: undecided, on: 'accepted', to: 'queued' },
  // The person is in a conversation when the send is dispatched, so the send waits itself.
  { from: ['queued'], on: 'sendDeferred', to: 'queued' },
  { from: ['queued'], on: 'sent', to: 'sent' },
  { from: ['queued'], on: 'failed', to: 'failed' },
  { from: ['queued'], on: 'suppressed', to: 'skipped' },
  { from: ['queued'], on: 'cancelled', to: 'cancelled' },
]

/** The run after a transition, with the reason of that transition; undefined when the table has no such transition. */
export function transitionRun(
  run: RuleRun,
  on: RunTrigger,
  changes: Partial<Pick<RuleRun, 'reason' | 'dueAt' | 'sendId'>> = {},
): RuleRun | undefined {
  const to = runTransitions.find((transition) => transition.on === on && transition.from.includes(run.state))?.to
  if (to === undefined) return undefined
  const { reason: _before, ...rest } = run
  return { ...rest, ...changes, state: to }
}

/** Whether the table has a transition from its state. */
export function isActive({ state }: Pick<RuleRun, 'state'>): boolean {
  return runTransitions.some(({ from }) => from.includes(state))
}

export function isUndecided({ state }: Pick<RuleRun, 'state'>): boolean {
  return (undecided as readonly RunState[]).includes(state)
}

/** The trigger that each state of its send gives. */
const triggerOfSend: Readonly<Partial<Record<SendState, RunTrigger>>> = {
  sent: 'sent',
  failed: 'failed',
  suppressed: 'suppressed',
  cancelled: 'cancelled',
}

/**
 * The run after its send changed state; undefined when the change does not concern it. A send that is queued again
 * without a reason was deferred.
 */
export function runAfterSend(run: RuleRun, { id, state, reason, nextAttemptAt }: Send): RuleRun | undefined {
  if (run.sendId !== id) return undefined
  const isDeferred = state === 'queued' && reason === undefined && nextAttemptAt !== undefined
  if (isDeferred) return transitionRun(run, 'sendDeferred', { reason: 'in-conversation', dueAt: nextAttemptAt })
  const on = triggerOfSend[state]
  return on && transitionRun(run, on, reason ? { reason } : {})
}

/** Refusals of a send that end a run, as reasons of runs; any other refusal is an internal error. */
export const reasonOfRefusal: Readonly<Record<string, RunReason>> = {
  'agent.outreach.not_found': 'outreach_unavailable',
  'agent.outreach.recipient_not_found': 'person-deleted',
  'agent.outreach.no_channel_identity': 'no_channel_identity',
  'agent.outreach.channel_unavailable': 'no_channel_identity',
  'agent.outreach.missing_inputs': 'missing_inputs',
}

export const RunView = closedObject('AutomatedOutreachRow', {
  personId: Type.String(),
  state: Type.Enum([...runStates]),
  reason: optional(Type.Enum([...sendReasons, ...ownReasons])),
  dueAt: Type.String({ format: 'date-time' }),
  sendId: optional(Type.String()),
})
export type RunView = Static<typeof RunView>

export function runView(personId: string, { state, reason, dueAt, sendId }: RuleRun): RunView {
  return {
    personId,
    state,
    ...(reason && { reason }),
    dueAt: new Date(dueAt).toISOString(),
    ...(sendId !== undefined && { sendId }),
  }
}
