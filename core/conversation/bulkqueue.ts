/** The queue of messages in bulk: each leaves at its own time, and messages that are not in bulk overtake them. */
import { bulk as limits } from '../limits/index.js'
import type { AgentContext } from './context.js'
import { enqueueMessage } from './queue.js'
import type { Conversation, OutboundMessageRecord, Paced } from './state.js'
import { advanceState } from './status.js'
import type { ConversationTx } from './transaction.js'

/** Enqueues the message. A message in bulk is reported as queued, and waits here until its time is close. */
export function enqueuePaced(
  tx: ConversationTx,
  conversation: Conversation,
  agent: AgentContext,
  outgoing: OutboundMessageRecord,
): Conversation {
  const { id: messageId, leaveAt, sendRef } = outgoing
  if (leaveAt === undefined) return enqueueMessage(tx, conversation, outgoing, agent)
  const queued = sendRef ? conversation : advanceState(tx, conversation, agent, outgoing, { state: 'queued' })
  if (isDueSoon(tx, leaveAt)) return enqueueMessage(tx, queued, outgoing, agent)
  const { paced = [] } = queued
  return withPaced(tx, queued, [...paced, { messageId, leaveAt }])
}

/**
 * Enqueues the messages whose time has come. The first one always goes: its timer waits for a delay. If the clock was
 * set back meanwhile, the others keep their distance from the first.
 */
export function releasePaced(tx: ConversationTx, conversation: Conversation): Conversation {
  const [first, ...later] = conversation.paced ?? []
  if (!first) return conversation
  const aheadMs = Math.max(0, first.leaveAt - limits.sendQueueMs - tx.command.at)
  const others = later.map(({ messageId, leaveAt }) => ({ messageId, leaveAt: leaveAt - aheadMs }))
  const due = [first, ...others.filter(({ leaveAt }) => isDueSoon(tx, leaveAt))]
  const remaining = others.filter(({ leaveAt }) => !isDueSoon(tx, leaveAt))
  const before = withPaced(tx, conversation, remaining)
  return due.reduce((changed, { messageId }) => enqueueMessage(tx, changed, { id: messageId }), before)
}

function isDueSoon(tx: ConversationTx, leaveAt: number): boolean {
  return leaveAt <= tx.command.at + limits.sendQueueMs
}

function withPaced(tx: ConversationTx, conversation: Conversation, paced: readonly Paced[]): Conversation {
  const { paced: _before, ...rest } = conversation
  const [next] = paced
  if (!next) return rest
  tx.emit({ kind: 'setTimer', timer: 'paced', at: next.leaveAt - limits.sendQueueMs })
  return { ...rest, paced }
}
