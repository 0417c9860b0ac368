/** Ids of people: they begin with the time of their making, so the order of ids is the order in which people came. */

/** In the order of code points, as the store has it. */
const alphabet = '0123456789abcdefghjkmnpqrstvwxyz'
const timeChars = 10
const drawnChars = 16
const prefix = 'pr_'

export const personIdPattern = `^${prefix}[${alphabet}]{${timeChars + drawnChars}}$`

/** `drawn` ends in at least sixteen characters that nobody else was given. */
export function personIdAt(at: number, drawn: string): string {
  return `${prefix}${timeText(at)}${drawn.slice(-drawnChars)}`
}

/** Sorts before the ids of everybody made from then on, and after those of everybody made earlier. */
export function firstIdAt(at: number): string {
  return `${prefix}${timeText(Math.min(Math.max(0, Math.ceil(at)), 2 ** 50 - 1))}`
}

function timeText(at: number): string {
  let rest = Math.floor(at)
  let text = ''
  for (let place = 0; place < timeChars; place++) {
    text = alphabet[rest % 32]! + text
    rest = Math.floor(rest / 32)
  }
  return text
}
