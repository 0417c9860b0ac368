/** SMPP 3.4 as a provider of sms: a line is opened for each binding, and everything goes out and comes in over it. */
import type { Adapter } from '../../../core/channel/adapter.js'
import { type SmppAuth, wrongAuth } from './auth.js'
import { descriptor } from './descriptor.js'
import { openLine, type SmppLine } from './line.js'
import { render, type SmppWire } from './render.js'
import { send } from './send.js'

export const smppAdapter: Adapter<SmppAuth, SmppWire, SmppLine> = {
  descriptor,
  render,
  send,
  // A message center has no webhook, so whoever calls is somebody else.
  receive: () => ({ kind: 'refused' }),
  wrongAuth,
  connect: (connecting) => openLine(connecting),
}
