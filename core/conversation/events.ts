/** Events for the agent: one queue per conversation, each event under an id that never changes. */
import type { SystemKind } from '../channel/inbound.js'
import { conversation as limits } from '../limits/index.js'
import type { AgentFacts } from './context.js'
import { isWindowOpen } from './messagingwindow.js'
import { sessionOf } from './session.js'
import type { Conversation, TypedEvent } from './state.js'
import { type ConversationTx, log } from './transaction.js'

/** Appends the event if the agent receives events. A full queue means a long outage: the event is then only logged. */
export function enqueueEvent(
  tx: ConversationTx,
  conversation: Conversation,
  agent: AgentFacts,
  event: TypedEvent,
  session = sessionOf(tx, conversation, conversation.session?.id ?? ''),
): Conversation {
  if (!agent.receivesEvents || (agent.isManaged && !beginsTurn(event))) return conversation
  const eventId = tx.command.mint('evt')
  if (conversation.nextEvent - conversation.firstEvent >= limits.waitingEvents) {
    log(tx, 'webhook.overflow', { eventId, type: event.type })
    return conversation
  }
  const { nextEvent: number } = conversation
  const window = isWindowOpen(tx, conversation, agent) ? 'open' : 'closed'
  const { provider } = agent
  tx.record({
    kind: 'event',
    number,
    event: { eventId, at: tx.command.at, sessionId: session, provider, window, event },
  })
  return { ...conversation, nextEvent: conversation.nextEvent + 1 }
}

/** Whether a managed agent answers the event: content, answers, and the start of a conversation. */
export function beginsTurn(event: TypedEvent): boolean {
  if (event.type === 'system') return event.system.kind === 'conversationStarted' || event.system.kind === 'optIn'
  return event.type === 'message' || event.type === 'result'
}

export function systemEvent(kind: SystemKind): TypedEvent {
  return { type: 'system', system: { kind } }
}
