/**
 * How an agent's people are kept: each under the agent's serial, so that an agent made anew under an old id has none, and
 * the rows that lead to a person from an identity, a mark or a name that was merged away.
 */
import type { AgentScope, ScopedKey } from '../../core/agent/scope.js'
import type { AgentRef } from '../../core/agentref.js'
import type { Appointment } from '../../core/people/appointment.js'
import { type IndexKey, type IndexKeyKind, indexKeysOf, sameIndexKeys } from '../../core/people/indexes.js'
import { numberOf } from '../../core/people/numbers.js'
import type { Person } from '../../core/people/person.js'
import type { JournalEntry } from '../../core/people/view.js'
import type { Tx } from '../../runtime/shard/contract.js'
import { cacheReads, type Key, type Reader, type Table, table } from '../../runtime/store/contract.js'
import { findAgent } from '../agents/store.js'

/** Of somebody who is being written to, the record is read for each step of that. */
export const personTable = cacheReads(table<ScopedKey<[personId: string]>, Person>('people'))
export const asidTable = table<ScopedKey<[asid: string]>, string>('people.asids')
export const indexTable = table<ScopedKey<[kind: IndexKeyKind, value: string, personId: string]>, true>('people.index')
/** Numbers that at least one person has as phone or address. Most lookups are of a new number: one read suffices. */
export const numberTable = table<ScopedKey<[value: string]>, true>('people.numbers')
/** Agents whose people all have their numbers in that table. Agents created before the table existed have no row. */
export const numberedTable = cacheReads(table<[...AgentScope], true>('people.numbered'))
/** From somebody who was merged into another to that one. */
export const aliasTable = table<ScopedKey<[personId: string]>, string>('people.aliases')
/** Numbered in the order of writing. */
export const journalTable = table<ScopedKey<[personId: string, number: number]>, JournalEntry>('people.journal')
export const appointmentTable = table<ScopedKey<[personId: string, appointmentId: string]>, Appointment>(
  'people.appointments',
)

/** All that goes with the agent. */
export const peopleTables = [
  personTable,
  asidTable,
  indexTable,
  numberTable,
  numberedTable,
  aliasTable,
  journalTable,
  appointmentTable,
] as readonly Table<Key, unknown>[]

/** Undefined for an agent that is not there. A caller that has read the agent in the same state gives its serial, which saves a read. */
export function scopeFor(
  reader: Reader,
  agentRef: AgentRef & { readonly incarnation?: number },
): AgentScope | undefined {
  if (agentRef.incarnation !== undefined) return [agentRef.orgId, agentRef.agentId, agentRef.incarnation]
  const agent = findAgent(reader, agentRef)
  return agent && [agentRef.orgId, agentRef.agentId, agent.incarnation]
}

export function personAt(reader: Reader, scope: AgentScope, personId: string): Person | undefined {
  return reader.get(personTable, [...scope, personId])
}

/** The same, led on to whoever took over from somebody merged away. Nobody is ever led back: ids are used once. */
export function resolvePerson(reader: Reader, scope: AgentScope, personId: string): Person | undefined {
  let id: string | undefined = personId
  while (id !== undefined) {
    const person = personAt(reader, scope, id)
    if (person) return person
    id = reader.get(aliasTable, [...scope, id])
  }
  return undefined
}

export function personOfAsid(reader: Reader, scope: AgentScope, asid: string): Person | undefined {
  const id = reader.get(asidTable, [...scope, asid])
  return id === undefined ? undefined : personAt(reader, scope, id)
}

/** Whoever bears the mark and has been here longest; people who are only rehearsed are not found. */
export function personByIndexKey(reader: Reader, scope: AgentScope, { kind, value }: IndexKey): Person | undefined {
  for (const { key } of reader.range(indexTable, { prefix: [...scope, kind, value] })) {
    const person = personAt(reader, scope, key[5])
    if (person && !person.sandbox) return person
  }
  return undefined
}

/** Who has the number as their phone, or else as the address of an identity. */
export function personOfNumber(reader: Reader, scope: AgentScope, value: string): Person | undefined {
  if (isNewNumber(reader, scope, value)) return undefined
  return (
    personByIndexKey(reader, scope, { kind: 'phone', value }) ??
    personByIndexKey(reader, scope, { kind: 'address', value })
  )
}

/** Everybody who holds an identity at the number, whoever has been here longest first. */
export function holdersAt(reader: Reader, scope: AgentScope, value: string): Person[] {
  if (isNewNumber(reader, scope, value)) return []
  const rows = [...reader.range(indexTable, { prefix: [...scope, 'address', value] })]
  return rows.flatMap(({ key }) => {
    const person = personAt(reader, scope, key[5])
    return person?.identities.some((identity) => numberOf(identity) === value) ? [person] : []
  })
}

/** Whether one read says that nobody has the number; it never does in agents that have no table of numbers. */
function isNewNumber(reader: Reader, scope: AgentScope, value: string): boolean {
  return reader.get(numberedTable, [...scope]) === true && !reader.get(numberTable, [...scope, value])
}

/** Writes the person with all that leads to them. */
export function putPerson(tx: Tx, scope: AgentScope, before: Person | undefined, after: Person): void {
  if (!before || !sameIndexKeys(before, after)) updateIndexes(tx, scope, before, after)
  tx.put(personTable, [...scope, after.id], after)
}

function updateIndexes(tx: Tx, scope: AgentScope, before: Person | undefined, after: Person): void {
  const { id } = after
  const asids = after.identities.map(({ asid }) => asid)
  for (const { asid } of before?.identities ?? []) if (!asids.includes(asid)) tx.remove(asidTable, [...scope, asid])
  for (const asid of asids) {
    const holder = tx.get(asidTable, [...scope, asid])
    if (holder === id) continue
    if (holder !== undefined) throw new Error(`the identity ${asid} is held by another person`)
    tx.put(asidTable, [...scope, asid], id)
  }
  const [oldKeys, newKeys] = [before ? indexKeysOf(before) : [], indexKeysOf(after)]
  for (const indexKey of oldKeys) if (!includesKey(indexKey, newKeys)) removeIndexKey(tx, scope, indexKey, id)
  for (const indexKey of newKeys) if (!includesKey(indexKey, oldKeys)) putIndexKey(tx, scope, indexKey, id)
}

function putIndexKey(tx: Tx, scope: AgentScope, { kind, value }: IndexKey, id: string): void {
  tx.put(indexTable, [...scope, kind, value, id], true)
  if (numberKinds.has(kind)) tx.put(numberTable, [...scope, value], true)
}

/** Removes the number with the last person who has it. */
function removeIndexKey(tx: Tx, scope: AgentScope, { kind, value }: IndexKey, id: string): void {
  tx.remove(indexTable, [...scope, kind, value, id])
  const isUsed = (by: IndexKeyKind) => [...tx.range(indexTable, { prefix: [...scope, by, value], limit: 1 })].length > 0
  if (numberKinds.has(kind) && ![...numberKinds].some(isUsed)) tx.remove(numberTable, [...scope, value])
}

const numberKinds: ReadonlySet<IndexKeyKind> = new Set<IndexKeyKind>(['phone', 'address'])

function includesKey({ kind, value }: IndexKey, indexKeys: readonly IndexKey[]): boolean {
  return indexKeys.some((indexKey) => indexKey.kind === kind && indexKey.value === value)
}

/** Takes the person away with all that leads to them; what is told of them stays. */
export function deletePerson(tx: Tx, scope: AgentScope, person: Person): void {
  for (const { asid } of person.identities) tx.remove(asidTable, [...scope, asid])
  for (const indexKey of indexKeysOf(person)) removeIndexKey(tx, scope, indexKey, person.id)
  tx.remove(personTable, [...scope, person.id])
}
