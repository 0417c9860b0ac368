/**
 * What a message center calls a message, so that its answer to a submit and its receipt meet. One writes an id in hex and
 * the other in decimal, in small or capital letters, with zeros in front or without. An id that has hex letters is taken for
 * its value; one of digits alone may be either, so a line learns from ids that it has seen how receipts are written.
 */
import { LRUCache } from 'lru-cache'

const hexDigits = /^[0-9a-f]+$/
const decimalDigits = /^[0-9]+$/

function normalizeId(raw: string): string {
  return raw
    .trim()
    .toLowerCase()
    .replace(/^0x/, '')
    .replace(/^0+(?=.)/, '')
}

const toHex = (id: string) => (decimalDigits.test(id) ? BigInt(id).toString(16) : undefined)
const toDecimal = (id: string) => (hexDigits.test(id) ? BigInt(`0x${id}`).toString() : undefined)

/** The name under which a message is known from its submit on. */
export function providerIdOf(raw: string): string {
  const id = normalizeId(raw)
  return hexDigits.test(id) && !decimalDigits.test(id) ? toDecimal(id)! : id
}

/** How the id of a receipt becomes that of the answer to the submit. */
const relations = { same: (id: string) => id, toHex, toDecimal } as const
type Relation = keyof typeof relations

export interface MessageIds {
  /** The message center has taken a message for this address. Undefined where it gives no id. */
  recordSubmit(raw: string, address: string): string | undefined
  /** What a receipt from this person is about; without an address where the message is too long ago. */
  resolveReceipt(raw: string, from: string): { readonly providerId: string; readonly address?: string }
}

export function createMessageIds(most: number): MessageIds {
  // Memory grows with what is in it: each line has one.
  const addresses = new LRUCache<string, string>({ maxSize: most, sizeCalculation: () => 1 })
  let currentRelation: Relation = 'same'
  return {
    recordSubmit(raw, address) {
      const id = normalizeId(raw)
      if (id === '') return undefined
      addresses.set(id, address)
      return providerIdOf(id)
    },
    resolveReceipt(raw, from) {
      const id = normalizeId(raw)
      const isKnown = (relation: Relation) => {
        const address = addresses.get(relations[relation](id) ?? '')
        return address !== undefined && (relation === 'same' || isSameNumber(address, from))
      }
      const order: readonly Relation[] = [currentRelation, 'same', 'toHex', 'toDecimal']
      const matching = order.find(isKnown)
      if (matching) currentRelation = matching
      const submittedId = relations[currentRelation](id) ?? id
      const address = matching && addresses.get(submittedId)
      return { providerId: providerIdOf(submittedId), ...(address !== undefined && { address }) }
    },
  }
}

const fewestDigits = 7

/** Another reading of an id may by chance be the id of another message, but hardly of one to the same person. */
function isSameNumber(a: string, b: string): boolean {
  const [left, right] = [a.replace(/[^0-9]/g, ''), b.replace(/[^0-9]/g, '')]
  const digits = Math.min(left.length, right.length)
  return digits >= fewestDigits && left.slice(-digits) === right.slice(-digits)
}
