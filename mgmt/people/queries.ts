/** Queries of an agent's people. A list is read in bounded parts, so that no query occupies a shard for long. */
import type { AgentScope } from '../../core/agent/scope.js'
import type { AgentRef } from '../../core/agentref.js'
import { refuse } from '../../core/errors.js'
import { person as limits } from '../../core/limits/index.js'
import type { Appointment } from '../../core/people/appointment.js'
import { type CompiledFilter, compileFilter, type PersonFilter } from '../../core/people/filter.js'
import { lowestIdAt } from '../../core/people/ids.js'
import type { Person } from '../../core/people/person.js'
import { charsOf, type JournalEntry } from '../../core/people/view.js'
import type { Query } from '../../runtime/shard/contract.js'
import type { Reader } from '../../runtime/store/contract.js'
import { appointmentsOf, journalOf } from './journal.js'
import { indexTable, personAt, personTable, resolvePerson, scopeFor } from './store.js'

export interface PersonRef extends AgentRef {
  readonly personId: string
}

export interface PersonRead {
  readonly person: Person
  /** The newest entries, newest first. */
  readonly journal: readonly JournalEntry[]
}

export interface PeopleScanInput extends AgentRef {
  readonly filter: PersonFilter
  /** The search includes addresses, because the caller may see them. */
  readonly seesAddresses?: boolean
  /** Where the previous page ended. */
  readonly after?: string
  readonly limit: number
}

export interface PeopleScan {
  /** Newest first. */
  readonly people: readonly Person[]
  readonly chars: number
  /** The cursor of the next page; absent at the end. */
  readonly next?: string
}

const notFound = refuse('resource.not_found')

const read: Query<PersonRef, PersonRead> = {
  name: 'people.read',
  read(reader, input) {
    const scope = scopeFor(reader, input)
    const person = scope && resolvePerson(reader, scope, input.personId)
    if (!person || person.sandbox) return notFound
    return { person, journal: journalOf(reader, scope, person.id, limits.shownJournalEntries) }
  },
}

const scan: Query<PeopleScanInput, PeopleScan> = {
  name: 'people.scan',
  read(reader, { filter, seesAddresses = false, after, limit, ...input }) {
    const scope = scopeFor(reader, input)
    if (!scope) return notFound
    return scanPeople(reader, scope, compileFilter(filter, { seesAddresses }), after, limit)
  },
}

const appointments: Query<PersonRef, readonly Appointment[]> = {
  name: 'people.appointments',
  read(reader, input) {
    const scope = scopeFor(reader, input)
    const person = scope && resolvePerson(reader, scope, input.personId)
    return person && !person.sandbox ? appointmentsOf(reader, scope, person.id) : notFound
  },
}

export const peopleQueries = { read, scan, appointments }

/** One page, bounded by rows, by people and by text, for every caller. */
export function scanPeople(
  reader: Reader,
  scope: AgentScope,
  filter: CompiledFilter,
  after: string | undefined,
  limit: number,
): PeopleScan {
  const people: Person[] = []
  const end = filter.after === undefined ? '' : lowestIdAt(filter.after)
  let rows = 0
  let chars = 0
  let last: string | undefined
  for (const { id, person } of candidates(reader, scope, filter, after)) {
    if (id < end) break
    if (rows === limits.rowsPerScan || people.length === limit || chars >= limits.charsPerScan) {
      return { people, chars, next: last! }
    }
    rows++
    last = id
    if (!person || person.sandbox || !filter.matches(person)) continue
    people.push(person)
    chars += charsOf(person)
  }
  return { people, chars }
}

/** Candidates, newest first: the people under an index key that every match must have, or else all people. */
function* candidates(
  reader: Reader,
  scope: AgentScope,
  { indexKeys, before }: CompiledFilter,
  after: string | undefined,
): Generator<{ id: string; person: Person | undefined }> {
  const latest = before === undefined ? undefined : lowestIdAt(before)
  const from = after !== undefined && (latest === undefined || after < latest) ? after : latest
  const direction = { reverse: true, limit: limits.rowsPerScan + 1 }
  if (indexKeys) {
    const holders = indexKeys.map(({ kind, value }) => {
      const prefix = [...scope, kind, value] as const
      const start = from === undefined ? {} : { after: [...prefix, from] }
      return reader.range(indexTable, { prefix, ...start, ...direction })
    })
    const [only] = holders
    const ids =
      holders.length === 1
        ? idsOf(only!)
        : new Set(
            holders
              .flatMap((each) => [...idsOf(each)])
              .sort()
              .reverse(),
          )
    for (const id of ids) yield { id, person: personAt(reader, scope, id) }
    return
  }
  const start = from === undefined ? {} : { after: [...scope, from] }
  for (const { key, value } of reader.range(personTable, { prefix: scope, ...start, ...direction })) {
    yield { id: key[3], person: value }
  }
}

function* idsOf(
  rows: Iterable<{ readonly key: readonly [...AgentScope, kind: string, value: string, personId: string] }>,
) {
  for (const { key } of rows) yield key[5]
}
