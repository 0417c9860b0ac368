/** Sessions: runs of content with less than half an hour between them. Receipts neither begin nor prolong one. */
import { having } from '../having.js'
import { conversation as limits } from '../limits.js'
import type { Desk } from './desk.js'
import type { Conversation, Session } from './state.js'

/** The session that content of this moment is part of. */
export function sessionNow(desk: Desk, { session }: Conversation): Session {
  const goesOn = session !== undefined && desk.at - session.lastAt < desk.scaled(limits.sessionIdleMs)
  return { id: goesOn ? session.id : desk.mint('ses'), lastAt: desk.at }
}

/** The conversation with content of this moment in it. */
export function withContent(desk: Desk, conversation: Conversation): Conversation & { session: Session } {
  return having(conversation, { session: sessionNow(desk, conversation) })
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
