/**
 * Where a person is on Slack. A direct message has a place of its own; in a channel many speak, so there one person is
 * the channel and who they are, and is answered in the channel, in the thread that they wrote in.
 */
const separator = '/'

export function addressOf(channel: string, user: string | undefined): string {
  return /^[CG]/.test(channel) && user !== undefined ? `${channel}${separator}${user}` : channel
}

/** The id of what a person did in a thread ends with the thread, since that id is all that is known when they are answered. */
const threadMark = '@'

export function idIn(id: string, thread: string | undefined): string {
  return thread === undefined ? id : `${id}${threadMark}${thread}`
}

/** The thread in which a person did what has this id; undefined outside of threads. */
export function threadOf(id = ''): string | undefined {
  const end = id.lastIndexOf(threadMark)
  return end < 0 ? undefined : id.slice(end + 1)
}

export function channelOf(address: string): string {
  const end = address.indexOf(separator)
  return end < 0 ? address : address.slice(0, end)
}
