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

/** Channels with carrier rules: opt-out words, disclaimers and their confirmations. */
export const carrierChannels: readonly ChannelName[] = ['rcs', 'sms']
