/** Parameters of the web chat scenarios: how many visitors, from which addresses, how many messages. */

export const visitors = 10_000

/** So few visitors per address that they stay well within every limit of an address: tokens, sockets and messages. */
export const visitorsPerAddress = 40
/** Every address of 127.0.0.0/8 is this machine. */
export function addressOf(visitor: number): string {
  const addressIndex = Math.floor(visitor / visitorsPerAddress)
  return `127.0.${1 + Math.floor(addressIndex / 250)}.${1 + (addressIndex % 250)}`
}

const maxPerSecond = 1_000
/** The rate at which a few visitors write in a short run without being throttled. */
const maxPerVisitorPerSecond = 1

/** Messages a second, of all visitors together. */
export function rateOf(visitors: number): number {
  return Math.min(maxPerSecond, visitors * maxPerVisitorPerSecond)
}

export const chatPath = '/v4/webchat/demo.bench-shop'

/** The number of a message is its first word, so that it can be found in any text. */
export const textOf = (sequence: number) => `${sequence} Is the room above the garden free from Friday on?`
export const sequenceOf = (words: string) => Number.parseInt(words, 10)
