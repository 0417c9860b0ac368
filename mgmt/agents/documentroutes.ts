/** Creates routes from the endpoints of an agent's document, and the route of its activity. */

import { actorOf, type Member } from '../../core/access.js'
import { schemaError } from '../../core/agent/index.js'
import { type AgentRef, formatAgentKey } from '../../core/agentref.js'
import { isRefusal, type Refusal } from '../../core/errors.js'
import { agentDocument as limits, page } from '../../core/limits/index.js'
import type { PageCursor, PageRequest } from '../../core/paging.js'
import { conditionHeaders, conditionsOf, isKnownTag } from '../../runtime/http/etag.js'
import type { PageTokens } from '../../runtime/http/pagetokens.js'
import { type Answer, json, type Route, route } from '../../runtime/http/route.js'
import { isLong, jsonInSlices } from '../../runtime/http/slices.js'
import type { Sealer } from '../../runtime/secrets/sealer.js'
import type { Shards } from '../../runtime/shard/contract.js'
import type { AuditStore } from '../audit/store.js'
import { type ActivityCursor, ActivityList, ActivityQuery, activityStart, mergeActivity } from './activity.js'
import { type Bodies, yamlType, yamlTypes } from './bodies.js'
import { readLongBody } from './documentbodies.js'
import type { AgentDocuments, EndpointResponse, ViewInput } from './documentoperations.js'
import { type Endpoint, type EndpointLookups, type EndpointRequest, endpointNameOf } from './endpoint.js'
import { agentEndpoints } from './endpoints/index.js'
import { type GenerateOptions, generateRoute } from './generationroute.js'
import { PageQuery, routeDefaults } from './schema.js'
import { sealSecrets } from './secrets.js'
import { createViewReader } from './views.js'

export interface DocumentRoutesOptions
  extends Pick<EndpointLookups, 'geocode'>,
    Pick<GenerateOptions, 'model' | 'clock'> {
  readonly shards: Shards
  readonly documents: AgentDocuments
  readonly sealer: Pick<Sealer, 'seal'>
  readonly pages: PageTokens
  readonly bodies: Bodies
  readonly audit: Pick<AuditStore, 'queries'>
}

const agentPath = '/orgs/{org}/agents/{agent}'

export function documentRoutes(options: DocumentRoutesOptions): Route[] {
  const endpoints = agentEndpoints.filter(({ isInternal: isInner }) => !isInner)
  return [...endpoints.map((endpoint) => toRoute(endpoint, options)), activityRoute(options), generateRoute(options)]
}

interface EndpointCall extends EndpointRequest {
  readonly caller: Member
  readonly queryText: string
  header(name: string): string
}

interface CallInput {
  readonly owner: string
  readonly input: ViewInput
}

function toRoute(endpoint: Endpoint, options: DocumentRoutesOptions): Route {
  const { shards, documents, sealer, geocode, bodies, pages } = options
  const { method, path, summary, tag, access, params, query, body: schema, isCheckedBefore, reply } = endpoint
  const { bodyLimitBytes = limits.bodyBytes, errors = [], write, yaml, longBody: long, isPaged, bodyDepth } = endpoint
  const name = endpointNameOf(endpoint)
  /** The tag of an export is the same in every format and for every caller. */
  const isTagged = !write && !yaml && !endpoint.complete && !endpoint.visibleTo && !endpoint.viewExceedsTag
  const itemName = /\{(\w+)\}/.exec(path)?.[1]
  const connectionsOf = (orgId: string, ids: readonly string[]) => documents.connectionsOf(shards, orgId, ids)

  /** Inputs of calls without a query, by their path parameters: the front passes the same object for the same path. */
  const callInputs = new WeakMap<EndpointCall['params'], CallInput>()

  function callInputOf(call: EndpointCall): CallInput | Refusal {
    const cached = call.queryText === '' ? callInputs.get(call.params) : undefined
    if (cached) return cached
    const { agentRef, params } = targetOf(call)
    const page = isPaged && call.queryText !== '' ? requestedPage(call) : undefined
    if (isRefusal(page)) return page
    const request = page ? { params, query: noParams, page } : { params, query: call.query }
    const callInput = { owner: formatAgentKey(agentRef), input: { ...agentRef, endpointName: name, request } }
    if (call.queryText === '') callInputs.set(call.params, callInput)
    return callInput
  }

  /** Reads an agent of this process synchronously; an unchanged view has its answer cached. */
  function readView(call: EndpointCall): Promise<Answer | Refusal> | Answer | Refusal {
    const callInput = callInputOf(call)
    if (isRefusal(callInput)) return callInput
    const { owner, input } = callInput
    const response = shards.queryLocal?.(owner, documents.queries.view, input)
    if (response) return respondTo(call, response)
    return shards.query(owner, documents.queries.view, input).then((outcome) => respondTo(call, outcome))
  }

  /** Returns the same object where nothing is hidden from the caller. */
  function withoutHidden({ caller }: EndpointCall, response: EndpointResponse | Refusal): EndpointResponse | Refusal {
    if (!endpoint.visibleTo || isRefusal(response) || response.json === undefined) return response
    const visible = endpoint.visibleTo(caller, response.json)
    return visible === response.json ? response : { ...response, json: visible }
  }

  function respondTo(
    call: EndpointCall,
    full: EndpointResponse | Refusal,
  ): Promise<Answer | Refusal> | Answer | Refusal {
    const ifNoneMatch = isTagged ? call.header('if-none-match') : ''
    if (ifNoneMatch !== '' && !isRefusal(full) && isKnownTag(ifNoneMatch, full.etag)) {
      return { status: 304, headers: { etag: full.etag } }
    }
    if (!isRefusal(full) && full.last) return answer(withNextPage(call, full, full.last))
    const response = withoutHidden(call, full)
    if (endpoint.complete) return completeView(call, response).then(answer)
    return yaml === 'reply' && !wantsJson(call) ? toYaml(call, response) : cachedAnswer(response)
  }

  /** A page token is valid only for one list of one agent. */
  function listScope(call: EndpointCall): string {
    return `${name}:${formatAgentKey(targetOf(call).agentRef)}`
  }

  function requestedPage(call: EndpointCall): PageRequest | Refusal {
    const { limit = page.defaultRows, pageToken } = call.query as { limit?: number; pageToken?: string }
    const after = pages.read(listScope(call), pageToken)
    if (isRefusal(after)) return after
    return { limit, ...(after && { after: after as PageCursor }) }
  }

  function withNextPage(call: EndpointCall, response: EndpointResponse, last: PageCursor): EndpointResponse {
    return { ...response, json: { ...(response.json as object), nextPageToken: pages.write(listScope(call), last) } }
  }

  async function completeView(
    { params }: EndpointCall,
    response: EndpointResponse | Refusal,
  ): Promise<EndpointResponse | Refusal> {
    if (!endpoint.complete || isRefusal(response) || response.json === undefined) return response
    const view = await endpoint.complete(response.json, { connections: (ids) => connectionsOf(params.org!, ids) })
    return isRefusal(view) ? view : { ...response, json: view }
  }

  async function toYaml({ params }: EndpointCall, outcome: EndpointResponse | Refusal): Promise<Answer | Refusal> {
    if (isRefusal(outcome)) return outcome
    const { status, json: view, etag } = outcome
    const pieces: string[] = []
    for await (const piece of jsonInSlices(view)) pieces.push(piece)
    const body = await bodies.writeYaml(params.org!, pieces)
    return isRefusal(body) ? body : { status, type: yamlType, body, headers: { etag } }
  }

  function targetOf({ params }: EndpointCall): { agentRef: AgentRef; params: EndpointRequest['params'] } {
    const agentRef = { orgId: params.org!, agentId: params.agent! }
    return { agentRef, params: itemName === undefined ? noParams : { [itemName]: params[itemName]! } }
  }

  interface ParsedBody {
    readonly value: unknown
    readonly isShaped?: true
  }

  /** Looks up the agent first: a body for an agent that does not exist is not worth a thread. */
  async function readLong(agentRef: AgentRef, bytes: Uint8Array, type: string): Promise<ParsedBody | Refusal> {
    const input = { ...agentRef, endpointName: agentEndpoint, request: { params: noParams, query: noParams } }
    const agent = await shards.query(formatAgentKey(agentRef), documents.queries.view, input)
    return isRefusal(agent) ? agent : readLongBody(bodies, agentRef.orgId, { endpoint, bytes, type })
  }

  async function change(call: EndpointCall): Promise<Answer | Refusal> {
    const { agentRef, params } = targetOf(call)
    const parsed: ParsedBody | Refusal =
      call.body instanceof Uint8Array
        ? await readLong(agentRef, call.body, call.header('content-type'))
        : { value: call.body }
    if (isRefusal(parsed)) return parsed
    const { isShaped } = parsed
    const body = endpoint.read ? endpoint.read(parsed.value) : parsed.value
    const request: EndpointRequest = { params, query: call.query, body, ...(isShaped && { isShaped }) }
    // Refuses a body of another shape here: the shard validates only against the document.
    const invalidBody = schema && !isShaped && !isCheckedBefore && schemaError(schema, body, endpoint.bodyAt)
    if (invalidBody) return invalidBody
    const forbidden = endpoint.permit?.(call.caller, request)
    if (forbidden) return forbidden
    const lookups = () => ({
      view: createViewReader(agentRef, { shards, documents }),
      connections: (ids: readonly string[]) => connectionsOf(agentRef.orgId, ids),
      geocode,
    })
    const lookup = endpoint.lookUp && (await endpoint.lookUp(request, lookups()))
    if (isRefusal(lookup)) return lookup
    const split = endpoint.splitSecrets?.(request)
    if (isRefusal(split)) return split
    const secrets = split && (await sealSecrets(sealer, agentRef, split))
    if (isRefusal(secrets)) return secrets
    const sent = split ? { ...request, body: split.body } : request
    const input = {
      orgId: agentRef.orgId,
      agentId: agentRef.agentId,
      endpointName: name,
      request: lookup === undefined ? sent : { ...sent, lookup },
      ...conditionsOf((name) => call.header(name)),
      ...(secrets && { secrets }),
    }
    const by = actorOf(call.caller)
    const result = await shards.execute(formatAgentKey(agentRef), documents.commands.write, input, { by })
    return answer(await completeView(call, withoutHidden(call, result)))
  }

  return {
    plane: 'mgmt',
    tag,
    access,
    method,
    path: agentPath + path,
    summary,
    ...(params && { params }),
    ...(query && { query }),
    ...(isPaged && { query: PageQuery }),
    ...(schema && { body: schema, bodyLimitBytes, ...(!isCheckedBefore && { bodyUnchecked: true as const }) }),
    hasEtag: true,
    ...(isTagged && { headers: ['if-none-match'] }),
    ...(write && { headers: [...conditionHeaders, ...(long ? ['content-type'] : [])] }),
    ...(bodyDepth !== undefined && { bodyDepth }),
    ...(long && { rawOverBytes: limits.inlineBytes }),
    ...(yaml === 'reply' && { headers: ['accept'], replyTypes: [yamlType] }),
    ...(yaml === 'body' && { rawTypes: yamlTypes }),
    reply: isTagged ? { ...reply, 304: null } : reply,
    errors: write ? [...errors, 'request.precondition_failed'] : isPaged ? [...errors, 'request.invalid'] : errors,
    handler: (write ? change : readView) as unknown as Route['handler'],
  }
}

function answer(outcome: EndpointResponse | Refusal): Answer | Refusal {
  if (isRefusal(outcome)) return outcome
  const { status, json: view, etag } = outcome
  if (status === 204) return { status, headers: { etag } }
  return isLong(view) ? inSlices(outcome) : json(status, view, { etag })
}

function inSlices({ status, json: view, etag }: EndpointResponse): Answer {
  return { status, json: view, inSlices: true, headers: { etag } }
}

const noParams = Object.freeze({})
/** The endpoint that shows the agent itself. */
const agentEndpoint = 'GET /'
const answers = new WeakMap<EndpointResponse, Answer>()

/** Caches by object: an unchanged view is the same object. */
function cachedAnswer(response: EndpointResponse | Refusal): Answer | Refusal {
  if (isRefusal(response)) return response
  const before = answers.get(response)
  if (before) return before
  const { status, json: value, etag } = response
  if (isLong(value)) return inSlices(response)
  const first = { status, json: value, headers: { etag }, cachedText: {} }
  answers.set(response, first)
  return first
}

/** The format of the query wins over the Accept header. */
function wantsJson({ query: { format }, header }: EndpointCall): boolean {
  return format === undefined ? /^application\/json\b/i.test(header('accept')) : format === 'json'
}

function activityRoute({ shards, documents, pages, audit, clock }: DocumentRoutesOptions): Route {
  return route({
    ...routeDefaults,
    access: { who: 'member', role: 'viewer', scopes: ['messages:read'] },
    method: 'GET',
    path: `${agentPath}/activity`,
    summary:
      'Read who changed what of an agent, who used its credentials and exports, and who was refused, newest first',
    query: ActivityQuery,
    reply: { 200: ActivityList },
    errors: ['request.invalid'],
    async handler({ params: { org: orgId, agent: agentId }, query: { limit = page.defaultRows, pageToken } }) {
      const agentRef = { orgId, agentId }
      const scope = `activity:${formatAgentKey(agentRef)}`
      const after = pages.read(scope, pageToken)
      if (isRefusal(after)) return after
      const from = (after ?? activityStart) as ActivityCursor
      const [version, at = 0, id = ''] = from
      const before = version === 0 ? undefined : version
      const changes = await shards.query(formatAgentKey(agentRef), documents.queries.activity, {
        ...agentRef,
        before,
        limit,
      })
      if (isRefusal(changes)) return changes
      const position = id === '' ? {} : { before: [at, id] as const }
      const query = { ...agentRef, since: changes.since, ...position, limit: limit + 1, now: clock.now() }
      const entries = await shards.query(orgId, audit.queries.ofAgent, query)
      if (isRefusal(entries)) return entries
      const { data, next } = mergeActivity(changes, entries, limit, from)
      return json(200, next ? { data, nextPageToken: pages.write(scope, next) } : { data })
    },
  })
}
