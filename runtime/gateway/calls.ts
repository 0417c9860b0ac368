/** The line of events before an agent's webhook: one at a time for each person, tried again, and set aside in the end. */
import type { Desk } from '../../core/conversation/desk.js'
import type { Conversation, ConversationEvent } from '../../core/conversation/state.js'
import { agentWebhook as limits } from '../../core/limits.js'
import type { Tx } from '../shard/contract.js'
import { type Call, effectKinds } from './effects.js'
import { conversationTable, deadLetterTable, eventTable } from './tables.js'

export type CallOutcome =
  /** The agent took it. A reply that could not be used is a problem that somebody has to see. */
  | { readonly kind: 'taken'; readonly problem?: string }
  /** No answer, or one that asks to be tried later. */
  | { readonly kind: 'away'; readonly why: string }
  /** An answer that will not be another one next time. */
  | { readonly kind: 'refused'; readonly why: string }

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
  const tried = (event.tried ?? 0) + 1
  const waitMs = outcome.kind === 'away' ? limits.retryAfterMs[tried - 1] : undefined
  if (waitMs !== undefined) {
    tx.put(eventTable, [asid, number], { ...event, tried })
    const dueAt = desk.at + desk.scaled(waitMs)
    tx.schedule({ name: 'call', dueAt, command: 'conversation.woken', input: { asid, reason: 'call' } })
    return conversation
  }
  const why = outcome.kind === 'taken' ? outcome.problem : outcome.why
  if (why !== undefined) setAside(tx, desk, conversation, event, why)
  tx.remove(eventTable, [asid, number])
  const next = number + 1
  if (next < conversation.nextEvent) callWith(tx, asid, next)
  return { ...conversation, firstEvent: next }
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
