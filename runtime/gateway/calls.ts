/** The line of events before an agent's webhook: one at a time for each person, tried again, and set aside in the end. */
import type { Desk, LogNote } from '../../core/conversation/desk.js'
import type { Conversation, ConversationEvent } from '../../core/conversation/state.js'
import { agentWebhook as limits } from '../../core/limits.js'
import type { Tx } from '../shard/contract.js'
import { type Call, effectKinds } from './effects.js'
import { conversationTable, deadLetterTable, eventTable } from './tables.js'

export type CallOutcome = (
  | {
      readonly kind: 'taken'
      /** What of the reply could not be used: the event is set aside for it. */
      readonly problem?: string
      /** What of it was refused for a reason that telling the event again would not change. */
      readonly refused?: string
    }
  /** No answer, or one that asks to be tried later: not before that long, where it says so. */
  | { readonly kind: 'away'; readonly why: string; readonly retryAfterMs?: number }
  /** An answer that will not be another one next time. */
  | { readonly kind: 'refused'; readonly why: string }
) &
  Called

export interface Called {
  /** Lines of the agent's log about the reply. */
  readonly notes?: readonly LogNote[]
  /** Absent where the agent has no webhook to be called. */
  readonly called?: { readonly ms: number; readonly status?: number; readonly messages?: number }
}

type Unused = Pick<Extract<CallOutcome, { kind: 'taken' }>, 'problem' | 'refused'>

/** What became of the event that is at the head of the line; of any other it is old news. */
export function called(
  tx: Tx,
  desk: Desk,
  conversation: Conversation,
  number: number,
  outcome: CallOutcome,
): Conversation {
  const { asid, firstEvent } = conversation
  const event = number === firstEvent ? tx.get(eventTable, [asid, number]) : undefined
  if (!event) return conversation
  for (const note of outcome.notes ?? []) desk.log({ ...note, data: { eventId: event.eventId, ...note.data } })
  const tried = (event.tried ?? 0) + 1
  const waitMs = outcome.kind === 'away' ? limits.retryAfterMs[tried - 1] : undefined
  const { problem, refused }: Unused = outcome.kind === 'taken' ? outcome : { problem: outcome.why }
  const why = [problem, refused].filter(Boolean).join(' ') || undefined
  const noted = { ...attemptOf(event, tried, outcome), ...(why !== undefined && { why }) }
  if (waitMs !== undefined) {
    tx.put(eventTable, [asid, number], { ...event, tried })
    const asked = outcome.kind === 'away' ? (outcome.retryAfterMs ?? 0) : 0
    const dueAt = desk.at + Math.max(desk.scaled(waitMs), asked)
    desk.attempt({ ...noted, outcome: 'retried', nextAt: dueAt })
    tx.schedule({ name: 'call', dueAt, command: 'conversation.woken', input: { asid, reason: 'call' }, isDelay: true })
    return conversation
  }
  if (outcome.called) desk.attempt({ ...noted, outcome: why === undefined ? 'taken' : 'failed' })
  if (problem !== undefined) setAside(tx, desk, conversation, event, problem)
  tx.remove(eventTable, [asid, number])
  const next = number + 1
  if (next < conversation.nextEvent) callWith(tx, asid, next)
  return { ...conversation, firstEvent: next }
}

function attemptOf({ eventId, sessionId, event }: ConversationEvent, tried: number, { called }: CallOutcome) {
  const { ms = 0, status, messages } = called ?? {}
  return {
    eventId,
    type: event.type,
    sessionId,
    tried,
    ms,
    ...(status !== undefined && { status }),
    ...(messages && { messages }),
  }
}

function setAside(tx: Tx, desk: Desk, { asid, agent }: Conversation, event: ConversationEvent, why: string): void {
  const { orgId, agentId } = agent
  const id = `${asid}.${event.eventId}`
  tx.put(deadLetterTable, [orgId, agentId, desk.at, id], { id, asid, at: desk.at, why, event })
  desk.log({ event: 'webhook.parked', data: { eventId: event.eventId, why } })
}

/** The head of the line is tried again. */
export function callAgain(tx: Tx, asid: string): null {
  const conversation = tx.get(conversationTable, [asid])
  if (conversation && conversation.firstEvent < conversation.nextEvent) callWith(tx, asid, conversation.firstEvent)
  return null
}

export function callWith(tx: Tx, asid: string, number: number): void {
  const payload: Call = { asid, number }
  tx.effect({ kind: effectKinds.call, payload, destination: asid })
}
