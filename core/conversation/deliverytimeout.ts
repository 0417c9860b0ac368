/**
 * Delivery timeouts: messages whose sender wants them on the next channel when they do not arrive in time. The timeout of
 * each is kept; failing over is switched off (`conversation.movesUndelivered`), and until then the timeout is only logged.
 */
import { isSignal } from '../amf/index.js'
import { conversation as limits } from '../limits.js'
import { type AgentFacts, factsOf } from './context.js'
import { failMessage } from './failover.js'
import type { Conversation, Outgoing } from './state.js'
import { type ConversationTx, log } from './transaction.js'

/** Sets the timeout of a message that the provider has taken. */
export function trackDelivery(
  tx: ConversationTx,
  conversation: Conversation,
  agent: AgentFacts,
  outgoing: Outgoing,
): Conversation {
  if (channelsAfter(conversation, outgoing).length === 0) return conversation
  const { awaiting = [] } = conversation
  if (awaiting.length >= limits.awaitedMessages) return conversation
  const until = tx.command.at + tx.command.scaled(limits.undeliveredMs)
  if (awaiting.length === 0) scheduleTimeout(tx, agent, until)
  return { ...conversation, awaiting: [...awaiting, { messageId: outgoing.id, until }] }
}

export function expireUndelivered(tx: ConversationTx, before: Conversation, agent: AgentFacts): Conversation {
  const { awaiting = [], ...rest } = before
  const left = awaiting.filter(({ until }) => until > tx.command.at)
  if (left[0]) scheduleTimeout(tx, agent, left[0].until)
  const conversation: Conversation = left.length > 0 ? { ...rest, awaiting: left } : rest
  return awaiting
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
  if (!limits.movesUndelivered) return conversation
  const onwards = { ...outgoing, next: channelsAfter(conversation, outgoing) }
  return failMessage(tx, conversation, agent, onwards, { reason: 'undelivered', again: 'elsewhere' })
}

function scheduleTimeout(tx: ConversationTx, agent: AgentFacts, at: number): void {
  tx.emit({ kind: 'setTimer', timer: 'undelivered', at, facts: factsOf(agent) })
}

/** The channels that follow when the message does not arrive on this one; none unless its sender wants that. */
function channelsAfter({ channel }: Conversation, { message }: Outgoing): readonly Conversation['channel'][] {
  const { channels = [], fallbackOn = [] } = isSignal(message) ? {} : (message.delivery ?? {})
  return fallbackOn.includes('undelivered') ? channels.slice(channels.indexOf(channel) + 1) : []
}
