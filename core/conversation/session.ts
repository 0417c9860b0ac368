/** Sessions: runs of content with less than half an hour between them. Receipts neither begin nor prolong one. */
import { conversation as limits } from '../limits/index.js'
import type { Conversation, Session } from './state.js'
import type { ConversationTx } from './transaction.js'

/** The session that content of this moment belongs to. */
export function currentSession(tx: ConversationTx, { session }: Conversation): Session {
  const continues = session !== undefined && tx.command.at - session.lastAt < tx.command.scaled(limits.sessionIdleMs)
  return { id: continues ? session.id : tx.command.mint('ses'), lastAt: tx.command.at }
}

/** The conversation with its session extended to this moment. */
export function extendSession(tx: ConversationTx, conversation: Conversation): Conversation & { session: Session } {
  return Object.assign({}, conversation, { session: currentSession(tx, conversation) })
}

/** Starts a new session, even if the last one is still active. */
export function startSession(tx: ConversationTx, conversation: Conversation): Conversation & { session: Session } {
  return Object.assign({}, conversation, { session: { id: tx.command.mint('ses'), lastAt: tx.command.at } })
}

/** The active session, or `fallback`: the one that a later receipt belongs to. */
export function sessionOf(tx: ConversationTx, { session }: Conversation, fallback: string): string {
  const isActive = session !== undefined && tx.command.at - session.lastAt < tx.command.scaled(limits.sessionIdleMs)
  return isActive ? session.id : fallback
}
