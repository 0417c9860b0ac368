/** Messages that wait for the messaging window: released when it opens, failed when they have waited too long. */
import { type AgentContext, type AgentFacts, factsOf } from './context.js'
import { failMessage } from './failover.js'
import { isWindowOpen } from './messagingwindow.js'
import { enqueueMessage } from './queue.js'
import type { Conversation } from './state.js'
import type { ConversationTx } from './transaction.js'

export function releaseDeferred(tx: ConversationTx, conversation: Conversation, agent: AgentContext): Conversation {
  if (conversation.deferred.length === 0 || !isWindowOpen(tx, conversation, agent)) return conversation
  tx.emit({ kind: 'clearTimer', timer: 'deferred' })
  const released: Conversation = { ...conversation, deferred: [] }
  return conversation.deferred.reduce(
    (changed, { messageId }) => enqueueMessage(tx, changed, { id: messageId }, agent),
    released,
  )
}

export function expireDeferred(tx: ConversationTx, conversation: Conversation, agent: AgentFacts): Conversation {
  const expired = conversation.deferred.filter(({ until }) => until <= tx.command.at)
  const deferred = conversation.deferred.filter(({ until }) => until > tx.command.at)
  const [next] = deferred
  if (next) tx.emit({ kind: 'setTimer', timer: 'deferred', at: next.until, facts: factsOf(agent) })
  const refusal = { reason: 'windowClosed', retry: 'otherChannel' } as const
  return expired.reduce(
    (changed, { messageId }) => {
      const outgoing = tx.stored.message(messageId)
      return outgoing ? failMessage(tx, changed, agent, outgoing, refusal) : changed
    },
    { ...conversation, deferred } as Conversation,
  )
}
