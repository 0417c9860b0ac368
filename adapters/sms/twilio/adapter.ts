/** The Twilio adapter for sms. */
import type { Adapter } from '../../../core/channel/adapter.js'
import { descriptor, type TwilioAuth, validateAuth } from './descriptor.js'
import { find } from './find.js'
import { openMedia } from './media.js'
import { receive } from './receive.js'
import { render, type TwilioPayload } from './render.js'
import { send } from './send.js'

export const twilioAdapter: Adapter<TwilioAuth, TwilioPayload> = {
  descriptor,
  render,
  send,
  find,
  receive,
  validateAuth,
  openMedia,
}
