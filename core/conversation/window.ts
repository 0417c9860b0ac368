/** The messaging window: on some channels an agent may write freely only for so long after the person did. */
import type { Around, Desk } from './desk.js'
import type { Conversation } from './state.js'

const hourMs = 3_600_000

/** When the window closes; never on a channel without one. */
export function closesAt(desk: Desk, { heardAt }: Conversation, { traits }: Around): number {
  if (traits.windowHours === null) return Number.POSITIVE_INFINITY
  return heardAt === undefined ? Number.NEGATIVE_INFINITY : heardAt + desk.scaled(traits.windowHours * hourMs)
}

export function isOpen(desk: Desk, conversation: Conversation, around: Around): boolean {
  return desk.at < closesAt(desk, conversation, around)
}
