/** The messaging window: on some channels an agent may write freely only for a limited time after the person did. */
import type { AgentFacts } from './context.js'
import type { Conversation } from './state.js'
import type { ConversationTx } from './transaction.js'

const hourMs = 3_600_000

/** When the window closes; never on a channel without one. */
export function windowClosesAt(
  tx: ConversationTx,
  { lastInboundAt }: Conversation,
  { windowHours }: AgentFacts,
): number {
  if (windowHours === null) return Number.POSITIVE_INFINITY
  return lastInboundAt === undefined
    ? Number.NEGATIVE_INFINITY
    : lastInboundAt + tx.command.scaled(windowHours * hourMs)
}

export function isWindowOpen(tx: ConversationTx, conversation: Conversation, agent: AgentFacts): boolean {
  return tx.command.at < windowClosesAt(tx, conversation, agent)
}
