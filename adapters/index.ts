/** The built-in adapters, without those of the emulator. */

import type { Adapter } from '../core/channel/adapter.js'
import { instagramAdapter } from './messenger/instagram/adapter.js'
import { messengerAdapter } from './messenger/messenger/adapter.js'
import { whatsappAdapter } from './messenger/whatsapp/adapter.js'
import { rbmAdapter } from './rcs/rbm/adapter.js'
import { smppAdapter } from './sms/smpp/adapter.js'
import { twilioAdapter } from './sms/twilio/adapter.js'
import { appleAdapter } from './vendor/apple/adapter.js'
import { slackAdapter } from './workchat/slack/adapter.js'

export const builtInAdapters = [
  rbmAdapter,
  twilioAdapter,
  smppAdapter,
  whatsappAdapter,
  messengerAdapter,
  instagramAdapter,
  appleAdapter,
  slackAdapter,
] as unknown as readonly Adapter[]
