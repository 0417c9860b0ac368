/** Ids of people: they start with the time of creation, so the order of ids is the order of creation. */

/** In the order of code points, as the store sorts. */
const alphabet = '0123456789abcdefghjkmnpqrstvwxyz'
const timeChars = 10
const randomChars = 16
const prefix = 'pr_'

export const personIdPattern = `^${prefix}[${alphabet}]{${timeChars + randomChars}}$`

/** `random` ends in at least sixteen characters that are unique. */
export function personIdAt(at: number, random: string): string {
  return `${prefix}${timeText(at)}${random.slice(-randomChars)}`
}

/** Sorts before the ids of people created from then on, and after those of people created earlier. */
export function lowestIdAt(at: number): string {
  return `${prefix}${timeText(Math.min(Math.max(0, Math.ceil(at)), 2 ** 50 - 1))}`
}

/** A time as text that sorts by it. */
export function timeText(at: number): string {
  let remaining = Math.floor(at)
  let text = ''
  for (let position = 0; position < timeChars; position++) {
    text = alphabet[remaining % 32]! + text
    remaining = Math.floor(remaining / 32)
  }
  return text
}
