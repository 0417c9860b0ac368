/** Walks through the audience of a campaign, a bounded part of it at a time. */
import { scopeOf } from '../../core/agent/scope.js'
import { campaign as limits } from '../../core/limits.js'
import { compileFilter, readInBy } from '../../core/people/filter.js'
import type { Person } from '../../core/people/person.js'
import type { Reader } from '../../runtime/store/contract.js'
import type { CampaignDeps } from './deps.js'
import { listTable, type OneCampaign, type Walk } from './store.js'

/** One of the audience, as they were named and as they were found. */
export interface Member {
  readonly id: string
  readonly person: Person | undefined
  readonly personaId?: string
  /** The audience may name them again under another id. */
  readonly mayRepeat?: true
}

export interface AudienceStep {
  readonly members: readonly Member[]
  /** Where it goes on; absent at the end. */
  readonly walk?: Walk
}

type StepOf<K extends Walk['kind']> = (
  deps: Pick<CampaignDeps, 'people' | 'personas'>,
  reader: Reader,
  one: OneCampaign,
  walk: Extract<Walk, { kind: K }>,
) => AudienceStep

/** People who are only rehearsed are nobody to a list of people. */
const steps: { readonly [K in Walk['kind']]: StepOf<K> } = {
  filter: (deps, reader, one, walk) => looked(deps, reader, one, walk, compileFilter(walk.filter)),
  importBatch: (deps, reader, one, walk) => looked(deps, reader, one, walk, readInBy(walk.importBatchId)),
  people({ people }, reader, { campaignId, ...scope }, walk) {
    const key = [...scopeOf(scope), campaignId, walk.list] as const
    const ids = reader.get(listTable, [...key, walk.place]) ?? []
    const members = ids.map((id) => {
      const person = people.byId(reader, scope, id)
      return { id, person: person?.sandbox ? undefined : person, mayRepeat: true as const }
    })
    const next = walk.place + 1
    const isMore = reader.get(listTable, [...key, next]) !== undefined
    return isMore ? { members, walk: { ...walk, place: next } } : { members }
  },
  personas({ personas }, reader, one, { personaIds }) {
    return {
      members: personaIds.map((id) => ({ id, person: personas.personOf(reader, one, id), personaId: id })),
    }
  },
}

function looked<W extends Extract<Walk, { after?: string }>>(
  { people }: Pick<CampaignDeps, 'people'>,
  reader: Reader,
  one: OneCampaign,
  walk: W,
  filter: ReturnType<typeof compileFilter>,
): AudienceStep {
  const found = people.look(reader, one, filter, walk.after, limits.peoplePerStep)
  const members = found.people.map((person) => ({ id: person.id, person }))
  return found.next === undefined ? { members } : { members, walk: { ...walk, after: found.next } }
}

export function audienceStep(
  deps: Pick<CampaignDeps, 'people' | 'personas'>,
  reader: Reader,
  one: OneCampaign,
  walk: Walk,
): AudienceStep {
  return (steps[walk.kind] as StepOf<Walk['kind']>)(deps, reader, one, walk as never)
}
