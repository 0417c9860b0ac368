/** The wires that are spoken over HTTP. Those of one prefix are asked in this order. */

import { apple } from './apple/provider.js'
import type { EmulatedProvider } from './contract.js'
import { instagram, messenger } from './messenger/provider.js'
import { rbm } from './rbm/provider.js'
import { slack } from './slack/provider.js'
import { twilio } from './twilio/provider.js'
import { whatsapp } from './whatsapp/provider.js'

export const httpProviders: readonly EmulatedProvider[] = [rbm, twilio, whatsapp, messenger, instagram, apple, slack]
