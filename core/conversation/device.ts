/** Capabilities of the person's device, as the provider reported them last. */
import { outreachSend as limits } from '../limits.js'
import type { Conversation, Outgoing } from './state.js'
import { type ConversationTx, log } from './transaction.js'

/** What an outcome says of the person's device. */
export interface DeviceReport {
  /** All that it can do, as the provider said when it turned the message away. */
  readonly abilities?: readonly string[]
  /** The message was then written anew for it: whatever is out of it, or will be, is of that writing. */
  readonly isRewritten?: true
}

/** The conversation itself, unless that is news. */
export function withAbilities(
  conversation: Conversation,
  abilities: readonly string[] | undefined,
  until?: number,
): Conversation {
  if (abilities === undefined) return conversation
  if (isSame(abilities, conversation.abilities) && until === conversation.abilitiesUntil) return conversation
  const { abilitiesUntil: _before, ...rest } = conversation
  return { ...rest, abilities, ...(until !== undefined && { abilitiesUntil: until }) }
}

/** Capabilities learned from a refusal hold as long as those learned by a probe; then the next message finds out again. */
export function learnFromRefusal(
  tx: ConversationTx,
  conversation: Conversation,
  { abilities }: DeviceReport,
): Conversation {
  if (!abilities) return conversation
  log(tx, 'capability.checked', { abilities })
  return withAbilities(conversation, abilities, tx.command.at + tx.command.scaled(limits.capabilityKeptMs))
}

/** Drops capabilities that were learned too long ago. */
export function dropStale(
  { command: { at } }: Pick<ConversationTx, 'command'>,
  conversation: Conversation,
): Conversation {
  if (conversation.abilitiesUntil === undefined || at < conversation.abilitiesUntil) return conversation
  const { abilities: _told, abilitiesUntil: _until, ...rest } = conversation
  return rest
}

/**
 * The message as it begins to go out: all its pieces, in however many tries, are written for the device that there is now.
 * One of which pieces are out already stays as it was begun.
 */
export function pinCapabilities(outgoing: Outgoing, { abilities }: Conversation): Outgoing {
  if (outgoing.providerIds || isSame(abilities, outgoing.abilities)) return outgoing
  const { abilities: _before, ...rest } = outgoing
  return abilities ? { ...rest, abilities } : rest
}

/** The message as it goes on, if it was written anew: every further try is the same writing, under the same ids. */
export function rerenderFor(outgoing: Outgoing, { abilities, isRewritten }: DeviceReport): Outgoing {
  if (!abilities || !isRewritten) return outgoing
  return { ...outgoing, abilities, rewritten: (outgoing.rewritten ?? 0) + 1 }
}

/** In whatever order they are told. */
function isSame(these: readonly string[] | undefined, those: readonly string[] | undefined): boolean {
  if (these === undefined || those === undefined) return these === those
  return these.length === those.length && these.every((each) => those.includes(each))
}
