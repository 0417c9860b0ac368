/** What a rule has in mind for one person: its table of states, from the change that set it off to its end. */
import Type, { type Static } from 'typebox'
import { closed, optional } from '../agent/resources/words.js'
import { type Send, type SendReason, type SendState, sendReasons } from '../outreach/send.js'

export const rowStates = ['pending', 'waiting', 'queued', 'sent', 'skipped', 'failed', 'cancelled'] as const
export type RowState = (typeof rowStates)[number]

/** Why a row waits or ended, beside the reasons of sends. */
export const ownReasons = [
  'in-conversation',
  'safe-hours',
  'rule-disabled',
  'rule-changed',
  'person-deleted',
  'not-in-filter',
  'already-received',
] as const
export type RowReason = SendReason | (typeof ownReasons)[number]

export interface Row {
  readonly outreachId: string
  readonly state: RowState
  readonly reason?: RowReason
  /** When it is looked at, or was last. */
  readonly dueAt: number
  readonly sendId?: string
  /** When it is forgotten; only of one that has ended. */
  readonly forgetAt?: number
  /** Counts the looks at it: word of an earlier one is old. */
  readonly look: number
}

export type RowTrigger = 'held' | 'passedOver' | 'accepted' | 'talking' | 'sent' | 'failed' | 'suppressed' | 'cancelled'

interface Move {
  readonly from: readonly RowState[]
  readonly on: RowTrigger
  readonly to: RowState
}

const undecided = ['pending', 'waiting'] as const satisfies RowState[]

export const rowMoves: readonly Move[] = [
  { from: undecided, on: 'held', to: 'waiting' },
  { from: undecided, on: 'passedOver', to: 'skipped' },
  { from: undecided, on: 'accepted', to: 'queued' },
  // Its send found them talking when it was to be handed over, and waits itself.
  { from: ['queued'], on: 'talking', to: 'queued' },
  { from: ['queued'], on: 'sent', to: 'sent' },
  { from: ['queued'], on: 'failed', to: 'failed' },
  { from: ['queued'], on: 'suppressed', to: 'skipped' },
  { from: ['queued'], on: 'cancelled', to: 'cancelled' },
]

/** The row after a step, its reason that of the step; undefined where the table has no such move. */
export function rowMoved(
  row: Row,
  on: RowTrigger,
  more: Partial<Pick<Row, 'reason' | 'dueAt' | 'sendId'>> = {},
): Row | undefined {
  const to = rowMoves.find((move) => move.on === on && move.from.includes(row.state))?.to
  if (to === undefined) return undefined
  const { reason: _before, ...rest } = row
  return { ...rest, ...more, state: to }
}

/** Something may still come of it. */
export function isLive({ state }: Pick<Row, 'state'>): boolean {
  return rowMoves.some(({ from }) => from.includes(state))
}

export function isUndecided({ state }: Pick<Row, 'state'>): boolean {
  return (undecided as readonly RowState[]).includes(state)
}

/** What a state of the send it became makes of it. */
const triggerOfSend: Readonly<Partial<Record<SendState, RowTrigger>>> = {
  sent: 'sent',
  failed: 'failed',
  suppressed: 'suppressed',
  cancelled: 'cancelled',
}

/** The row after its send came to another state; undefined when that says nothing of it. A send that goes back into the queue without a reason was held. */
export function rowOfSend(row: Row, { id, state, reason, nextAttemptAt }: Send): Row | undefined {
  if (row.sendId !== id) return undefined
  const isHeld = state === 'queued' && reason === undefined && nextAttemptAt !== undefined
  if (isHeld) return rowMoved(row, 'talking', { reason: 'in-conversation', dueAt: nextAttemptAt })
  const on = triggerOfSend[state]
  return on && rowMoved(row, on, reason ? { reason } : {})
}

/** Refusals of a send that end a row, in the words of rows; any other is the house's own trouble. */
export const reasonOfRefusal: Readonly<Record<string, RowReason>> = {
  'agent.outreach.not_found': 'outreach_unavailable',
  'agent.outreach.recipient_not_found': 'person-deleted',
  'agent.outreach.no_channel_identity': 'no_channel_identity',
  'agent.outreach.channel_unavailable': 'no_channel_identity',
  'agent.outreach.missing_inputs': 'missing_inputs',
}

export const RowView = closed('AutomatedOutreachRow', {
  personId: Type.String(),
  state: Type.Enum([...rowStates]),
  reason: optional(Type.Enum([...sendReasons, ...ownReasons])),
  dueAt: Type.String({ format: 'date-time' }),
  sendId: optional(Type.String()),
})
export type RowView = Static<typeof RowView>

export function rowView(personId: string, { state, reason, dueAt, sendId }: Row): RowView {
  return {
    personId,
    state,
    ...(reason && { reason }),
    dueAt: new Date(dueAt).toISOString(),
    ...(sendId !== undefined && { sendId }),
  }
}
