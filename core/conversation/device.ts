/** Capabilities of the person's device, as the provider reported them last. */
import { outreachSend as limits } from '../limits/index.js'
import type { Conversation, OutboundMessageRecord } from './state.js'
import { type ConversationTx, log } from './transaction.js'

/** What an outcome says of the person's device. */
export interface DeviceReport {
  /** All that it can do, as the provider said when it turned the message away. */
  readonly deviceCapabilities?: readonly string[]
  /** The message was then written anew for it: whatever is out of it, or will be, is of that writing. */
  readonly isRewritten?: true
}

/** The conversation itself, unless that is news. */
export function withDeviceCapabilities(
  conversation: Conversation,
  deviceCapabilities: readonly string[] | undefined,
  until?: number,
): Conversation {
  if (deviceCapabilities === undefined) return conversation
  if (isSame(deviceCapabilities, conversation.deviceCapabilities) && until === conversation.deviceCapabilitiesUntil)
    return conversation
  const { deviceCapabilitiesUntil: _before, ...rest } = conversation
  return { ...rest, deviceCapabilities, ...(until !== undefined && { deviceCapabilitiesUntil: until }) }
}

/** Capabilities learned from a refusal hold as long as those learned by a probe; then the next message finds out again. */
export function learnFromRefusal(
  tx: ConversationTx,
  conversation: Conversation,
  { deviceCapabilities }: DeviceReport,
): Conversation {
  if (!deviceCapabilities) return conversation
  log(tx, 'capability.checked', { abilities: deviceCapabilities })
  return withDeviceCapabilities(
    conversation,
    deviceCapabilities,
    tx.command.at + tx.command.scaled(limits.capabilityKeptMs),
  )
}

/** Drops capabilities that were learned too long ago. */
export function dropStale(
  { command: { at } }: Pick<ConversationTx, 'command'>,
  conversation: Conversation,
): Conversation {
  if (conversation.deviceCapabilitiesUntil === undefined || at < conversation.deviceCapabilitiesUntil)
    return conversation
  const { deviceCapabilities: _told, deviceCapabilitiesUntil: _until, ...rest } = conversation
  return rest
}

/**
 * The message as it begins to go out: all its pieces, in however many tries, are written for the device that there is now.
 * One of which pieces are out already stays as it was begun.
 */
export function pinCapabilities(
  outgoing: OutboundMessageRecord,
  { deviceCapabilities }: Conversation,
): OutboundMessageRecord {
  if (outgoing.providerIds || isSame(deviceCapabilities, outgoing.deviceCapabilities)) return outgoing
  const { deviceCapabilities: _before, ...rest } = outgoing
  return deviceCapabilities ? { ...rest, deviceCapabilities } : rest
}

/** The message as it goes on, if it was written anew: every further try is the same writing, under the same ids. */
export function rerenderFor(
  outgoing: OutboundMessageRecord,
  { deviceCapabilities, isRewritten }: DeviceReport,
): OutboundMessageRecord {
  if (!deviceCapabilities || !isRewritten) return outgoing
  return { ...outgoing, deviceCapabilities, rewriteCount: (outgoing.rewriteCount ?? 0) + 1 }
}

/** In whatever order they are told. */
function isSame(these: readonly string[] | undefined, those: readonly string[] | undefined): boolean {
  if (these === undefined || those === undefined) return these === those
  return these.length === those.length && these.every((each) => those.includes(each))
}
