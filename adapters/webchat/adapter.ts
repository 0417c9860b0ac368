/**
 * Web chat, put together. There is nobody to hand a message to: one that was sent is on the visitor's record in the same
 * commit that says so, and whoever is connected, now or later, reads it there, under the id that it has with us. `send` is
 * only asked for what has media that must be fetched first.
 */
import type { Adapter } from '../../core/channel/adapter.js'
import { descriptor } from './descriptor.js'
import { readFrame } from './read.js'
import { renderMessage, type WebchatWire } from './render.js'
import { writeFrame } from './write.js'

export const webchatAdapter: Adapter<unknown, WebchatWire> = {
  descriptor,
  render: renderMessage,
  send: async (wire, { id }) => ({ kind: 'sent', providerId: 'messageId' in wire ? wire.messageId : id }),
  /** Visitors have their sockets; nobody calls in. */
  receive: () => ({ kind: 'refused' }),
  signal: (signal) => ({ signal }),
  live: { read: readFrame, write: writeFrame },
}
