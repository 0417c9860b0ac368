/** The SMPP 3.4 adapter for sms: one session for each binding carries all messages in both directions. */
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
  // A message center has no webhook, so every call is refused.
  receive: () => ({ kind: 'refused' }),
  validateAuth,
  connect: (context) => openSession(context),
}
