/** The channels of the contract, in its order. */
export const channelNames = [
  'rcs',
  'vendorMessages',
  'messengerA',
  'sms',
  'webchat',
  'messengerB',
  'socialC',
  'workchatD',
  'aiChatE',
] as const

export type ChannelName = (typeof channelNames)[number]

/** Where carriers have a say: opt-out words, disclaimers and their confirmations. */
export const carrierChannels: readonly ChannelName[] = ['rcs', 'sms']
