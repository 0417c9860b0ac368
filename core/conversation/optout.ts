/** Opt-out and opt-in: stored on the identity, whichever binding or provider reported it. */
import type { AgentFacts } from './context.js'
import { isSilencedByOptOut } from './disclaimer.js'
import { enqueueEvent, systemEvent } from './events.js'
import type { Conversation, InFlight, OutboundMessageRecord } from './state.js'
import { advanceState } from './status.js'
import { type ConversationTx, log } from './transaction.js'
import { cutTurn } from './turncut.js'

/**
 * Opts the person out: waiting messages and the open turn end, and only confirmations and help go out. Returns the
 * same conversation if nothing changes.
 */
export function optOut(tx: ConversationTx, conversation: Conversation, agent: AgentFacts): Conversation {
  if (conversation.optedOutAt !== undefined) return conversation
  tx.emit({ kind: 'notifyPeople', event: 'optedOut' })
  log(tx, 'consent.opted_out')
  const stopped = cutTurn(tx, conversation, 'stopped')
  const notified = enqueueEvent(tx, { ...stopped, optedOutAt: tx.command.at }, agent, systemEvent('optOut'))
  const { paced = [], ...withoutPaced } = notified
  const { inFlight, queue, deferred } = notified
  const isSilenced = (id: string) => isSilencedByOptOut(tx.stored.message(id) ?? { from: 'send' })
  const isRetained = (id: string) => id === inFlight?.messageId || !isSilenced(id)
  const waiting = [...deferred, ...paced].map(({ messageId }) => messageId)
  const cancelled = [...queue.filter((id) => !isRetained(id)), ...waiting]
  const silenced: Conversation = { ...withoutPaced, queue: queue.filter(isRetained), deferred: [] }
  if (paced.length > 0) tx.emit({ kind: 'clearTimer', timer: 'paced' })
  return cancelled.reduce((changed, id) => {
    const outgoing = tx.stored.message(id)
    if (!outgoing) return changed
    const { disclaimedAt: _disclaimedAt, ...undisclaimed } = changed
    const current = outgoing.disclaimerFor === undefined ? changed : undisclaimed
    return advanceState(tx, current, agent, outgoing, { state: 'failed', reason: 'optedOut' })
  }, silenced)
}

export function optIn(tx: ConversationTx, conversation: Conversation, agent: AgentFacts): Conversation {
  if (conversation.optedOutAt === undefined) return conversation
  tx.emit({ kind: 'notifyPeople', event: 'optedIn' })
  log(tx, 'consent.opted_in')
  const { optedOutAt: _over, ...rest } = conversation
  return enqueueEvent(tx, rest, agent, systemEvent('optIn'))
}

/**
 * The message that is with a provider although its person has opted out: it left before and cannot be called back. A
 * STOP is acknowledged once that message has ended. A message that waits for its time to leave does not count: it is
 * checked again before it goes.
 */
export function inFlightAfterOptOut(
  { optedOutAt, inFlight }: Conversation,
  messageOf: (messageId: string) => OutboundMessageRecord | undefined,
  at: number,
): InFlight | undefined {
  if (optedOutAt === undefined || !inFlight || inFlight.retryAt !== undefined) return undefined
  const message = messageOf(inFlight.messageId)
  const isWaiting = message?.leaveAt !== undefined && message.leaveAt > at
  return !isWaiting && isSilencedByOptOut(message ?? { from: 'send' }) ? inFlight : undefined
}
