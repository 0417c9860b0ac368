/** What the device of a person can do, as their provider said last. */
import type { Conversation, Outgoing } from './state.js'

/** The conversation itself, unless that is news. */
export function withAbilities(conversation: Conversation, abilities: readonly string[] | undefined): Conversation {
  if (abilities === undefined || isSame(abilities, conversation.abilities)) return conversation
  return { ...conversation, abilities }
}

/**
 * The message as it begins to go out: all its pieces, in however many tries, are written for the device that there is now.
 * One of which pieces are out already stays as it was begun.
 */
export function begunWith(outgoing: Outgoing, { abilities }: Conversation): Outgoing {
  if (outgoing.providerIds || isSame(abilities, outgoing.abilities)) return outgoing
  const { abilities: _before, ...rest } = outgoing
  return abilities ? { ...rest, abilities } : rest
}

/** In whatever order they are told. */
function isSame(these: readonly string[] | undefined, those: readonly string[] | undefined): boolean {
  if (these === undefined || those === undefined) return these === those
  return these.length === those.length && these.every((each) => those.includes(each))
}
