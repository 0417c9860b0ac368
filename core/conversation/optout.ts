/** Opting out and in again: held on the identity, whichever binding or provider it came by. */
import type { Around, Desk } from './desk.js'
import { systemEvent, tellAgent } from './events.js'
import { reached } from './receipts.js'
import type { Conversation, Flight, Outgoing } from './state.js'

/** From here on nothing goes out but what the house owes; what waited is ended. Unchanged when it was so already. */
export function optedOut(desk: Desk, conversation: Conversation, around: Around): Conversation {
  if (conversation.optedOutAt !== undefined) return conversation
  desk.tellPeople('optedOut')
  desk.log({ event: 'consent.opted_out' })
  const told = tellAgent(desk, { ...conversation, optedOutAt: desk.at }, around, systemEvent('optOut'))
  const { flight, queue, held } = told
  const isTheHouses = (id: string) => desk.outgoing(id)?.from === 'house'
  const stays = (id: string) => id === flight?.messageId || isTheHouses(id)
  const ended = [...queue.filter((id) => !stays(id)), ...held.map(({ messageId }) => messageId)]
  const silent = { ...told, queue: queue.filter(stays), held: [] }
  return ended.reduce((changed, id) => {
    const outgoing = desk.outgoing(id)
    return outgoing ? reached(desk, changed, around, outgoing, { state: 'failed', reason: 'optedOut' }) : changed
  }, silent as Conversation)
}

export function optedIn(desk: Desk, conversation: Conversation, around: Around): Conversation {
  if (conversation.optedOutAt === undefined) return conversation
  desk.tellPeople('optedIn')
  desk.log({ event: 'consent.opted_in' })
  const { optedOutAt: _over, ...rest } = conversation
  return tellAgent(desk, rest, around, systemEvent('optIn'))
}

/**
 * What is with a provider this moment although its person has opted out: it went before they did, and nobody can call it
 * back. Whoever acknowledges the opt-out waits for its end. What the house owes them may go.
 */
export function stillAloft(
  { optedOutAt, flight }: Conversation,
  outgoingOf: (messageId: string) => Outgoing | undefined,
): Flight | undefined {
  const isAloft = optedOutAt !== undefined && flight && flight.againAt === undefined
  return isAloft && outgoingOf(flight.messageId)?.from !== 'house' ? flight : undefined
}
