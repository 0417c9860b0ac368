/** Steps of a managed turn, as far as the conversation decides them: events taken, messages sent, and the end. */
import type { LogNote } from '../catalogs/logevents.js'
import type { AgentContext } from './context.js'
import { dispatchHead } from './eventqueue.js'
import { acceptMessage, type OutboundRequest, type SendResult } from './outbound.js'
import type { Conversation, OpenTurnRef } from './state.js'
import { type ConversationTx, log } from './transaction.js'

/** One step of a turn: everything of it becomes durable together. */
export interface TurnStep {
  /** Events at the head of the queue that the turn answers. */
  readonly taken: number
  readonly requests: readonly OutboundRequest[]
  /** The turn that waits for a tool after this step; absent: the turn has ended. */
  readonly open?: OpenTurnRef
  readonly notes: readonly LogNote[]
}

/** Answers one by one, in the order of the requests. */
export function applyTurnStep(
  tx: ConversationTx,
  before: Conversation,
  agent: AgentContext,
  { taken, requests, open, notes }: TurnStep,
): { readonly conversation: Conversation; readonly answer: readonly SendResult[] } {
  for (let nth = 0; nth < taken; nth++) {
    tx.record({ kind: 'event', number: before.firstEvent + nth, event: undefined })
  }
  for (const { event, data } of notes) log(tx, event, data)
  const { turn: _ended, start: _taken, ...rest } = before
  const hasEvents = before.firstEvent < before.nextEvent
  let conversation: Conversation = { ...rest, firstEvent: before.firstEvent + taken, ...(open && { turn: open }) }
  const answer = requests.map((request) => {
    const accepted = acceptMessage(tx, conversation, agent, request)
    conversation = accepted.conversation
    return accepted.answer
  })
  // A queue that was empty before is dispatched by the reducer.
  if (hasEvents) dispatchHead(tx, conversation)
  return { conversation, answer }
}
