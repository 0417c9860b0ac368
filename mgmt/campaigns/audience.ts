/** Reads the audience of a campaign, a bounded page at a time. */
import { scopeOf } from '../../core/agent/scope.js'
import { campaign as limits } from '../../core/limits/index.js'
import { compileFilter, importedBy } from '../../core/people/filter.js'
import type { Person } from '../../core/people/person.js'
import type { Reader } from '../../runtime/store/contract.js'
import type { CampaignDeps } from './deps.js'
import { type AudienceCursor, type CampaignRef, listTable } from './store.js'

/** One entry of the audience: its id, and the person found for it. */
export interface AudienceMember {
  readonly id: string
  readonly person: Person | undefined
  readonly personaId?: string
  /** The audience may contain the same person under another id. */
  readonly mayRepeat?: true
}

export interface AudiencePage {
  readonly members: readonly AudienceMember[]
  /** Where the next page begins; absent at the end. */
  readonly cursor?: AudienceCursor
}

type PageReader<K extends AudienceCursor['kind']> = (
  deps: Pick<CampaignDeps, 'people' | 'personas'>,
  reader: Reader,
  ref: CampaignRef,
  cursor: Extract<AudienceCursor, { kind: K }>,
) => AudiencePage

/** Persons of personas are excluded from audiences of people. */
const pageReaders: { readonly [K in AudienceCursor['kind']]: PageReader<K> } = {
  filter: (deps, reader, ref, cursor) => scanPeople(deps, reader, ref, cursor, compileFilter(cursor.filter)),
  importBatch: (deps, reader, ref, cursor) => scanPeople(deps, reader, ref, cursor, importedBy(cursor.importBatchId)),
  people({ people }, reader, { campaignId, ...scope }, cursor) {
    const key = [...scopeOf(scope), campaignId, cursor.list] as const
    const ids = reader.get(listTable, [...key, cursor.index]) ?? []
    const members = ids.map((id) => {
      const person = people.byId(reader, scope, id)
      return { id, person: person?.sandbox ? undefined : person, mayRepeat: true as const }
    })
    const next = cursor.index + 1
    const isMore = reader.get(listTable, [...key, next]) !== undefined
    return isMore ? { members, cursor: { ...cursor, index: next } } : { members }
  },
  personas({ personas }, reader, ref, { personaIds }) {
    return {
      members: personaIds.map((id) => ({ id, person: personas.personOf(reader, ref, id), personaId: id })),
    }
  },
}

function scanPeople<W extends Extract<AudienceCursor, { after?: string }>>(
  { people }: Pick<CampaignDeps, 'people'>,
  reader: Reader,
  ref: CampaignRef,
  cursor: W,
  filter: ReturnType<typeof compileFilter>,
): AudiencePage {
  const scan = people.scan(reader, ref, filter, cursor.after, limits.peoplePerStep)
  const members = scan.people.map((person) => ({ id: person.id, person }))
  return scan.next === undefined ? { members } : { members, cursor: { ...cursor, after: scan.next } }
}

export function readAudience(
  deps: Pick<CampaignDeps, 'people' | 'personas'>,
  reader: Reader,
  ref: CampaignRef,
  cursor: AudienceCursor,
): AudiencePage {
  return (pageReaders[cursor.kind] as PageReader<AudienceCursor['kind']>)(deps, reader, ref, cursor as never)
}
