/** Command that applies rows of a file to an agent's people: each row finds its person or creates one. */
import type { AgentScope } from '../../core/agent/scope.js'
import type { AgentRef } from '../../core/agentref.js'
import { isRefusal, refuse } from '../../core/errors.js'
import { addBatch } from '../../core/people/batches.js'
import { applyChange, newPerson } from '../../core/people/change.js'
import type { ImportRow } from '../../core/people/columns.js'
import { type IndexKey, type IndexKeyKind, indexKeysOf } from '../../core/people/indexes.js'
import { isUnnamed } from '../../core/people/numbers.js'
import type { Person, PersonIdentity } from '../../core/people/person.js'
import type { Command } from '../../runtime/shard/contract.js'
import type { Reader } from '../../runtime/store/contract.js'
import { noteOnce } from './journal.js'
import type { People } from './people.js'
import { personAt, personByIndexKey, personOfAsid, scopeFor } from './store.js'

export interface ImportRows extends AgentRef {
  readonly importBatchId: string
  readonly rows: readonly ImportedRow[]
}

export interface ImportedRow {
  readonly line: number
  readonly row: ImportRow
  /** The identity at the row's number. */
  readonly identity?: PersonIdentity
  /**
   * Identities of a row without a number, for a person that the row creates, with the consent state of their
   * conversations.
   */
  readonly identities?: readonly PersonIdentity[]
}

export interface RejectedRow {
  readonly line: number
  readonly message: string
}

export interface ImportResult {
  readonly created: number
  readonly updated: number
  /** Rows whose consent was ignored, since the denial on record stays. */
  readonly consentKept: number
  readonly rejected: readonly RejectedRow[]
}

const importedSource = 'import'
const denialNote = 'An import named another consent; the denial on record stays.'

/** Idempotent by its index: a file that is imported twice creates no person twice. */
export function createImportCommand(people: People): Command<ImportRows, ImportResult> {
  return {
    name: 'people.import',
    decide(tx, { importBatchId, rows, ...agent }, meta) {
      const scope = scopeFor(tx, agent)
      if (!scope) return refuse('resource.not_found')
      const index = indexFor(tx, scope, rows)
      const counts = { created: 0, updated: 0, consentKept: 0 }
      const rejected: RejectedRow[] = []

      function applyRow({
        row: { change: fields, ...rowKeys },
        identity,
        identities = [],
      }: ImportedRow): 'created' | 'updated' | { readonly why: string } {
        const existing = holderOf(index, rowKeys)
        if (typeof existing === 'string') return { why: existing }
        const isDenied = existing?.consent.status === 'denied' && fields.consent !== undefined
        const liftsDenial = isDenied && fields.consent.status !== 'denied'
        const { consent: _claimed, ...others } = fields
        const change = liftsDenial ? others : fields
        const base = existing ?? createPerson(change.source, identities)
        const person = applyChange(base, change, meta.at)
        if (isRefusal(person)) return { why: person.detail ?? 'cannot be taken over' }
        const after = addBatch(person, importBatchId)
        index.note(people.saveReachable(tx, agent, existing, after, { identity }, meta))
        if (liftsDenial) {
          counts.consentKept++
          noteOnce(tx, scope!, base.id, { at: meta.at, author: 'operator', text: denialNote })
        }
        return existing ? 'updated' : 'created'
      }

      /** A new person with those identities that no person holds. */
      function createPerson(source: string | undefined, identities: readonly PersonIdentity[]): Person {
        const free = new Map(identities.map((each) => [each.asid, each]))
        for (const asid of free.keys()) if (personOfAsid(tx, scope!, asid)) free.delete(asid)
        return { ...newPerson(people.newId(meta), source ?? importedSource, meta.at), identities: [...free.values()] }
      }

      for (const row of rows) {
        const outcome = applyRow(row)
        if (typeof outcome === 'string') counts[outcome]++
        else rejected.push({ line: row.line, message: outcome.why })
      }
      return { ...counts, rejected }
    },
  }
}

/** People by id and by index key, with the rows applied so far. */
interface Index {
  byId(id: string): Person | undefined
  byIndexKey(indexKey: IndexKey): Person | undefined
  note(person: Person): void
}

/** Reads all index keys before any write, since ranges over rows that the same command has written are slow. */
function indexFor(reader: Reader, scope: AgentScope, rows: ImportRows['rows']): Index {
  const keyText = ({ kind, value }: IndexKey) => `${kind} ${value}`
  const holders = new Map<string, string>()
  for (const { row } of rows) {
    for (const indexKey of row.indexKeys) {
      const holder = holders.has(keyText(indexKey)) ? undefined : personByIndexKey(reader, scope, indexKey)
      if (holder) holders.set(keyText(indexKey), holder.id)
    }
  }
  function byId(id: string): Person | undefined {
    const person = personAt(reader, scope, id)
    return person?.sandbox ? undefined : person
  }
  return {
    byId,
    byIndexKey(indexKey) {
      const id = holders.get(keyText(indexKey))
      if (id === undefined) return undefined
      const person = byId(id)
      if (person && indexKeysOf(person).some((each) => keyText(each) === keyText(indexKey))) return person
      // An earlier row changed or merged this person; another person with that index key is the match.
      return personByIndexKey(reader, scope, indexKey)
    },
    note(person) {
      for (const indexKey of indexKeysOf(person)) {
        if (!holders.has(keyText(indexKey))) holders.set(keyText(indexKey), person.id)
      }
    },
  }
}

/** The person of a row, undefined if there is none, or a sentence if the match is ambiguous. */
function holderOf(index: Index, { id, indexKeys }: Omit<ImportRow, 'change'>): Person | string | undefined {
  const personOfRowId = id === undefined ? undefined : index.byId(id)
  if (personOfRowId) return personOfRowId
  if (indexKeys.length === 0) return 'id: there is no person with that id'
  function firstHolder(kind: IndexKeyKind): Person | undefined {
    for (const indexKey of indexKeys) {
      const holder = indexKey.kind === kind ? index.byIndexKey(indexKey) : undefined
      if (holder) return holder
    }
    return undefined
  }
  const byPhone = firstHolder('phone') ?? firstHolder('address')
  const byEmail = firstHolder('email')
  if (!byPhone || !byEmail || byPhone.id === byEmail.id) return byPhone ?? byEmail
  return isUnnamed(byPhone) ? byEmail : 'phone and email are those of two different people'
}
