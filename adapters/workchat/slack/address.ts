/**
 * Addresses of people on Slack. A direct message has a channel of its own. In a shared channel the address is channel
 * and user, and answers go to the channel, in the thread that the person wrote in.
 */
const separator = '/'

export function addressOf(channel: string, user: string | undefined): string {
  return /^[CG]/.test(channel) && user !== undefined ? `${channel}${separator}${user}` : channel
}

/** Ids of inbound messages in a thread end with the thread, because the id is all that an answer has. */
const threadMark = '@'

export function idIn(id: string, thread: string | undefined): string {
  return thread === undefined ? id : `${id}${threadMark}${thread}`
}

/** The thread of the inbound message with this id; undefined outside of threads. */
export function threadOf(id = ''): string | undefined {
  const end = id.lastIndexOf(threadMark)
  return end < 0 ? undefined : id.slice(end + 1)
}

export function channelOf(address: string): string {
  const end = address.indexOf(separator)
  return end < 0 ? address : address.slice(0, end)
}
