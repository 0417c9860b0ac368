/** The WhatsApp Cloud API, put together. */
import type { Adapter } from '../../../core/channel/adapter.js'
import { wrongGraphAuth } from '../graph.js'
import { descriptor, type WhatsappAuth } from './descriptor.js'
import { openMedia } from './media.js'
import { receive } from './receive.js'
import { render, signal, type WhatsappWire } from './render.js'
import { send } from './send.js'

export const whatsappAdapter: Adapter<WhatsappAuth, WhatsappWire> = {
  descriptor,
  render,
  send,
  receive,
  signal,
  openMedia,
  wrongAuth: (auth) => wrongGraphAuth(auth, 'phoneNumberId', auth.phoneNumberId),
}
