/** Sessions: runs of content with less than half an hour between them. Receipts neither begin nor prolong one. */
import { conversation as limits } from '../limits/index.js'
import type { Conversation, Session } from './state.js'
import type { ConversationTx } from './transaction.js'

/** The session that content of this moment belongs to. */
export function currentSession(tx: ConversationTx, { session }: Conversation): Session {
  return { id: isActive(tx, session) ? session.id : tx.command.mint('ses'), lastAt: tx.command.at }
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
  return isActive(tx, session) ? session.id : fallback
}

function isActive({ command }: ConversationTx, session: Session | undefined): session is Session {
  return session !== undefined && command.at - session.lastAt < command.scaled(limits.sessionIdleMs)
}
