/** Events: what the agent is told, one after the other for each person, each under an id that never changes. */
import { conversation as limits } from '../limits.js'
import type { Around, Desk } from './desk.js'
import { sessionOf } from './session.js'
import type { Conversation, SystemKind, TypedEvent } from './state.js'
import { isOpen } from './window.js'

/** Puts the event behind those that wait, if anybody listens. When far too many wait already, the agent has been away: it is only logged. */
export function tellAgent(
  desk: Desk,
  conversation: Conversation,
  around: Around,
  event: TypedEvent,
  session = sessionOf(desk, conversation, conversation.session?.id ?? ''),
): Conversation {
  if (!around.isListening) return conversation
  const eventId = desk.mint('evt')
  if (conversation.nextEvent - conversation.firstEvent >= limits.waitingEvents) {
    desk.log({ event: 'webhook.overflow', data: { eventId, type: event.type } })
    return conversation
  }
  desk.tell(conversation.nextEvent, {
    eventId,
    at: desk.at,
    sessionId: session,
    provider: around.binding?.provider ?? '',
    window: isOpen(desk, conversation, around) ? 'open' : 'closed',
    event,
  })
  return { ...conversation, nextEvent: conversation.nextEvent + 1 }
}

export function systemEvent(kind: SystemKind): TypedEvent {
  return { type: 'system', system: { kind } }
}
