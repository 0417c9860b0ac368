/** Rows of a file laid over the people there are: each finds whom it is about, or makes somebody. */
import type { AgentScope } from '../../core/agent/scope.js'
import type { AgentPlace } from '../../core/agentkey.js'
import { isRefusal, refuse } from '../../core/errors.js'
import { withBatch } from '../../core/people/batches.js'
import { changed, newPerson } from '../../core/people/change.js'
import type { ImportRow } from '../../core/people/columns.js'
import { type Mark, type MarkKind, marksOf } from '../../core/people/marks.js'
import { isUnnamed } from '../../core/people/numbers.js'
import type { Person, PersonIdentity } from '../../core/people/person.js'
import type { Command } from '../../runtime/shard/contract.js'
import type { Reader } from '../../runtime/store/contract.js'
import { noteOnce } from './journal.js'
import type { People } from './people.js'
import { personAt, personOfAsid, personOfMark, scopeFor } from './store.js'

export interface ImportRows extends AgentPlace {
  readonly importBatchId: string
  readonly rows: readonly ImportedRow[]
}

export interface ImportedRow {
  readonly line: number
  readonly row: ImportRow
  /** Where its number can be written to. */
  readonly identity?: PersonIdentity
  /** Without a number: where somebody new is known, as the conversations there have it. */
  readonly reached?: readonly PersonIdentity[]
}

export interface Rejected {
  readonly line: number
  readonly message: string
}

export interface Imported {
  readonly created: number
  readonly updated: number
  /** Rows that name another consent than the denial on record, which stays. */
  readonly consentKept: number
  readonly rejected: readonly Rejected[]
}

const importedSource = 'import'
const denialKept = 'An import named another consent; the denial on record stays.'

/** Deciding the same rows again finds everybody they made: a file that is sent twice makes nobody twice. */
export function importCommand(people: People): Command<ImportRows, Imported> {
  return {
    name: 'people.import',
    decide(tx, { importBatchId, rows, ...place }, told) {
      const scope = scopeFor(tx, place)
      if (!scope) return refuse('resource.not_found')
      const index = indexFor(tx, scope, rows)
      const counts = { created: 0, updated: 0, consentKept: 0 }
      const rejected: Rejected[] = []

      function lay({
        row: { change: said, ...about },
        identity,
        reached = [],
      }: ImportedRow): 'created' | 'updated' | { readonly why: string } {
        const whom = holderOf(index, about)
        if (typeof whom === 'string') return { why: whom }
        const isDenied = whom?.consent.status === 'denied' && said.consent !== undefined
        const lifts = isDenied && said.consent.status !== 'denied'
        const { consent: _claimed, ...others } = said
        const change = lifts ? others : said
        const start = whom ?? made(change.source, reached)
        const person = changed(start, change, told.at)
        if (isRefusal(person)) return { why: person.detail ?? 'cannot be taken over' }
        const after = withBatch(person, importBatchId)
        index.note(people.keepReachable(tx, place, whom, after, { identity }, told))
        if (lifts) {
          counts.consentKept++
          noteOnce(tx, scope!, start.id, { at: told.at, author: 'operator', text: denialKept })
        }
        return whom ? 'updated' : 'created'
      }

      /** Somebody new, with those identities that nobody holds. */
      function made(source: string | undefined, identities: readonly PersonIdentity[]): Person {
        const free = new Map(identities.map((each) => [each.asid, each]))
        for (const asid of free.keys()) if (personOfAsid(tx, scope!, asid)) free.delete(asid)
        return { ...newPerson(people.newId(told), source ?? importedSource, told.at), identities: [...free.values()] }
      }

      for (const row of rows) {
        const outcome = lay(row)
        if (typeof outcome === 'string') counts[outcome]++
        else rejected.push({ line: row.line, message: outcome.why })
      }
      return { ...counts, rejected }
    },
  }
}

/** Who is known by what, the rows laid so far included. */
interface Index {
  byId(id: string): Person | undefined
  byMark(mark: Mark): Person | undefined
  note(person: Person): void
}

/** Looked up before anything is written, since ranges over what a command has just written are slow. */
function indexFor(reader: Reader, scope: AgentScope, rows: ImportRows['rows']): Index {
  const nameOf = ({ kind, value }: Mark) => `${kind} ${value}`
  const bearers = new Map<string, string>()
  for (const { row } of rows) {
    for (const mark of row.marks) {
      const bearer = bearers.has(nameOf(mark)) ? undefined : personOfMark(reader, scope, mark)
      if (bearer) bearers.set(nameOf(mark), bearer.id)
    }
  }
  function byId(id: string): Person | undefined {
    const person = personAt(reader, scope, id)
    return person?.sandbox ? undefined : person
  }
  return {
    byId,
    byMark(mark) {
      const id = bearers.get(nameOf(mark))
      if (id === undefined) return undefined
      const person = byId(id)
      if (person && marksOf(person).some((each) => nameOf(each) === nameOf(mark))) return person
      // A row before this one has given them another, or made them one with another: whoever else bears it is the one.
      return personOfMark(reader, scope, mark)
    },
    note(person) {
      for (const mark of marksOf(person)) {
        if (!bearers.has(nameOf(mark))) bearers.set(nameOf(mark), person.id)
      }
    },
  }
}

/** Nobody, or a sentence when it cannot be told who is meant. */
function holderOf(index: Index, { id, marks }: Omit<ImportRow, 'change'>): Person | string | undefined {
  const named = id === undefined ? undefined : index.byId(id)
  if (named) return named
  if (marks.length === 0) return 'id: there is nobody of that id'
  function of(kind: MarkKind): Person | undefined {
    for (const mark of marks) {
      const bearer = mark.kind === kind ? index.byMark(mark) : undefined
      if (bearer) return bearer
    }
    return undefined
  }
  const byPhone = of('phone') ?? of('address')
  const byEmail = of('email')
  if (!byPhone || !byEmail || byPhone.id === byEmail.id) return byPhone ?? byEmail
  return isUnnamed(byPhone) ? byEmail : 'phone and email are those of two different people'
}
