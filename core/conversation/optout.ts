/** Opting out and in again: held on the identity, whichever binding or provider it came by. */
import type { AgentFacts } from './context.js'
import { isSilencedByOptOut } from './disclaimer.js'
import { enqueueEvent, systemEvent } from './events.js'
import type { Conversation, Flight, Outgoing } from './state.js'
import { advanceState } from './status.js'
import { type ConversationTx, log } from './transaction.js'

/** Opts the person out: waiting messages end, and only confirmations and help go out. Returns the same conversation when nothing changes. */
export function optOut(tx: ConversationTx, conversation: Conversation, agent: AgentFacts): Conversation {
  if (conversation.optedOutAt !== undefined) return conversation
  tx.emit({ kind: 'notifyPeople', event: 'optedOut' })
  log(tx, 'consent.opted_out')
  const told = enqueueEvent(tx, { ...conversation, optedOutAt: tx.command.at }, agent, systemEvent('optOut'))
  const { flight, queue, held } = told
  const isSilenced = (id: string) => isSilencedByOptOut(tx.stored.message(id) ?? { from: 'send' })
  const stays = (id: string) => id === flight?.messageId || !isSilenced(id)
  const ended = [...queue.filter((id) => !stays(id)), ...held.map(({ messageId }) => messageId)]
  const silent: Conversation = { ...told, queue: queue.filter(stays), held: [] }
  return ended.reduce((changed, id) => {
    const outgoing = tx.stored.message(id)
    if (!outgoing) return changed
    const { disclaimedAt: _neverWent, ...undisclaimed } = changed
    const standing = outgoing.disclaims === undefined ? changed : undisclaimed
    return advanceState(tx, standing, agent, outgoing, { state: 'failed', reason: 'optedOut' })
  }, silent)
}

export function optIn(tx: ConversationTx, conversation: Conversation, agent: AgentFacts): Conversation {
  if (conversation.optedOutAt === undefined) return conversation
  tx.emit({ kind: 'notifyPeople', event: 'optedIn' })
  log(tx, 'consent.opted_in')
  const { optedOutAt: _over, ...rest } = conversation
  return enqueueEvent(tx, rest, agent, systemEvent('optIn'))
}

/**
 * The message that is with a provider although its person has opted out: it went before they did and cannot be called back.
 * A STOP is acknowledged once it has ended. A message that waits for its time to leave is looked at again before it goes.
 */
export function inFlightAfterOptOut(
  { optedOutAt, flight }: Conversation,
  messageOf: (messageId: string) => Outgoing | undefined,
  at: number,
): Flight | undefined {
  if (optedOutAt === undefined || !flight || flight.againAt !== undefined) return undefined
  const message = messageOf(flight.messageId)
  const isWaiting = message?.leaveAt !== undefined && message.leaveAt > at
  return !isWaiting && isSilencedByOptOut(message ?? { from: 'send' }) ? flight : undefined
}
