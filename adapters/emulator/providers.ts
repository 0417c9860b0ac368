/** The emulated providers over HTTP. Providers with the same path prefix read a request in this order. */

import { apple } from './apple/provider.js'
import type { EmulatedProvider } from './contract.js'
import { instagram, messenger } from './messenger/provider.js'
import { rbm } from './rbm/provider.js'
import { slack } from './slack/provider.js'
import { chathook } from './team/chathook.js'
import { mailgun } from './team/mailgun.js'
import { sendgrid } from './team/sendgrid.js'
import { twilio } from './twilio/provider.js'
import { whatsapp } from './whatsapp/provider.js'

export const httpProviders: readonly EmulatedProvider[] = [
  rbm,
  twilio,
  whatsapp,
  messenger,
  instagram,
  apple,
  slack,
  sendgrid,
  mailgun,
  chathook,
]
