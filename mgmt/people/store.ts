/**
 * How an agent's people are kept: each under the agent's serial, so that an agent made anew under an old id has none, and
 * the rows that lead to a person from an identity, a mark or a name that was merged away.
 */
import type { AgentPlace } from '../../core/agentkey.js'
import type { Appointment } from '../../core/people/appointment.js'
import { isLedToAlike, type Mark, type MarkKind, marksOf } from '../../core/people/marks.js'
import type { Person } from '../../core/people/person.js'
import type { JournalEntry } from '../../core/people/view.js'
import type { Tx } from '../../runtime/shard/contract.js'
import { type Key, type Reader, readOften, type Table, table } from '../../runtime/store/contract.js'

/** The people of one agent, for as long as it is that agent. */
export type Realm = readonly [orgId: string, agentId: string, serial: number]

export type AgentOf = (reader: Reader, place: AgentPlace) => { readonly serial: number } | undefined

/** Of somebody who is being written to, the record is read for each step of that. */
export const personTable = readOften(table<[...Realm, personId: string], Person>('people'))
export const asidTable = table<[...Realm, asid: string], string>('people.asids')
export const markTable = table<[...Realm, kind: MarkKind, value: string, personId: string], true>('people.marks')
/** From somebody who was merged into another to that one. */
export const aliasTable = table<[...Realm, personId: string], string>('people.aliases')
/** Numbered in the order of writing. */
export const journalTable = table<[...Realm, personId: string, number: number], JournalEntry>('people.journal')
export const appointmentTable = table<[...Realm, personId: string, appointmentId: string], Appointment>(
  'people.appointments',
)

/** All that goes with the agent. */
export const peopleTables = [
  personTable,
  asidTable,
  markTable,
  aliasTable,
  journalTable,
  appointmentTable,
] as readonly Table<Key, unknown>[]

/** Whoever has looked the agent up in the same state says which of its id it is: then it is not read once more. */
export function realmOf(
  agentOf: AgentOf,
  reader: Reader,
  place: AgentPlace & { readonly serial?: number },
): Realm | undefined {
  if (place.serial !== undefined) return [place.orgId, place.agentId, place.serial]
  const agent = agentOf(reader, place)
  return agent && [place.orgId, place.agentId, agent.serial]
}

export function personAt(reader: Reader, realm: Realm, personId: string): Person | undefined {
  return reader.get(personTable, [...realm, personId])
}

/** The same, led on to whoever took over from somebody merged away. Nobody is ever led back: ids are used once. */
export function personLedTo(reader: Reader, realm: Realm, personId: string): Person | undefined {
  let id: string | undefined = personId
  while (id !== undefined) {
    const person = personAt(reader, realm, id)
    if (person) return person
    id = reader.get(aliasTable, [...realm, id])
  }
  return undefined
}

export function personOfAsid(reader: Reader, realm: Realm, asid: string): Person | undefined {
  const id = reader.get(asidTable, [...realm, asid])
  return id === undefined ? undefined : personAt(reader, realm, id)
}

/** Whoever bears the mark and has been here longest; people who are only rehearsed are not found. */
export function personOfMark(reader: Reader, realm: Realm, { kind, value }: Mark): Person | undefined {
  for (const { key } of reader.range(markTable, { prefix: [...realm, kind, value] })) {
    const person = personAt(reader, realm, key[5])
    if (person && !person.sandbox) return person
  }
  return undefined
}

/** Writes the person with all that leads to them. */
export function write(tx: Tx, realm: Realm, before: Person | undefined, after: Person): void {
  if (!before || !isLedToAlike(before, after)) lead(tx, realm, before, after)
  tx.put(personTable, [...realm, after.id], after)
}

function lead(tx: Tx, realm: Realm, before: Person | undefined, after: Person): void {
  const { id } = after
  const asids = after.identities.map(({ asid }) => asid)
  for (const { asid } of before?.identities ?? []) if (!asids.includes(asid)) tx.remove(asidTable, [...realm, asid])
  for (const asid of asids) {
    const holder = tx.get(asidTable, [...realm, asid])
    if (holder === id) continue
    if (holder !== undefined) throw new Error(`the identity ${asid} is held by another person`)
    tx.put(asidTable, [...realm, asid], id)
  }
  const [held, wanted] = [before ? marksOf(before) : [], marksOf(after)]
  for (const mark of held) if (!isAmong(mark, wanted)) tx.remove(markTable, [...realm, mark.kind, mark.value, id])
  for (const mark of wanted) if (!isAmong(mark, held)) tx.put(markTable, [...realm, mark.kind, mark.value, id], true)
}

function isAmong({ kind, value }: Mark, marks: readonly Mark[]): boolean {
  return marks.some((mark) => mark.kind === kind && mark.value === value)
}

/** Takes the person away with all that leads to them; what is told of them stays. */
export function erase(tx: Tx, realm: Realm, person: Person): void {
  for (const { asid } of person.identities) tx.remove(asidTable, [...realm, asid])
  for (const { kind, value } of marksOf(person)) tx.remove(markTable, [...realm, kind, value, person.id])
  tx.remove(personTable, [...realm, person.id])
}
