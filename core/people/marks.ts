/** What a person can be found by at once, among however many: whole values, in the one form that all of them share. */
import { person as limits } from '../limits.js'
import { phoneOf } from './address.js'
import { batchesOf } from './batches.js'
import type { Person } from './person.js'

export type MarkKind = 'phone' | 'email' | 'address' | 'tag' | 'batch'

export interface Mark {
  readonly kind: MarkKind
  readonly value: string
}

/** `address` are the numbers by which conversations know them; only who may see addresses may look for one. */
export function marksOf(person: Person): Mark[] {
  const { phone, email, identities, tags = [] } = person
  const marks = new Map<string, Mark>()
  function mark(kind: MarkKind, value: string | undefined): void {
    if (value !== undefined && value.length <= limits.textChars.email) marks.set(`${kind} ${value}`, { kind, value })
  }
  mark('phone', phone === undefined ? undefined : phoneOf(phone))
  mark('email', email === undefined ? undefined : emailOf(email))
  for (const { address } of identities) mark('address', phoneOf(address))
  for (const tag of tags) mark('tag', tag)
  for (const batch of batchesOf(person)) mark('batch', batch)
  return [...marks.values()]
}

/** Whether nothing has changed that marks or identities are read from. Quick, so it may say no of two that are alike. */
export function isLedToAlike(before: Person, after: Person): boolean {
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
