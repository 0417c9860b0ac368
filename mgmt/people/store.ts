/**
 * Tables of an agent's people. Keys contain the agent's incarnation, so a later agent of the same id has none of them.
 * Index rows lead to a person from an asid, an index key or the id of a merged person.
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

/** Cached, because every step of a send reads the record. */
export const personTable = cacheReads(table<ScopedKey<[personId: string]>, Person>('people'))
export const asidTable = table<ScopedKey<[asid: string]>, string>('people.asids')
export const indexTable = table<ScopedKey<[kind: IndexKeyKind, value: string, personId: string]>, true>('people.index')
/** Numbers that at least one person has as phone or address. Most lookups are of a new number: one read suffices. */
export const numberTable = table<ScopedKey<[value: string]>, true>('people.numbers')
/** Agents with a complete number table. Agents created before that table existed have no row. */
export const numberedTable = cacheReads(table<[...AgentScope], true>('people.numbered'))
/** From the id of a merged person to the id of the survivor. */
export const aliasTable = table<ScopedKey<[personId: string]>, string>('people.aliases')
/** Numbered in order of writing. */
export const journalTable = table<ScopedKey<[personId: string, number: number]>, JournalEntry>('people.journal')
export const appointmentTable = table<ScopedKey<[personId: string, appointmentId: string]>, Appointment>(
  'people.appointments',
)

/** All tables that are purged with the agent. */
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

/**
 * Undefined for an agent that does not exist. A caller that has read the agent in the same state gives its incarnation,
 * which saves a read.
 */
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

/** The person by id, following merges to the survivor. The loop ends, because ids are used once. */
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

/** The oldest record with that index key; sandbox people are not found. */
export function personByIndexKey(reader: Reader, scope: AgentScope, { kind, value }: IndexKey): Person | undefined {
  for (const { key } of reader.range(indexTable, { prefix: [...scope, kind, value] })) {
    const person = personAt(reader, scope, key[5])
    if (person && !person.sandbox) return person
  }
  return undefined
}

/** The person who has the number as phone, or else as the address of an identity. */
export function personOfNumber(reader: Reader, scope: AgentScope, value: string): Person | undefined {
  if (isNewNumber(reader, scope, value)) return undefined
  return (
    personByIndexKey(reader, scope, { kind: 'phone', value }) ??
    personByIndexKey(reader, scope, { kind: 'address', value })
  )
}

/** All people who hold an identity at the number, the oldest record first. */
export function holdersAt(reader: Reader, scope: AgentScope, value: string): Person[] {
  if (isNewNumber(reader, scope, value)) return []
  const rows = [...reader.range(indexTable, { prefix: [...scope, 'address', value] })]
  return rows.flatMap(({ key }) => {
    const person = personAt(reader, scope, key[5])
    return person?.identities.some((identity) => numberOf(identity) === value) ? [person] : []
  })
}

/** Does one read show that no person has the number? Always false for agents without a number table. */
function isNewNumber(reader: Reader, scope: AgentScope, value: string): boolean {
  return reader.get(numberedTable, [...scope]) === true && !reader.get(numberTable, [...scope, value])
}

/** Writes the person with all index rows. */
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

/** Removes an index key; removes the number with the last person who has it. */
function removeIndexKey(tx: Tx, scope: AgentScope, { kind, value }: IndexKey, id: string): void {
  tx.remove(indexTable, [...scope, kind, value, id])
  const isUsed = (by: IndexKeyKind) => [...tx.range(indexTable, { prefix: [...scope, by, value], limit: 1 })].length > 0
  if (numberKinds.has(kind) && ![...numberKinds].some(isUsed)) tx.remove(numberTable, [...scope, value])
}

const numberKinds: ReadonlySet<IndexKeyKind> = new Set<IndexKeyKind>(['phone', 'address'])

function includesKey({ kind, value }: IndexKey, indexKeys: readonly IndexKey[]): boolean {
  return indexKeys.some((indexKey) => indexKey.kind === kind && indexKey.value === value)
}

/** Removes the person with all index rows; the journal stays. */
export function deletePerson(tx: Tx, scope: AgentScope, person: Person): void {
  for (const { asid } of person.identities) tx.remove(asidTable, [...scope, asid])
  for (const indexKey of indexKeysOf(person)) removeIndexKey(tx, scope, indexKey, person.id)
  tx.remove(personTable, [...scope, person.id])
}
