/** The setup of every channel, in the order of the contract. */
import { rcs, sms } from './channels-carrier.js'
import { messengerA, messengerB, socialC } from './channels-messenger.js'
import { aiChatE, webchat, workchatD } from './channels-online.js'
import { vendorMessages } from './channels-vendor.js'
import type { ChannelSetup } from './shapes.js'

export const channels: readonly ChannelSetup[] = [
  rcs,
  vendorMessages,
  messengerA,
  sms,
  webchat,
  messengerB,
  socialC,
  workchatD,
  aiChatE,
]
