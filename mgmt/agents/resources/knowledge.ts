/** What an agent knows: things, the collections they are shown in, and facts. */
import Type from 'typebox'
import {
  factAdded,
  factPatched,
  factRemoved,
  find,
  replaceCollectionsInSteps,
  replaceFactsInSteps,
  replaceThingsInSteps,
  thingsRead,
  thingView,
} from '../../../core/agent/index.js'
import {
  Collection,
  CollectionsBody,
  Fact,
  FactBody,
  FactPatch,
  FactsBody,
  Thing,
  type ThingBody,
  ThingsBody,
} from '../../../core/agent/resources/knowledge.js'
import { closed, optional } from '../../../core/agent/resources/words.js'
import { isRefusal, type Refusal, refuse } from '../../../core/errors.js'
import { agentLimits, agentDocument as limits } from '../../../core/limits.js'
import { phoneOf } from '../phone.js'
import {
  type Asked,
  becomes,
  becomesInSteps,
  type LookUp,
  type Places,
  type Resource,
  type Seen,
  type Wrote,
} from '../resource.js'
import { agentParams, pagesOf, reading, writing } from '../schema.js'
import { addressesRow } from './inner.js'

const tag = 'Knowledge'
const notFound = refuse('resource.not_found')
const conflicts = ['request.invalid', 'agent.integrity_conflict'] as const

const things = {
  tag,
  path: '/knowledge/things',
  of: ['things'],
  reply: { 200: pagesOf(Thing, 'AgentThingList') },
} as const
const collections = {
  tag,
  path: '/knowledge/collections',
  of: ['collections'],
  reply: { 200: pagesOf(Collection, 'AgentCollectionList') },
} as const
const facts = {
  tag,
  path: '/knowledge/facts',
  of: ['facts'],
  reply: { 200: pagesOf(Fact, 'AgentFactList') },
} as const
/** Facts may bring their ids along, and those may hold more than ids that the house makes. */
const factId = Type.String({ minLength: 1, maxLength: agentLimits.facts.idChars })
const fact = { tag, path: '/knowledge/facts/{factId}', of: ['facts'], params: agentParams({ factId }) } as const

const showThings = ({ document }: Seen) => ({ data: document.things.map(thingView) })
const showCollections = ({ document }: Seen) => ({ data: document.collections })
const showFacts = ({ document }: Seen) => ({ data: document.facts })
const showFact = ({ document }: Seen, { params, wrote }: Asked & { readonly wrote?: Wrote }) =>
  find(document, 'facts', wrote?.id ?? params.factId!) ?? notFound

/** Only addresses that the document does not hold already are looked up, and it alone can tell. */
async function placesOfThings(
  { params, query, body, isShaped }: Asked,
  { view, geocode }: LookUp,
): Promise<Places | Refusal> {
  const { things } = body as { things: ThingBody[] }
  const located = things.filter(({ location }) => location?.address && location.latitude === undefined)
  if (!geocode || located.length === 0) return []
  const sent = { things: located.map(({ id, name, location }) => ({ id, name, location })) }
  const addresses = (await view(addressesRow, { params, query, body: sent, isShaped })) as readonly string[] | Refusal
  return isRefusal(addresses) ? addresses : geocode(addresses)
}

export const knowledgeResources: readonly Resource[] = [
  {
    ...things,
    method: 'GET',
    access: reading,
    isPaged: true,
    summary: 'List the things an agent can show',
    view: showThings,
  },
  {
    ...things,
    method: 'PUT',
    access: writing,
    summary: 'Replace the things; one that is sent without a location keeps the one it has',
    body: ThingsBody,
    read: thingsRead,
    bodyLimitBytes: limits.wholeBytes,
    long: 'things',
    errors: conflicts,
    lookUp: placesOfThings,
    write: becomesInSteps((document, { body, found, isShaped }) => {
      const readers = { phone: phoneOf, geocoded: new Map((found as Places | undefined) ?? []) }
      return replaceThingsInSteps(document, body, readers, isShaped)
    }),
    view: showThings,
  },
  {
    ...collections,
    method: 'GET',
    access: reading,
    isPaged: true,
    summary: 'List the collections of things',
    view: showCollections,
  },
  {
    ...collections,
    method: 'PUT',
    access: writing,
    summary: 'Replace the collections; one that things belong to goes only by force',
    query: closed('CollectionsPutQuery', {
      force: optional(Type.Boolean({ description: 'Takes things out of the collections that are dropped.' })),
    }),
    body: CollectionsBody,
    bodyLimitBytes: limits.wholeBytes,
    long: 'list',
    errors: conflicts,
    write: becomesInSteps((document, { body, query }) =>
      replaceCollectionsInSteps(document, body, query.force === true),
    ),
    view: showCollections,
  },
  { ...facts, method: 'GET', access: reading, isPaged: true, summary: 'List the facts of an agent', view: showFacts },
  {
    ...facts,
    method: 'PUT',
    access: writing,
    summary: 'Replace the facts',
    body: FactsBody,
    bodyLimitBytes: limits.wholeBytes,
    long: 'list',
    errors: conflicts,
    write: becomesInSteps((document, { body, at, isShaped }) => replaceFactsInSteps(document, body, at, isShaped)),
    view: showFacts,
  },
  {
    ...facts,
    method: 'POST',
    access: writing,
    summary: 'Add a fact',
    body: FactBody,
    reply: { 201: Fact },
    errors: ['request.invalid'],
    write: ({ document }, { body, at }) => factAdded(document, body, at),
    view: showFact,
  },
  { ...fact, method: 'GET', access: reading, summary: 'Read a fact', reply: { 200: Fact }, view: showFact },
  {
    ...fact,
    method: 'PATCH',
    access: writing,
    summary: 'Change what is given of a fact; a scope of null takes it away',
    body: FactPatch,
    reply: { 200: Fact },
    errors: ['request.invalid'],
    write: becomes((document, { params, body, at }) => factPatched(document, params.factId!, body, at)),
    view: showFact,
  },
  {
    ...fact,
    method: 'DELETE',
    access: writing,
    summary: 'Delete a fact',
    reply: { 204: null },
    errors: ['agent.integrity_conflict'],
    write: becomes((document, { params }) => factRemoved(document, params.factId!)),
  },
]
