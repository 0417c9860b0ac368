/** Changes of the messaging window, and the agent being told of them. */
import type { Around, Desk } from './desk.js'
import { systemEvent, tellAgent } from './events.js'
import type { Conversation } from './state.js'
import { closesAt, isOpen } from './window.js'

/** The person was heard just now: the window is open from now on, and whoever it was closed for is told. */
export function opened(desk: Desk, heard: Conversation, around: Around): Conversation {
  if (around.traits.windowHours === null) return heard
  desk.wake('window', closesAt(desk, heard, around))
  if (heard.windowIsOpen) return heard
  desk.log({ event: 'window.opened' })
  return tellAgent(desk, { ...heard, windowIsOpen: true }, around, {
    type: 'system',
    system: { kind: 'windowChanged' },
  })
}

/** Its time may be over. */
export function lookedAt(desk: Desk, conversation: Conversation, around: Around): Conversation {
  if (!conversation.windowIsOpen || isOpen(desk, conversation, around)) return conversation
  const closed = { ...conversation, windowIsOpen: false }
  desk.log({ event: 'window.closed' })
  return tellAgent(desk, closed, around, systemEvent('windowChanged'))
}
