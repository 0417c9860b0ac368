/** Sessions: runs of content with less than half an hour between them. Receipts neither begin nor prolong one. */
import { having } from '../having.js'
import { conversation as limits } from '../limits.js'
import type { Desk } from './desk.js'
import type { Conversation, Session } from './state.js'

/** The conversation with content of this moment in it. */
export function withContent(desk: Desk, conversation: Conversation): Conversation & { session: Session } {
  const { session } = conversation
  const goesOn = session !== undefined && desk.at - session.lastAt < desk.scaled(limits.sessionIdleMs)
  const now = { id: goesOn ? session.id : desk.mint('ses'), lastAt: desk.at }
  return session ? { ...conversation, session: now } : having(conversation, { session: now })
}

/** A new session whatever the last one is doing. */
export function withNewSession(desk: Desk, conversation: Conversation): Conversation & { session: Session } {
  return having(conversation, { session: { id: desk.mint('ses'), lastAt: desk.at } })
}

/** The session that is on, or the one that a later receipt belongs to. */
export function sessionOf(desk: Desk, { session }: Conversation, otherwise: string): string {
  const isOn = session !== undefined && desk.at - session.lastAt < desk.scaled(limits.sessionIdleMs)
  return isOn ? session.id : otherwise
}
