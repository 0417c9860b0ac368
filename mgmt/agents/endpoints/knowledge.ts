/** Endpoints of an agent's knowledge: things, their collections, and facts. */
import Type from 'typebox'
import {
  addFact,
  findItem,
  normalizeThings,
  patchFact,
  removeFact,
  replaceCollectionsInSteps,
  replaceFactsInSteps,
  replaceThingsInSteps,
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
import { closedObject, optional } from '../../../core/agent/resources/schemas.js'
import { isRefusal, type Refusal, refuse } from '../../../core/errors.js'
import { agentLimits, agentDocument as limits } from '../../../core/limits/index.js'
import {
  type Endpoint,
  type EndpointLookups,
  type EndpointRequest,
  type GeocodedAddresses,
  type ReadContext,
  updates,
  updatesInSteps,
  type WriteResult,
} from '../endpoint.js'
import { parsePhone } from '../phone.js'
import { agentParams, pagesOf, readAccess, writeAccess } from '../schema.js'
import { addressesEndpoint } from './internal.js'

const tag = 'Knowledge'
const notFound = refuse('resource.not_found')
const conflictErrors = ['request.invalid', 'agent.integrity_conflict'] as const

const things = {
  tag,
  path: '/knowledge/things',
  sections: ['things'],
  reply: { 200: pagesOf(Thing, 'AgentThingList') },
} as const
const collections = {
  tag,
  path: '/knowledge/collections',
  sections: ['collections'],
  reply: { 200: pagesOf(Collection, 'AgentCollectionList') },
} as const
const facts = {
  tag,
  path: '/knowledge/facts',
  sections: ['facts'],
  reply: { 200: pagesOf(Fact, 'AgentFactList') },
} as const
/** Callers may choose the ids of facts, with more characters than generated ids have. */
const factId = Type.String({ minLength: 1, maxLength: agentLimits.facts.idChars })
const fact = { tag, path: '/knowledge/facts/{factId}', sections: ['facts'], params: agentParams({ factId }) } as const

const showThings = ({ document }: ReadContext) => ({ data: document.things.map(thingView) })
const showCollections = ({ document }: ReadContext) => ({ data: document.collections })
const showFacts = ({ document }: ReadContext) => ({ data: document.facts })
const showFact = ({ document }: ReadContext, { params, result }: EndpointRequest & { readonly result?: WriteResult }) =>
  findItem(document, 'facts', result?.id ?? params.factId!) ?? notFound

/** Geocodes only addresses that the document does not contain yet. */
async function geocodeThings(
  { params, query, body, isShaped }: EndpointRequest,
  { view, geocode }: EndpointLookups,
): Promise<GeocodedAddresses | Refusal> {
  const { things } = body as { things: ThingBody[] }
  const located = things.filter(({ location }) => location?.address && location.latitude === undefined)
  if (!geocode || located.length === 0) return []
  const sent = { things: located.map(({ id, name, location }) => ({ id, name, location })) }
  const addresses = (await view(addressesEndpoint, { params, query, body: sent, isShaped })) as
    | readonly string[]
    | Refusal
  return isRefusal(addresses) ? addresses : geocode(addresses)
}

export const knowledgeEndpoints: readonly Endpoint[] = [
  {
    ...things,
    method: 'GET',
    access: readAccess,
    isPaged: true,
    summary: 'List the things an agent can show',
    view: showThings,
  },
  {
    ...things,
    method: 'PUT',
    access: writeAccess,
    summary: 'Replace the things; one that is sent without a location keeps the one it has',
    body: ThingsBody,
    read: normalizeThings,
    bodyLimitBytes: limits.wholeBytes,
    longBody: 'things',
    errors: conflictErrors,
    lookUp: geocodeThings,
    write: updatesInSteps((document, { body, lookup, isShaped }) => {
      const readers = { phone: parsePhone, geocoded: new Map((lookup as GeocodedAddresses | undefined) ?? []) }
      return replaceThingsInSteps(document, body, readers, isShaped)
    }),
    view: showThings,
  },
  {
    ...collections,
    method: 'GET',
    access: readAccess,
    isPaged: true,
    summary: 'List the collections of things',
    view: showCollections,
  },
  {
    ...collections,
    method: 'PUT',
    access: writeAccess,
    summary: 'Replace the collections; one that things belong to goes only by force',
    query: closedObject('CollectionsPutQuery', {
      force: optional(Type.Boolean({ description: 'Takes things out of the collections that are dropped.' })),
    }),
    body: CollectionsBody,
    bodyLimitBytes: limits.wholeBytes,
    longBody: 'list',
    errors: conflictErrors,
    write: updatesInSteps((document, { body, query }) =>
      replaceCollectionsInSteps(document, body, query.force === true),
    ),
    view: showCollections,
  },
  {
    ...facts,
    method: 'GET',
    access: readAccess,
    isPaged: true,
    summary: 'List the facts of an agent',
    view: showFacts,
  },
  {
    ...facts,
    method: 'PUT',
    access: writeAccess,
    summary: 'Replace the facts',
    body: FactsBody,
    bodyLimitBytes: limits.wholeBytes,
    longBody: 'list',
    errors: conflictErrors,
    write: updatesInSteps((document, { body, at, isShaped }) => replaceFactsInSteps(document, body, at, isShaped)),
    view: showFacts,
  },
  {
    ...facts,
    method: 'POST',
    access: writeAccess,
    summary: 'Add a fact',
    body: FactBody,
    reply: { 201: Fact },
    errors: ['request.invalid'],
    write: ({ document }, { body, at }) => addFact(document, body, at),
    view: showFact,
  },
  { ...fact, method: 'GET', access: readAccess, summary: 'Read a fact', reply: { 200: Fact }, view: showFact },
  {
    ...fact,
    method: 'PATCH',
    access: writeAccess,
    summary: 'Change what is given of a fact; a scope of null takes it away',
    body: FactPatch,
    reply: { 200: Fact },
    errors: ['request.invalid'],
    write: updates((document, { params, body, at }) => patchFact(document, params.factId!, body, at)),
    view: showFact,
  },
  {
    ...fact,
    method: 'DELETE',
    access: writeAccess,
    summary: 'Delete a fact',
    reply: { 204: null },
    errors: ['agent.integrity_conflict'],
    write: updates((document, { params }) => removeFact(document, params.factId!)),
  },
]
