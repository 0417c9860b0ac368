/**
 * Web chat, put together. There is nobody to hand a message to: one that was sent is on the visitor's record in the same
 * commit that says so, and whoever is connected, now or later, reads it there, under the id that it has with us. `send` is
 * only asked for what has media that must be fetched first.
 */
import type { Adapter } from '../../core/channel/adapter.js'
import { decodeFrame } from './decoder.js'
import { descriptor } from './descriptor.js'
import { encodeFrame } from './encoder.js'
import { renderMessage, type WebchatPayload } from './render.js'

export const webchatAdapter: Adapter<unknown, WebchatPayload> = {
  descriptor,
  render: renderMessage,
  send: async (payload, { id }) => ({ kind: 'sent', providerId: 'messageId' in payload ? payload.messageId : id }),
  /** Visitors have their sockets; nobody calls in. */
  receive: () => ({ kind: 'refused' }),
  signal: (signal) => ({ signal }),
  socket: { read: decodeFrame, write: encodeFrame },
}
