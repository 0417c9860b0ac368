/** Accepts the opener of a send: once per attempt, in place of an earlier attempt that failed. */
import type { ContentMessage } from '../amf/index.js'
import type { LogNote } from '../catalogs/logevents.js'
import type { MediaFiles } from '../render/hostedmedia.js'
import { activeUntil } from './activity.js'
import type { AgentContext } from './context.js'
import { acceptMessage, type SendResult } from './outbound.js'
import type { Conversation, ConversationStart, OutboundMessageRecord, SendRef } from './state.js'
import { type ConversationTx, log } from './transaction.js'

export interface SendOpener {
  readonly message: ContentMessage
  readonly media?: MediaFiles
  readonly sendRef: SendRef
  readonly isBatch?: true
  /** When the send budget lets it leave; absent: at once. */
  readonly leaveAt?: number
  /** The opener is not accepted if the person wrote within this time. */
  readonly quietMs?: number
  /** What an answer to the opener begins, if Parley plays the agent. */
  readonly start?: ConversationStart
  /** Log lines that are written with the opener once it is accepted. */
  readonly notes?: readonly LogNote[]
}

/** Accepted, rejected, or deferred until the person has been quiet for long enough. */
export type OpenResult = SendResult | { readonly inConversationUntil: number }

/**
 * Idempotent per attempt. All attempts share one message id, so a provider that deduplicates by id sees one message.
 */
export function openForSend(
  tx: ConversationTx,
  conversation: Conversation,
  agent: AgentContext,
  { message, media, sendRef, isBatch, leaveAt, quietMs, start, notes = [] }: SendOpener,
): { readonly conversation: Conversation; readonly answer: OpenResult } {
  const messageId = messageIdOf(sendRef)
  const before = tx.stored.message(messageId)
  if (before?.sendRef && before.sendRef.attempt >= sendRef.attempt) return { conversation, answer: { messageId } }
  const delayUntil =
    quietMs === undefined ? 0 : activeUntil(conversation.lastInboundAt, tx.command.at, tx.command.scaled(quietMs))
  // An opt-out ends the send, so it takes precedence over a delay.
  if (delayUntil > tx.command.at && conversation.optedOutAt === undefined) {
    return { conversation, answer: { inConversationUntil: delayUntil } }
  }
  const accepted = acceptMessage(tx, conversation, agent, {
    message,
    from: 'send',
    ...(media && { media }),
    ...(isBatch && { isBatch }),
    ...(leaveAt !== undefined && { leaveAt }),
    opener: {
      messageId,
      sendRef,
      ...(before?.providerIds && piecesOf(before)),
      ...(before?.rewriteCount && { rewriteCount: before.rewriteCount }),
    },
  })
  if ('reason' in accepted.answer) return accepted
  for (const { event, data } of notes) log(tx, event, { messageId, sendId: sendRef.sendId, ...data })
  const opener = start && agent.isManaged ? { messageId, start } : { messageId }
  return { conversation: Object.assign({}, accepted.conversation, { opener }), answer: accepted.answer }
}

function piecesOf({ providerIds, deviceCapabilities }: OutboundMessageRecord) {
  return { providerIds, ...(deviceCapabilities && { deviceCapabilities }) }
}

function messageIdOf({ sendId }: SendRef): string {
  return `msg_${sendId.slice(sendId.indexOf('_') + 1)}`
}
