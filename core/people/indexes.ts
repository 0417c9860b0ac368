/** Index keys of people: whole values in normalized form, for lookups that do not depend on the number of people. */
import { person as limits } from '../limits/index.js'
import { phoneOf } from './address.js'
import { batchesOf } from './batches.js'
import type { Person } from './person.js'

export type IndexKeyKind = 'phone' | 'email' | 'address' | 'tag' | 'batch'

export interface IndexKey {
  readonly kind: IndexKeyKind
  readonly value: string
}

/** `address` keys are the numbers of identities; only callers that may see addresses may look one up. */
export function indexKeysOf(person: Person): IndexKey[] {
  const { phone, email, identities, tags = [] } = person
  const indexKeys = new Map<string, IndexKey>()
  function addKey(kind: IndexKeyKind, value: string | undefined): void {
    if (value !== undefined && value.length <= limits.textChars.email)
      indexKeys.set(`${kind} ${value}`, { kind, value })
  }
  addKey('phone', phone === undefined ? undefined : phoneOf(phone))
  addKey('email', email === undefined ? undefined : emailOf(email))
  for (const { address } of identities) addKey('address', phoneOf(address))
  for (const tag of tags) addKey('tag', tag)
  for (const batch of batchesOf(person)) addKey('batch', batch)
  return [...indexKeys.values()]
}

/**
 * Whether the fields behind index keys and identities are unchanged. Compares references, so it may return false for
 * equal values.
 */
export function sameIndexKeys(before: Person, after: Person): boolean {
  return (
    before.id === after.id &&
    before.identities === after.identities &&
    before.phone === after.phone &&
    before.email === after.email &&
    before.tags === after.tags &&
    before.importBatchId === after.importBatchId &&
    before.importBatches === after.importBatches
  )
}

/** An e-mail address in lower case. Undefined for text that is none. */
export function emailOf(text: string): string | undefined {
  const trimmed = text.trim()
  return /^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(trimmed) ? trimmed.toLowerCase() : undefined
}
