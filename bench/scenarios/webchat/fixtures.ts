/** What every candidate of the web chat scenarios is driven with: how many visitors, from where, and how much they say. */

export const visitors = 10_000

/** So few from one address that every limit of an address is kept with room to spare: tokens, sockets and what is said. */
export const visitorsPerAddress = 40
/** All of 127.0.0.0/8 is this machine. */
export function addressOf(visitor: number): string {
  const addressIndex = Math.floor(visitor / visitorsPerAddress)
  return `127.0.${1 + Math.floor(addressIndex / 250)}.${1 + (addressIndex % 250)}`
}

const maxPerSecond = 1_000
/** What few visitors say in a short run without being told to slow down. */
const maxPerVisitorPerSecond = 1

/** Messages a second, of all visitors together. */
export function rateOf(visitors: number): number {
  return Math.min(maxPerSecond, visitors * maxPerVisitorPerSecond)
}

export const chatPath = '/v4/webchat/demo.bench-desk'

/** The number of a message stands first, so that it is found again wherever the words turn up. */
export const textOf = (serial: number) => `${serial} Is the room above the garden free from Friday on?`
export const serialOf = (words: string) => Number.parseInt(words, 10)
