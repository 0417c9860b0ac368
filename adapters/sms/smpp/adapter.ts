/** SMPP 3.4 as a provider of sms: a line is opened for each binding, and everything goes out and comes in over it. */
import type { Adapter } from '../../../core/channel/adapter.js'
import { type SmppAuth, validateAuth } from './auth.js'
import { descriptor } from './descriptor.js'
import { render, type SmppPayload } from './render.js'
import { send } from './send.js'
import { openSession, type SmppSession } from './session.js'

export const smppAdapter: Adapter<SmppAuth, SmppPayload, SmppSession> = {
  descriptor,
  render,
  send,
  // A message center has no webhook, so whoever calls is somebody else.
  receive: () => ({ kind: 'refused' }),
  validateAuth,
  connect: (context) => openSession(context),
}
