/** Capabilities of the person's device, as the provider last reported them. */
import { outreachSend as limits } from '../limits/index.js'
import type { Conversation, OutboundMessageRecord } from './state.js'
import { type ConversationTx, log } from './transaction.js'

/** What an outcome says about the person's device. */
export interface DeviceReport {
  /** Everything that the device can do, as the provider said when it refused the message. */
  readonly deviceCapabilities?: readonly string[]
  /** The message was then rendered again for that device; all its pieces, sent and unsent, belong to that rendering. */
  readonly isRewritten?: true
}

/** Returns the same conversation if the capabilities have not changed. */
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

/**
 * Capabilities learned from a refusal are valid as long as those learned by a probe; after that the next message finds
 * out again.
 */
export function applyReportedCapabilities(
  tx: ConversationTx,
  conversation: Conversation,
  { deviceCapabilities }: DeviceReport,
): Conversation {
  if (!deviceCapabilities) return conversation
  log(tx, 'capability.checked', { abilities: deviceCapabilities })
  return withDeviceCapabilities(
    conversation,
    deviceCapabilities,
    tx.command.at + tx.command.scaled(limits.capabilityMs),
  )
}

/** Drops capabilities that were learned too long ago. */
export function dropStale(
  { command: { at } }: Pick<ConversationTx, 'command'>,
  conversation: Conversation,
): Conversation {
  if (conversation.deviceCapabilitiesUntil === undefined || at < conversation.deviceCapabilitiesUntil)
    return conversation
  const { deviceCapabilities: _capabilities, deviceCapabilitiesUntil: _until, ...rest } = conversation
  return rest
}

/**
 * Pins the device capabilities when a message begins to go out: every piece, in every attempt, is rendered for that
 * device. A message with pieces already out stays as it was begun.
 */
export function pinCapabilities(
  outgoing: OutboundMessageRecord,
  { deviceCapabilities }: Conversation,
): OutboundMessageRecord {
  if (outgoing.providerIds || isSame(deviceCapabilities, outgoing.deviceCapabilities)) return outgoing
  const { deviceCapabilities: _before, ...rest } = outgoing
  return deviceCapabilities ? { ...rest, deviceCapabilities } : rest
}

/** If the message was rendered again, every further attempt uses that rendering, under the same ids. */
export function rerenderFor(
  outgoing: OutboundMessageRecord,
  { deviceCapabilities, isRewritten }: DeviceReport,
): OutboundMessageRecord {
  if (!deviceCapabilities || !isRewritten) return outgoing
  return { ...outgoing, deviceCapabilities, rewriteCount: (outgoing.rewriteCount ?? 0) + 1 }
}

/** Compares without regard to order. */
function isSame(these: readonly string[] | undefined, those: readonly string[] | undefined): boolean {
  if (these === undefined || those === undefined) return these === those
  return these.length === those.length && these.every((each) => those.includes(each))
}
