/** The adapters that come with the build, beside those of the emulator. */
import { instagramAdapter } from '../adapters/messenger/instagram/adapter.js'
import { messengerAdapter } from '../adapters/messenger/messenger/adapter.js'
import { whatsappAdapter } from '../adapters/messenger/whatsapp/adapter.js'
import { rbmAdapter } from '../adapters/rcs/adapter.js'
import { smppAdapter } from '../adapters/sms/smpp/adapter.js'
import { twilioAdapter } from '../adapters/sms/twilio/adapter.js'
import { appleAdapter } from '../adapters/vendor/adapter.js'
import { slackAdapter } from '../adapters/workchat/adapter.js'
import type { Adapter } from '../core/channel/adapter.js'

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
