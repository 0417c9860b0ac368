/** The messaging window: on some channels an agent may write freely only for so long after the person did. */
import type { AgentFacts } from './context.js'
import type { Conversation } from './state.js'
import type { ConversationTx } from './transaction.js'

const hourMs = 3_600_000

/** When the window closes; never on a channel without one. */
export function closesAt(tx: ConversationTx, { heardAt }: Conversation, { windowHours }: AgentFacts): number {
  if (windowHours === null) return Number.POSITIVE_INFINITY
  return heardAt === undefined ? Number.NEGATIVE_INFINITY : heardAt + tx.command.scaled(windowHours * hourMs)
}

export function isOpen(tx: ConversationTx, conversation: Conversation, agent: AgentFacts): boolean {
  return tx.command.at < closesAt(tx, conversation, agent)
}
