/** Messages that wait for the messaging window: released when it opens, failed when they have waited too long. */
import { type AgentContext, type AgentFacts, factsOf } from './context.js'
import { failMessage } from './failover.js'
import { enqueueMessage } from './queue.js'
import type { Conversation } from './state.js'
import type { ConversationTx } from './transaction.js'
import { isOpen } from './window.js'

export function releaseDeferred(tx: ConversationTx, conversation: Conversation, agent: AgentContext): Conversation {
  if (conversation.held.length === 0 || !isOpen(tx, conversation, agent)) return conversation
  tx.emit({ kind: 'clearTimer', timer: 'held' })
  const released: Conversation = { ...conversation, held: [] }
  return conversation.held.reduce(
    (changed, { messageId }) => enqueueMessage(tx, changed, { id: messageId }, agent),
    released,
  )
}

export function expireDeferred(tx: ConversationTx, conversation: Conversation, agent: AgentFacts): Conversation {
  const over = conversation.held.filter(({ until }) => until <= tx.command.at)
  const held = conversation.held.filter(({ until }) => until > tx.command.at)
  const [next] = held
  if (next) tx.emit({ kind: 'setTimer', timer: 'held', at: next.until, facts: factsOf(agent) })
  const refusal = { reason: 'windowClosed', again: 'elsewhere' } as const
  return over.reduce(
    (changed, { messageId }) => {
      const outgoing = tx.stored.message(messageId)
      return outgoing ? failMessage(tx, changed, agent, outgoing, refusal) : changed
    },
    { ...conversation, held } as Conversation,
  )
}
