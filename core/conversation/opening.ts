/** Taking the opening of a send: once for each of its tries, in the place of a try before it that failed. */
import type { ContentMessage } from '../amf/index.js'
import { having } from '../having.js'
import { type Accepted, accepted } from './accept.js'
import type { Around, Desk, LogNote } from './desk.js'
import { talkingUntil } from './quiet.js'
import type { Conversation, ForSend, Outgoing } from './state.js'

export interface Opening {
  readonly message: ContentMessage
  readonly forSend: ForSend
  readonly isBatch?: true
  /** It is not taken while the person wrote within this time. */
  readonly quietMs?: number
  /** Lines of the log that go with it, once it is taken. */
  readonly notes?: readonly LogNote[]
}

/** Taken, not taken, or not before the person has been quiet for long enough. */
export type OpeningAnswer = Accepted | { readonly talkingUntil: number }

/** The same try again changes nothing. A message has one id however often it is tried, so a provider that knows ids sees one message. */
export function openedFor(
  desk: Desk,
  conversation: Conversation,
  around: Around,
  { message, forSend, isBatch, quietMs, notes = [] }: Opening,
): { readonly conversation: Conversation; readonly answer: OpeningAnswer } {
  const messageId = messageIdOf(forSend)
  const before = desk.outgoing(messageId)
  if (before?.forSend && before.forSend.attempt >= forSend.attempt) return { conversation, answer: { messageId } }
  const quietAt = quietMs === undefined ? 0 : talkingUntil(conversation.heardAt, desk.at, desk.scaled(quietMs))
  // An opt-out ends it, so it is asked before what only delays it.
  if (quietAt > desk.at && conversation.optedOutAt === undefined) {
    return { conversation, answer: { talkingUntil: quietAt } }
  }
  const taken = accepted(desk, conversation, around, {
    message,
    from: 'send',
    ...(isBatch && { isBatch }),
    opening: {
      messageId,
      forSend,
      ...(before?.providerIds && piecesOf(before)),
      ...(before?.rewritten && { rewritten: before.rewritten }),
    },
  })
  if ('reason' in taken.answer) return taken
  for (const { event, data } of notes) desk.log({ event, data: { messageId, sendId: forSend.sendId, ...data } })
  return { conversation: having(taken.conversation, { opening: { messageId } }), answer: taken.answer }
}

function piecesOf({ providerIds, abilities }: Outgoing) {
  return { providerIds, ...(abilities && { abilities }) }
}

function messageIdOf({ sendId }: ForSend): string {
  return `msg_${sendId.slice(sendId.indexOf('_') + 1)}`
}
