/**
 * Where a person is on Slack. A direct message has a place of its own; in a channel many speak, so there one person is
 * the channel and who they are, and is answered in the channel.
 */
const parted = '/'

export function addressOf(channel: string, user: string | undefined): string {
  return /^[CG]/.test(channel) && user !== undefined ? `${channel}${parted}${user}` : channel
}

export function channelOf(address: string): string {
  const end = address.indexOf(parted)
  return end < 0 ? address : address.slice(0, end)
}
