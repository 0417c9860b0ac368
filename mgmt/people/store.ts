/**
 * How an agent's people are kept: each under the agent's serial, so that an agent made anew under an old id has none, and
 * the rows that lead to a person from an identity, a mark or a name that was merged away.
 */
import type { AgentPlace } from '../../core/agentkey.js'
import type { Appointment } from '../../core/people/appointment.js'
import { isLedToAlike, type Mark, type MarkKind, marksOf } from '../../core/people/marks.js'
import { numberOf } from '../../core/people/numbers.js'
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
/** Numbers that at least one person has as phone or address. Most lookups are of a new number: one read suffices. */
export const numberTable = table<[...Realm, value: string], true>('people.numbers')
/** Agents whose people all have their numbers in that table. Agents created before the table existed have no row. */
export const numberedTable = readOften(table<[...Realm], true>('people.numbered'))
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
  numberTable,
  numberedTable,
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

/** Who has the number as their phone, or else as the address of an identity. */
export function personOfNumber(reader: Reader, realm: Realm, value: string): Person | undefined {
  if (isNewNumber(reader, realm, value)) return undefined
  return (
    personOfMark(reader, realm, { kind: 'phone', value }) ?? personOfMark(reader, realm, { kind: 'address', value })
  )
}

/** Everybody who holds an identity at the number, whoever has been here longest first. */
export function holdersAt(reader: Reader, realm: Realm, value: string): Person[] {
  if (isNewNumber(reader, realm, value)) return []
  const rows = [...reader.range(markTable, { prefix: [...realm, 'address', value] })]
  return rows.flatMap(({ key }) => {
    const person = personAt(reader, realm, key[5])
    return person?.identities.some((identity) => numberOf(identity) === value) ? [person] : []
  })
}

/** Whether one read says that nobody has the number; it never does in agents that have no table of numbers. */
function isNewNumber(reader: Reader, realm: Realm, value: string): boolean {
  return reader.get(numberedTable, [...realm]) === true && !reader.get(numberTable, [...realm, value])
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
  for (const mark of held) if (!isAmong(mark, wanted)) removeMark(tx, realm, mark, id)
  for (const mark of wanted) if (!isAmong(mark, held)) putMark(tx, realm, mark, id)
}

function putMark(tx: Tx, realm: Realm, { kind, value }: Mark, id: string): void {
  tx.put(markTable, [...realm, kind, value, id], true)
  if (numberKinds.has(kind)) tx.put(numberTable, [...realm, value], true)
}

/** Removes the number with the last person who has it. */
function removeMark(tx: Tx, realm: Realm, { kind, value }: Mark, id: string): void {
  tx.remove(markTable, [...realm, kind, value, id])
  const isUsed = (by: MarkKind) => [...tx.range(markTable, { prefix: [...realm, by, value], limit: 1 })].length > 0
  if (numberKinds.has(kind) && ![...numberKinds].some(isUsed)) tx.remove(numberTable, [...realm, value])
}

const numberKinds: ReadonlySet<MarkKind> = new Set<MarkKind>(['phone', 'address'])

function isAmong({ kind, value }: Mark, marks: readonly Mark[]): boolean {
  return marks.some((mark) => mark.kind === kind && mark.value === value)
}

/** Takes the person away with all that leads to them; what is told of them stays. */
export function erase(tx: Tx, realm: Realm, person: Person): void {
  for (const { asid } of person.identities) tx.remove(asidTable, [...realm, asid])
  for (const mark of marksOf(person)) removeMark(tx, realm, mark, person.id)
  tx.remove(personTable, [...realm, person.id])
}
