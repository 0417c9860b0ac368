/** The wires that are spoken over HTTP. Those of one prefix are asked in this order. */
import type { Wire } from '../contract.js'
import { apple } from './apple.js'
import { instagram, messenger } from './page.js'
import { rbm } from './rbm.js'
import { slack } from './slack.js'
import { twilio } from './twilio.js'
import { whatsapp } from './whatsapp.js'

export const wires: readonly Wire[] = [rbm, twilio, whatsapp, messenger, instagram, apple, slack]
