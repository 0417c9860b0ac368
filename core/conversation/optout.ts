/** Opting out and in again: held on the identity, whichever binding or provider it came by. */
import type { Around, Desk } from './desk.js'
import { isSilencedByOptOut } from './disclaimer.js'
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
  const isSilenced = (id: string) => isSilencedByOptOut(desk.outgoing(id) ?? { from: 'send' })
  const stays = (id: string) => id === flight?.messageId || !isSilenced(id)
  const ended = [...queue.filter((id) => !stays(id)), ...held.map(({ messageId }) => messageId)]
  const silent: Conversation = { ...told, queue: queue.filter(stays), held: [] }
  return ended.reduce((changed, id) => {
    const outgoing = desk.outgoing(id)
    if (!outgoing) return changed
    const { disclaimedAt: _neverWent, ...undisclaimed } = changed
    const standing = outgoing.disclaims === undefined ? changed : undisclaimed
    return reached(desk, standing, around, outgoing, { state: 'failed', reason: 'optedOut' })
  }, silent)
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
  return isAloft && isSilencedByOptOut(outgoingOf(flight.messageId) ?? { from: 'send' }) ? flight : undefined
}
