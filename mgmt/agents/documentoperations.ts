/**
 * The one command and the one query behind every endpoint of an agent's document. Both run in the agent's shard, so the
 * command validates a change against the very document that it changes.
 */
import {
  type AgentDocument,
  admitInSteps,
  type DraftCampaign,
  findItem,
  idOf,
  type Section,
} from '../../core/agent/index.js'
import type { AgentRef } from '../../core/agentref.js'
import { isRefusal, type Refusal, refuse } from '../../core/errors.js'
import type { OrgEventPayload } from '../../core/orgevents.js'
import { type PageCursor, pageOf } from '../../core/paging.js'
import { isSteps, runToEnd, type Steps } from '../../core/steps.js'
import { type Conditions, checkConditions } from '../../runtime/http/etag.js'
import type { Command, CommandMeta, Query, Shards, Tx } from '../../runtime/shard/contract.js'
import type { Reader } from '../../runtime/store/contract.js'
import { activity, deleteActivity, recordActivity } from './activity.js'
import {
  createDocumentCache,
  firstVersion,
  type ItemRef,
  type LoadedDocument,
  type Part,
  shareUnchangedInSteps,
} from './documentcache.js'
import {
  type Connections,
  type Endpoint,
  type EndpointRequest,
  endpointNameOf,
  type Person,
  type ReadContext,
  type WriteResult,
} from './endpoint.js'
import { agentEndpoints } from './endpoints/index.js'
import { etagOf, itemEtagOf } from './etag.js'
import { objectOf } from './mediaobjects.js'
import { hasSecrets, removeOrphans, removeSecrets, type SealedChanges, saveSecrets, secretsOf } from './secrets.js'
import { isList } from './sections.js'
import { bytesAfter } from './size.js'

export interface ViewInput extends AgentRef {
  readonly endpointName: string
  readonly request: EndpointRequest
}

export interface WriteInput extends ViewInput, Conditions {
  readonly secrets?: SealedChanges
}

type RespondInput = EndpointRequest & { readonly result?: WriteResult }

export interface EndpointResponse {
  readonly status: number
  readonly json?: unknown
  /** The item that a page ended with, if another page follows. */
  readonly last?: PageCursor
  readonly etag: string
}

/**
 * Called with every change of a document, in its commit and before the write: a refusal prevents the change. Listeners
 * are called in the order of their registration, until one refuses.
 */
export type DocumentListener = (
  tx: Tx,
  agentRef: AgentRef,
  before: AgentDocument,
  after: AgentDocument,
  meta: CommandMeta,
) => Refusal | undefined

/** Lookups in later areas that endpoints need. Absent: the agent has no such data. */
export interface DocumentLookups {
  /** A person, for the rendering of templates. */
  readonly person?: (reader: Reader, agentRef: AgentRef, personId: string) => Person | undefined
  /** Campaigns in draft: a segment that one of them names cannot be deleted. */
  readonly draftCampaigns?: (reader: Reader, agentRef: AgentRef) => readonly DraftCampaign[]
  /** Whether the agent answers by itself, for want of a webhook. */
  readonly isManaged?: (reader: Reader, agentRef: AgentRef) => boolean
  /** The status of connections of an org; an id that the org does not know is left out. */
  readonly connections?: (
    shards: Pick<Shards, 'query'>,
    orgId: string,
    ids: readonly string[],
  ) => Promise<Connections | Refusal>
}

export interface DocumentsDeps {
  /** The command that sends an event to the org's webhooks. */
  readonly orgEvent: Command<OrgEventPayload, unknown>
  /** URL of a stored object, by its name. Absent: pictures have no address. */
  readonly mediaUrl?: (object: string) => string
}

const notFound = refuse('resource.not_found')

export function createDocuments({ orgEvent, mediaUrl }: DocumentsDeps) {
  const documents = createDocumentCache()
  const listeners: DocumentListener[] = []
  let lookups: DocumentLookups = {}
  const isoOf = isoWriter()
  const endpoints = new Map(agentEndpoints.map((endpointName) => [endpointNameOf(endpointName), endpointName]))

  function endpointOf(name: string): Endpoint {
    const endpoint = endpoints.get(name)
    if (!endpoint) throw new Error(`an agent's document has no resource ${name}`)
    return endpoint
  }

  function readContextOf(reader: Reader, agentRef: AgentRef, { agent, document, index }: LoadedDocument): ReadContext {
    return {
      agent,
      document,
      index,
      secrets: (section, item = '') => secretsOf(reader, agentRef, section, item),
      person: (personId) => lookups.person?.(reader, agentRef, personId),
      withMediaUrls: () => addMediaUrls(reader, agentRef, document),
      draftCampaigns: () => lookups.draftCampaigns?.(reader, agentRef) ?? [],
      isManaged: () => lookups.isManaged?.(reader, agentRef) ?? false,
    }
  }

  /** The cost of each step grows with the lists that change; the write of a short body is decided in one go. */
  function* writeInSteps(
    tx: Tx,
    { orgId, agentId, endpointName, request, ifMatch, ifNoneMatch, secrets }: WriteInput,
    meta: CommandMeta,
  ): Steps<EndpointResponse | Refusal> {
    const agentRef = { orgId, agentId }
    const endpoint = endpointOf(endpointName)
    const before = documents.load(tx, agentRef)
    if (!before) return notFound
    const failedCondition =
      ifMatch || ifNoneMatch ? mismatch(endpoint, tx, before, request, { ifMatch, ifNoneMatch }) : undefined
    if (failedCondition) return failedCondition
    const { params, query, body, lookup, isShaped } = request
    const at = isoOf(meta.at)
    const outcome = endpoint.write!(readContextOf(tx, agentRef, before), { params, query, body, lookup, isShaped, at })
    const result = isSteps(outcome) ? yield* outcome : outcome
    if (isRefusal(result)) return result
    // Shares unchanged values first, so that validation of a whole list costs by its differences.
    const candidate = yield* shareUnchangedInSteps(before.document, result.document)
    yield
    const document = yield* admitInSteps(before.document, candidate, before.index)
    if (isRefusal(document)) return document
    yield
    const bytes = yield* bytesAfter(before.head, before.document, document)
    if (isRefusal(bytes)) return bytes
    for (const listener of listeners) {
      const refused = listener(tx, agentRef, before.document, document, meta)
      if (refused) return refused
    }
    const isTouched = secrets !== undefined && saveSecrets(tx, agentRef, secrets)
    const touchedParts = isTouched ? [secrets.section] : []
    const { loaded, changed } = documents.save(
      tx,
      before,
      { document, agentFields: result.agentFields ?? {}, touchedParts, bytes },
      meta,
    )
    if (changed.length > 0) {
      removeOrphans(tx, agentRef, before.document, loaded.document)
      emitUpdated(tx, loaded, changed, meta)
      const item = result.id ?? lastParam(params)
      recordActivity(tx, agentRef, {
        version: loaded.head.version,
        at: meta.at,
        action: endpointName,
        changed,
        ...(item !== undefined && { item }),
        ...(meta.by && { by: meta.by }),
      })
    }
    yield
    return respond(endpoint, tx, agentRef, loaded, { params, query, body, lookup, result })
  }

  const write: Command<WriteInput, EndpointResponse> = {
    name: 'agents.write',
    decide: (tx, input, meta) => runToEnd(writeInSteps(tx, input, meta)),
    inSteps: { isFor: mayTakeLong, decide: writeInSteps },
  }

  /** A long body, or a write that may remove items which any part of the agent may refer to. */
  function mayTakeLong({ endpointName, request }: WriteInput): boolean {
    const { method, path, sections } = endpointOf(endpointName)
    const isWholeList = method === 'PUT' && !path.includes('{')
    return request.isShaped === true || method === 'DELETE' || isWholeList || sections === 'all'
  }

  function emitUpdated(tx: Tx, { agent }: LoadedDocument, changed: readonly string[], { by }: CommandMeta): void {
    const { orgId, id, name } = agent
    const data = { id, name, changed, ...(by && { by }) }
    tx.send(orgId, orgEvent, { type: 'agent.updated', orgId, agentId: id, data })
  }

  function respond(
    endpoint: Endpoint,
    reader: Reader,
    agentRef: AgentRef,
    loaded: LoadedDocument,
    request: RespondInput,
  ): EndpointResponse | Refusal {
    const json = endpoint.view?.(readContextOf(reader, agentRef, loaded), request)
    if (isRefusal(json)) return json
    const status = request.result?.status ?? Number(Object.keys(endpoint.reply)[0])
    return { status, ...(endpoint.view && { json }), etag: tagOf(endpoint, reader, loaded, request) }
  }

  function readView(reader: Reader, { orgId, agentId, endpointName, request }: ViewInput): EndpointResponse | Refusal {
    const agentRef = { orgId, agentId }
    const views = documents.views(reader, agentRef)
    if (!views) return notFound
    const name = viewName(endpointName, request)
    const cached = name === undefined ? undefined : views.get(name)
    if (cached) return cached as EndpointResponse
    const endpoint = endpointOf(endpointName)
    const item = itemOf(endpoint, request)
    const sections =
      endpoint.sections === 'all' ? undefined : [...endpoint.sections.filter(isSection), ...(endpoint.needs ?? [])]
    const loaded = item
      ? documents.loadItem(reader, agentRef, item, endpoint.needs)
      : documents.load(reader, agentRef, sections)
    const response = loaded ? respond(endpoint, reader, agentRef, loaded, request) : notFound
    if (name !== undefined && endpoint.sections !== 'all' && !isRefusal(response)) views.set(name, response)
    return response
  }

  /** Documents are immutable, so all steps view the document that was loaded first. */
  function* viewInSteps(
    reader: Reader,
    { orgId, agentId, endpointName, request }: ViewInput,
  ): Steps<EndpointResponse | Refusal> {
    const agentRef = { orgId, agentId }
    const endpoint = endpointOf(endpointName)
    const loaded = documents.load(reader, agentRef)
    if (!loaded) return notFound
    const [status, etag] = [Number(Object.keys(endpoint.reply)[0]), tagOf(endpoint, reader, loaded, request)]
    const json = yield* endpoint.viewInSteps!(readContextOf(reader, agentRef, loaded), request)
    return isRefusal(json) ? json : { status, json, etag }
  }

  const view: Query<ViewInput, EndpointResponse> = {
    name: 'agents.view',
    read(reader, input) {
      if (endpointOf(input.endpointName).viewInSteps) return runToEnd(viewInSteps(reader, input))
      const response = readView(reader, input)
      const { page } = input.request
      if (!page || isRefusal(response)) return response
      const { data, last } = pageOf((response.json as { data: readonly object[] }).data, page, idOf)
      return { ...response, json: { data }, ...(last && { last }) }
    },
    inSteps: { isFor: ({ endpointName }) => endpointOf(endpointName).viewInSteps !== undefined, read: viewInSteps },
  }

  /** Hooks for the creation and deletion of the agent. */
  const lifecycle = {
    created(tx: Tx, { orgId, agentId }: AgentRef, { at, by }: CommandMeta): void {
      recordActivity(
        tx,
        { orgId, agentId },
        { version: firstVersion, at, action: 'POST /', changed: [], ...(by && { by }) },
      )
    },
    /** The refusal of a delete whose conditions do not match the agent's ETag. */
    mismatch(tx: Tx, agentRef: AgentRef, conditions: Conditions): Refusal | undefined {
      const loaded = documents.load(tx, agentRef, [])
      const etag = loaded && tagOfParts(endpointOf('GET /'), loaded)
      return etag === undefined ? undefined : checkConditions(conditions, { own: etag })
    },
    removed(tx: Tx, agentRef: AgentRef): void {
      documents.remove(tx, agentRef)
      removeSecrets(tx, agentRef)
      deleteActivity(tx, agentRef)
    },
  }

  const mediaUrlCache = new WeakMap<AgentDocument, AgentDocument>()

  function addMediaUrls(reader: Reader, agentRef: AgentRef, document: AgentDocument): AgentDocument {
    if (!mediaUrl || document.media.length === 0) return document
    const cached = mediaUrlCache.get(document)
    if (cached) return cached
    const media = document.media.map((item) => {
      const object = objectOf(reader, agentRef, item.id)
      return object === undefined ? item : { ...item, url: mediaUrl(object) }
    })
    const result = { ...document, media }
    mediaUrlCache.set(document, result)
    return result
  }

  /** The document with the URL of every media item, which is not stored in it. */
  function load(reader: Reader, agentRef: AgentRef, sections?: readonly Section[]): LoadedDocument | undefined {
    const loaded = documents.load(reader, agentRef, sections)
    return loaded && { ...loaded, document: addMediaUrls(reader, agentRef, loaded.document) }
  }

  return {
    commands: { write },
    queries: { view, activity },
    lifecycle,
    load,
    onChanged: (listener: DocumentListener): void => void listeners.push(listener),
    /** Registers the lookups of a later area; called once for each lookup, when that area is created. */
    provide(added: DocumentLookups): void {
      lookups = { ...lookups, ...added }
    },
    /** An empty map where no area provides connections. */
    connectionsOf: async (shards: Pick<Shards, 'query'>, orgId: string, ids: readonly string[]) =>
      (await lookups.connections?.(shards, orgId, ids)) ?? new Map(),
  }
}
export type AgentDocuments = ReturnType<typeof createDocuments>

/**
 * Cache name of a view that depends on the document alone: the revision hash covers secrets too, and only a query or a
 * body can make a view depend on more.
 */
function viewName(endpointName: string, { params, query, body }: EndpointRequest): string | undefined {
  if (body !== undefined) return undefined
  for (const _asked in query) return undefined
  let name = endpointName
  // Ids may contain any character, so each is preceded by its length.
  for (const parameter in params) name += ` ${params[parameter]!.length}:${params[parameter]}`
  return name
}

function lastParam(params: EndpointRequest['params']): string | undefined {
  let last: string | undefined
  for (const name in params) last = params[name]
  return last
}

/** Caches the last text, since all writes of one commit have the same time. */
function isoWriter(): (at: number) => string {
  let last = { at: 0, text: new Date(0).toISOString() }
  return (at) => {
    if (at !== last.at) last = { at, text: new Date(at).toISOString() }
    return last.text
  }
}

function isSection(part: Part): part is Section {
  return part !== 'agent'
}

/** The item of a request, in the endpoint's one list: by its path parameter, or by the id that a 201 created. */
function itemOf({ sections, reply }: Endpoint, { params, result }: RespondInput): ItemRef | undefined {
  const [section, ...others] = sections === 'all' ? [] : sections
  const [id = reply[201] ? result?.id : undefined] = Object.values(params)
  if (id === undefined || section === undefined || others.length > 0) return undefined
  return isSection(section) && isList(section) ? { section, id } : undefined
}

/** The ETag of the item that the path names or the write created, else that of the endpoint's parts. */
function tagOf(endpoint: Endpoint, reader: Reader, loaded: LoadedDocument, request: RespondInput): string {
  const { agent, document } = loaded
  const item = itemOf(endpoint, request)
  const stored = item && findItem(document, item.section, item.id)
  if (!stored) return tagOfParts(endpoint, loaded)
  const { section, id } = item
  const agentRef = { orgId: agent.orgId, agentId: agent.id }
  return itemEtagOf(
    agent.incarnation,
    stored,
    hasSecrets(section) ? secretsOf(reader, agentRef, section, id) : undefined,
  )
}

/** If-Match takes the tag of the item or that of the list it was read in. */
function mismatch(
  endpoint: Endpoint,
  tx: Tx,
  before: LoadedDocument,
  request: EndpointRequest,
  conditions: Conditions,
): Refusal | undefined {
  const item = itemOf(endpoint, request)
  const isNew = item !== undefined && findItem(before.document, item.section, item.id) === undefined
  return checkConditions(conditions, {
    own: tagOf(endpoint, tx, before, request),
    list: tagOfParts(endpoint, before),
    isNew,
  })
}

/** Endpoints of one resource have the same parts, so a tag of one of them is valid for the others. */
function tagOfParts({ sections }: Endpoint, { agent, head }: LoadedDocument): string {
  if (sections === 'all') return etagOf(agent.incarnation, head.version)
  let newest = firstVersion
  for (const part of sections) newest = Math.max(newest, head.parts[part] ?? firstVersion)
  return etagOf(agent.incarnation, newest)
}
