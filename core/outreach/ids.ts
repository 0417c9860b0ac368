/** Ids of sends. They start with the time of acceptance, so a list by time is a list by id. */

const alphabet = '0123456789abcdefghjkmnpqrstvwxyz'
const timeChars = 10
const restChars = 16
const prefix = 'sd_'

/** A lower bound for ids from that time on. */
export function sendIdsFrom(at: number): string {
  let remaining = Math.max(0, Math.floor(at))
  let text = ''
  for (let position = 0; position < timeChars; position++) {
    text = alphabet[remaining % 32]! + text
    remaining = Math.floor(remaining / 32)
  }
  return prefix + text
}

/** The common prefix of all ids of its time. */
export function timeOfSendId(id: string): string {
  return id.slice(0, prefix.length + timeChars)
}

/** `random` is a unique id of the same alphabet. */
export function sendIdAt(at: number, random: string): string {
  return sendIdsFrom(at) + random.slice(-restChars)
}
