/**
 * Delivery timeouts: a sender may ask that a message which does not arrive in time goes on the next channel. Each
 * timeout is stored and logged; the failover itself is switched off (`conversation.failsOverUndelivered` in the
 * limits), because the contract specifies it as not yet active.
 */
import { isSignal } from '../amf/index.js'
import { conversation as limits } from '../limits/index.js'
import { type AgentFacts, factsOf } from './context.js'
import { failMessage } from './failover.js'
import type { Conversation, OutboundMessageRecord } from './state.js'
import { type ConversationTx, log } from './transaction.js'

/** Sets the timeout of a message that the provider accepted. */
export function trackDelivery(
  tx: ConversationTx,
  conversation: Conversation,
  agent: AgentFacts,
  outgoing: OutboundMessageRecord,
): Conversation {
  if (laterChannels(conversation, outgoing).length === 0) return conversation
  const { awaitingDelivery = [] } = conversation
  if (awaitingDelivery.length >= limits.trackedDeliveries) return conversation
  const until = tx.command.at + tx.command.scaled(limits.deliveryTimeoutMs)
  if (awaitingDelivery.length === 0) scheduleTimeout(tx, agent, until)
  return { ...conversation, awaitingDelivery: [...awaitingDelivery, { messageId: outgoing.id, until }] }
}

export function expireUndelivered(tx: ConversationTx, before: Conversation, agent: AgentFacts): Conversation {
  const { awaitingDelivery = [], ...rest } = before
  const remaining = awaitingDelivery.filter(({ until }) => until > tx.command.at)
  if (remaining[0]) scheduleTimeout(tx, agent, remaining[0].until)
  const conversation: Conversation = remaining.length > 0 ? { ...rest, awaitingDelivery: remaining } : rest
  return awaitingDelivery
    .filter(({ until }) => until <= tx.command.at)
    .reduce((changed, { messageId }) => failoverMessage(tx, changed, agent, messageId), conversation)
}

function failoverMessage(
  tx: ConversationTx,
  conversation: Conversation,
  agent: AgentFacts,
  messageId: string,
): Conversation {
  const outgoing = tx.stored.message(messageId)
  const { delivered, read, failed: hasFailed } = outgoing?.states ?? {}
  if (!outgoing || (delivered ?? read ?? hasFailed) !== undefined) return conversation
  log(tx, 'message.undelivered', { messageId })
  if (!tx.failsOverUndelivered) return conversation
  const rerouted = { ...outgoing, next: laterChannels(conversation, outgoing) }
  return failMessage(tx, conversation, agent, rerouted, { reason: 'undelivered', retry: 'otherChannel' })
}

function scheduleTimeout(tx: ConversationTx, agent: AgentFacts, at: number): void {
  tx.emit({ kind: 'setTimer', timer: 'undelivered', at, facts: factsOf(agent) })
}

/** The channels after this one for a message that does not arrive; empty unless its sender asked for that. */
function laterChannels(
  { channel }: Conversation,
  { message }: OutboundMessageRecord,
): readonly Conversation['channel'][] {
  const { channels = [], fallbackOn = [] } = isSignal(message) ? {} : (message.delivery ?? {})
  return fallbackOn.includes('undelivered') ? channels.slice(channels.indexOf(channel) + 1) : []
}
