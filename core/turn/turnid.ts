/** Ids of turns: the person, the start and a number, so that the record of a turn is found by its id alone. */

export interface TurnIdParts {
  readonly asid: string
  readonly startedAt: number
  /** Tells apart turns of one person that began in the same millisecond. */
  readonly number: number
}

const radix = 36

export function turnIdOf(asid: string, startedAt: number, number: number): string {
  return `${asid}.${startedAt.toString(radix)}-${number.toString(radix)}`
}

/** The longest safe integer has eleven digits. */
const pattern = /^([A-Za-z0-9_-]{1,100})\.([0-9a-z]{1,11})-([0-9a-z]{1,11})$/

/** Undefined for a text that `turnIdOf` never writes: so no two texts are one id. */
export function parseTurnId(id: string): TurnIdParts | undefined {
  const match = pattern.exec(id)
  if (!match) return undefined
  const [asid, startedAt, number] = [match[1]!, Number.parseInt(match[2]!, radix), Number.parseInt(match[3]!, radix)]
  if (!Number.isSafeInteger(startedAt) || !Number.isSafeInteger(number)) return undefined
  return turnIdOf(asid, startedAt, number) === id ? { asid, startedAt, number } : undefined
}
