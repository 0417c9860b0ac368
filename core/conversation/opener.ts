/** Taking the opening of a send: once for each of its tries, in the place of a try before it that failed. */
import type { ContentMessage } from '../amf/index.js'
import type { LogNote } from '../catalogs/logevents.js'
import type { MediaFiles } from '../render/hostedmedia.js'
import { inConversationUntil } from './activity.js'
import type { AgentContext } from './context.js'
import { acceptMessage, type SendResult } from './outbound.js'
import type { Conversation, OutboundMessageRecord, SendRef } from './state.js'
import { type ConversationTx, log } from './transaction.js'

export interface SendOpener {
  readonly message: ContentMessage
  readonly media?: MediaFiles
  readonly sendRef: SendRef
  readonly isBatch?: true
  /** When the send budget lets it leave; absent: at once. */
  readonly leaveAt?: number
  /** It is not taken while the person wrote within this time. */
  readonly quietMs?: number
  /** Lines of the log that go with it, once it is taken. */
  readonly notes?: readonly LogNote[]
}

/** Taken, not taken, or not before the person has been quiet for long enough. */
export type OpenResult = SendResult | { readonly inConversationUntil: number }

/** The same try again changes nothing. A message has one id however often it is tried, so a provider that knows ids sees one message. */
export function openForSend(
  tx: ConversationTx,
  conversation: Conversation,
  agent: AgentContext,
  { message, media, sendRef, isBatch, leaveAt, quietMs, notes = [] }: SendOpener,
): { readonly conversation: Conversation; readonly answer: OpenResult } {
  const messageId = messageIdOf(sendRef)
  const before = tx.stored.message(messageId)
  if (before?.sendRef && before.sendRef.attempt >= sendRef.attempt) return { conversation, answer: { messageId } }
  const activeUntil =
    quietMs === undefined
      ? 0
      : inConversationUntil(conversation.lastInboundAt, tx.command.at, tx.command.scaled(quietMs))
  // An opt-out ends it, so it is asked before what only delays it.
  if (activeUntil > tx.command.at && conversation.optedOutAt === undefined) {
    return { conversation, answer: { inConversationUntil: activeUntil } }
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
  return { conversation: Object.assign({}, accepted.conversation, { opener: { messageId } }), answer: accepted.answer }
}

function piecesOf({ providerIds, deviceCapabilities }: OutboundMessageRecord) {
  return { providerIds, ...(deviceCapabilities && { deviceCapabilities }) }
}

function messageIdOf({ sendId }: SendRef): string {
  return `msg_${sendId.slice(sendId.indexOf('_') + 1)}`
}
