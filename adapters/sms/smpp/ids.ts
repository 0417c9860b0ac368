/**
 * Message ids of a message center, normalized so that receipts match submits. Submits and receipts may differ in hex or
 * decimal spelling, letter case and leading zeros. An id with hex letters is compared by value. An id of digits only is
 * ambiguous, so a session learns the spelling of receipts from ids that matched.
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

/** The normalized id under which a message is recorded. */
function providerIdOf(raw: string): string {
  const id = normalizeId(raw)
  return hexDigits.test(id) && !decimalDigits.test(id) ? toDecimal(id)! : id
}

/** Conversions from the id of a receipt to that of the submit. */
const relations = { same: (id: string) => id, toHex, toDecimal } as const
type Relation = keyof typeof relations

export interface MessageIds {
  /** Records an accepted submit for this address. Undefined when the message center returned no id. */
  recordSubmit(raw: string, address: string): string | undefined
  /** The message of a receipt from this person; without an address when its submit is no longer cached. */
  resolveReceipt(raw: string, from: string): { readonly providerId: string; readonly address?: string }
}

export function createMessageIds(maxIds: number): MessageIds {
  // Sized by content, so that memory grows with use: every session has one.
  const addresses = new LRUCache<string, string>({ maxSize: maxIds, sizeCalculation: () => 1 })
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

/**
 * A converted id may by chance be the id of another message; requiring the same phone number excludes nearly all of
 * those.
 */
function isSameNumber(a: string, b: string): boolean {
  const [left, right] = [a.replace(/[^0-9]/g, ''), b.replace(/[^0-9]/g, '')]
  const digits = Math.min(left.length, right.length)
  return digits >= fewestDigits && left.slice(-digits) === right.slice(-digits)
}
