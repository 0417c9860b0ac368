/** Taking the opening of a send: once for each of its tries, in the place of a try before it that failed. */
import type { ContentMessage } from '../amf/index.js'
import type { LogNote } from '../catalogs/logevents.js'
import type { MediaFiles } from '../render/hostedmedia.js'
import type { AgentContext } from './context.js'
import { acceptMessage, type SendResult } from './outbound.js'
import { talkingUntil } from './quiet.js'
import type { Conversation, ForSend, Outgoing } from './state.js'
import { type ConversationTx, log } from './transaction.js'

export interface Opening {
  readonly message: ContentMessage
  readonly media?: MediaFiles
  readonly forSend: ForSend
  readonly isBatch?: true
  /** When the send budget lets it leave; absent: at once. */
  readonly leaveAt?: number
  /** It is not taken while the person wrote within this time. */
  readonly quietMs?: number
  /** Lines of the log that go with it, once it is taken. */
  readonly notes?: readonly LogNote[]
}

/** Taken, not taken, or not before the person has been quiet for long enough. */
export type OpenResult = SendResult | { readonly talkingUntil: number }

/** The same try again changes nothing. A message has one id however often it is tried, so a provider that knows ids sees one message. */
export function openForSend(
  tx: ConversationTx,
  conversation: Conversation,
  agent: AgentContext,
  { message, media, forSend, isBatch, leaveAt, quietMs, notes = [] }: Opening,
): { readonly conversation: Conversation; readonly answer: OpenResult } {
  const messageId = messageIdOf(forSend)
  const before = tx.stored.message(messageId)
  if (before?.forSend && before.forSend.attempt >= forSend.attempt) return { conversation, answer: { messageId } }
  const quietAt =
    quietMs === undefined ? 0 : talkingUntil(conversation.heardAt, tx.command.at, tx.command.scaled(quietMs))
  // An opt-out ends it, so it is asked before what only delays it.
  if (quietAt > tx.command.at && conversation.optedOutAt === undefined) {
    return { conversation, answer: { talkingUntil: quietAt } }
  }
  const taken = acceptMessage(tx, conversation, agent, {
    message,
    from: 'send',
    ...(media && { media }),
    ...(isBatch && { isBatch }),
    ...(leaveAt !== undefined && { leaveAt }),
    opening: {
      messageId,
      forSend,
      ...(before?.providerIds && piecesOf(before)),
      ...(before?.rewritten && { rewritten: before.rewritten }),
    },
  })
  if ('reason' in taken.answer) return taken
  for (const { event, data } of notes) log(tx, event, { messageId, sendId: forSend.sendId, ...data })
  return { conversation: Object.assign({}, taken.conversation, { opening: { messageId } }), answer: taken.answer }
}

function piecesOf({ providerIds, abilities }: Outgoing) {
  return { providerIds, ...(abilities && { abilities }) }
}

function messageIdOf({ sendId }: ForSend): string {
  return `msg_${sendId.slice(sendId.indexOf('_') + 1)}`
}
