/** Outgoing content as it is first kept: its record of traffic, and messages that the service itself sends. */
import { isSignal } from '../amf/index.js'
import type { Around, Desk } from './desk.js'
import type { Conversation, Outgoing } from './state.js'

export function recordContent(desk: Desk, { id, message, sessionId }: Outgoing): void {
  if (isSignal(message)) return
  const text = message.parts.flatMap((part) =>
    part.type === 'text' && typeof part.text === 'string' ? [part.text] : [],
  )
  desk.traffic({
    origin: 'agent',
    type: 'content',
    sessionId,
    messageId: id,
    ...(text.length > 0 && { text: text.join('\n') }),
  })
}

/** A confirmation, a help text or a disclaimer, kept and on record; the caller puts it into the queue. */
export function keepServiceMessage(
  desk: Desk,
  { channel, session }: Conversation,
  { binding }: Around,
  text: string,
  disclaims?: string,
): Outgoing {
  const outgoing: Outgoing = {
    id: desk.mint('msg'),
    message: { spec: 'amf/1', parts: [{ type: 'text', text }] },
    at: desk.at,
    sessionId: session?.id ?? '',
    from: 'house',
    states: {},
    attempt: { channel, provider: binding?.provider ?? '' },
    ...(disclaims !== undefined && { disclaims }),
  }
  desk.keepOutgoing(outgoing)
  recordContent(desk, outgoing)
  return outgoing
}
