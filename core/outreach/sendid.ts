/** Ids of sends. They begin with the time of acceptance, so a list by time is a list by id. */

const alphabet = '0123456789abcdefghjkmnpqrstvwxyz'
const timeChars = 10
const restChars = 16
const prefix = 'sd_'

/** The least that an id of that time may be. */
export function sendIdsFrom(at: number): string {
  let left = Math.max(0, Math.floor(at))
  let text = ''
  for (let place = 0; place < timeChars; place++) {
    text = alphabet[left % 32]! + text
    left = Math.floor(left / 32)
  }
  return prefix + text
}

/** What all ids of its time begin with. */
export function timeOfSendId(id: string): string {
  return id.slice(0, prefix.length + timeChars)
}

/** `drawn` is an id of the same alphabet that nobody else has. */
export function sendIdAt(at: number, drawn: string): string {
  return sendIdsFrom(at) + drawn.slice(-restChars)
}
