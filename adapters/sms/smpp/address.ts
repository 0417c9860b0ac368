/** Phone numbers and senders in SMPP: type of number, numbering plan, and digits without a plus. */

export interface SmppAddress {
  readonly ton: number
  readonly npi: number
  readonly address: string
}

/** Numbers as long as short codes. A leading plus makes a number a full one, however short it is. */
const shortCode = /^[0-9]{3,8}$/
const wholeNumber = /^\+?[0-9]{3,20}$/
/** An alphanumeric sender that phones can show. */
const senderName = /^[A-Za-z0-9 .&_+-]{1,11}$/

const bareDigits = (number: string) => number.replace('+', '')

/** Undefined for a text that is neither a number nor a valid sender name. */
export function senderOf(from: string): SmppAddress | undefined {
  if (shortCode.test(from)) return { ton: 3, npi: 0, address: from }
  if (wholeNumber.test(from)) return { ton: 1, npi: 1, address: bareDigits(from) }
  return senderName.test(from) ? { ton: 5, npi: 0, address: from } : undefined
}

/** Undefined for a text that is no phone number. */
export function recipientOf(address: string): SmppAddress | undefined {
  if (!wholeNumber.test(address)) return undefined
  return { ton: address.startsWith('+') ? 1 : 0, npi: 1, address: bareDigits(address) }
}

const international = 1
const national = 2
const unknown = 0
/** Shorter numbers without a type belong to services and not to people. */
const fewestDigits = 8

/**
 * The address of a person with a leading plus, as on all other channels. Many message centers omit the type of full
 * numbers; a number of the national type stays as it is.
 */
export function personOf(address: string, ton: number): string {
  const number = address.trim()
  if (!/^[0-9]+$/.test(number) || ton === national) return number
  const isWhole = ton === international || (ton === unknown && number.length >= fewestDigits)
  return isWhole ? `+${number.replace(/^00/, '')}` : number
}
