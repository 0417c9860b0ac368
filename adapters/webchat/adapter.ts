/**
 * The web chat adapter. No provider receives a message: the commit that marks it `sent` also writes it to the visitor's
 * transcript, and connected and later tabs read it there under its own message id. `send` runs only for messages whose
 * media must be fetched first.
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
  /** Visitors connect by socket; there is no webhook. */
  receive: () => ({ kind: 'refused' }),
  signal: (signal) => ({ signal }),
  socket: { read: decodeFrame, write: encodeFrame },
}
