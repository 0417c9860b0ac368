/** What a person can be found by at once, among however many: whole values, in the one form that all of them share. */
import { person as limits } from '../limits/index.js'
import { phoneOf } from './address.js'
import { batchesOf } from './batches.js'
import type { Person } from './person.js'

export type IndexKeyKind = 'phone' | 'email' | 'address' | 'tag' | 'batch'

export interface IndexKey {
  readonly kind: IndexKeyKind
  readonly value: string
}

/** `address` are the numbers by which conversations know them; only who may see addresses may look for one. */
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

/** Whether nothing has changed that marks or identities are read from. Quick, so it may say no of two that are alike. */
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

/** Letters of an e-mail address are compared without their case. Undefined for what is not one. */
export function emailOf(text: string): string | undefined {
  const trimmed = text.trim()
  return /^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(trimmed) ? trimmed.toLowerCase() : undefined
}
