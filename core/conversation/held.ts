/** Messages that wait for the messaging window: released when it opens, failed when they have waited too long. */
import type { Around, Desk } from './desk.js'
import { enqueued, failed } from './sending.js'
import type { Conversation } from './state.js'
import { isOpen } from './window.js'

export function releasedByWindow(desk: Desk, conversation: Conversation, around: Around): Conversation {
  if (conversation.held.length === 0 || !isOpen(desk, conversation, around)) return conversation
  desk.wake('held', undefined)
  const released: Conversation = { ...conversation, held: [] }
  return conversation.held.reduce(
    (changed, { messageId }) => enqueued(desk, changed, { id: messageId }, around),
    released,
  )
}

export function heldTooLong(desk: Desk, conversation: Conversation, around: Around): Conversation {
  const over = conversation.held.filter(({ until }) => until <= desk.at)
  const held = conversation.held.filter(({ until }) => until > desk.at)
  desk.wake('held', held[0]?.until)
  const refusal = { reason: 'windowClosed', again: 'elsewhere' } as const
  return over.reduce(
    (changed, { messageId }) => {
      const outgoing = desk.outgoing(messageId)
      return outgoing ? failed(desk, changed, around, outgoing, refusal) : changed
    },
    { ...conversation, held } as Conversation,
  )
}
