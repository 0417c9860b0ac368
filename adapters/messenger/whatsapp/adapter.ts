/** The WhatsApp Cloud API adapter. */
import type { Adapter } from '../../../core/channel/adapter.js'
import { graphAuthError } from '../graph.js'
import { descriptor, type WhatsappAuth } from './descriptor.js'
import { openMedia } from './media.js'
import { receive } from './receive.js'
import { render, signal, type WhatsappPayload } from './render.js'
import { send } from './send.js'

export const whatsappAdapter: Adapter<WhatsappAuth, WhatsappPayload> = {
  descriptor,
  render,
  send,
  receive,
  signal,
  openMedia,
  validateAuth: (auth) => graphAuthError(auth, 'phoneNumberId', auth.phoneNumberId),
}
