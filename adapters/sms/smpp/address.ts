/** Phone numbers and senders as message centers write them: a type, a plan, and digits without a plus. */

export interface SmppAddress {
  readonly ton: number
  readonly npi: number
  readonly address: string
}

/** A number of the length that short codes have. With a plus in front it is a whole number however short. */
const shortCode = /^[0-9]{3,8}$/
const wholeNumber = /^\+?[0-9]{3,20}$/
/** What a phone shows as the name of a sender. */
const senderName = /^[A-Za-z0-9 .&_+-]{1,11}$/

const bareDigits = (number: string) => number.replace('+', '')

/** Undefined for what is neither a number nor a name that phones show. */
export function senderOf(from: string): SmppAddress | undefined {
  if (shortCode.test(from)) return { ton: 3, npi: 0, address: from }
  if (wholeNumber.test(from)) return { ton: 1, npi: 1, address: bareDigits(from) }
  return senderName.test(from) ? { ton: 5, npi: 0, address: from } : undefined
}

/** Undefined for what is no phone number. */
export function recipientOf(address: string): SmppAddress | undefined {
  if (!wholeNumber.test(address)) return undefined
  return { ton: address.startsWith('+') ? 1 : 0, npi: 1, address: bareDigits(address) }
}

const international = 1
const national = 2
const unknown = 0
/** Shorter ones without a type are services, not people's numbers. */
const fewestDigits = 8

/**
 * The person as everybody else calls them. Many message centers leave the type away and write whole numbers all the same;
 * a number that says of itself that it is a national one stays as it is.
 */
export function personOf(address: string, ton: number): string {
  const number = address.trim()
  if (!/^[0-9]+$/.test(number) || ton === national) return number
  const isWhole = ton === international || (ton === unknown && number.length >= fewestDigits)
  return isWhole ? `+${number.replace(/^00/, '')}` : number
}
