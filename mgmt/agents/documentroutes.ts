/** Makes the rows of an agent's document into routes, and adds the one that tells who changed what. */

import { actorOf, type Member } from '../../core/access.js'
import { misshapen } from '../../core/agent/index.js'
import { type AgentPlace, agentKeyOf } from '../../core/agentkey.js'
import { invalid, isRefusal, type Refusal } from '../../core/errors.js'
import { agentDocument as limits, page } from '../../core/limits.js'
import type { PageAsked, PageCursor } from '../../core/paging.js'
import { conditionHeaders, conditionsOf, isKnownTag } from '../../runtime/http/etag.js'
import type { Pages } from '../../runtime/http/page.js'
import { type Answer, json, type Route, route } from '../../runtime/http/route.js'
import { isLong, jsonInSlices } from '../../runtime/http/slices.js'
import type { Shards } from '../../runtime/shard/contract.js'
import type { Sealer } from '../../runtime/store/sealer.js'
import type { AuditStore } from '../audit/store.js'
import { type ActivityCursor, ActivityList, ActivityQuery, activityStart, mergeActivity } from './activity.js'
import { type Bodies, yamlType, yamlTypes } from './bodies.js'
import type { AgentDocuments, AskedOf, Shown } from './documents.js'
import { type GenerateOptions, generateRoute } from './generating.js'
import { type Asked, type LookUp, nameOf, type Resource } from './resource.js'
import { agentResources } from './resources/index.js'
import { ofAgents, PageQuery } from './schema.js'
import { sealSecrets } from './secrets.js'
import { viewOf } from './views.js'

export interface DocumentRoutesOptions extends Pick<LookUp, 'geocode'>, Pick<GenerateOptions, 'model' | 'clock'> {
  readonly shards: Shards
  readonly documents: AgentDocuments
  readonly sealer: Pick<Sealer, 'seal'>
  readonly pages: Pages
  readonly bodies: Bodies
  readonly audit: Pick<AuditStore, 'queries'>
}

const agentPath = '/orgs/{org}/agents/{agent}'

export function documentRoutes(options: DocumentRoutesOptions): Route[] {
  const rows = agentResources.filter(({ isInner }) => !isInner)
  return [...rows.map((row) => routeOf(row, options)), activityRoute(options), generateRoute(options)]
}

interface RowCall extends Asked {
  readonly caller: Member
  readonly queryText: string
  header(name: string): string
}

interface Question {
  readonly owner: string
  readonly input: AskedOf
}

function routeOf(resource: Resource, options: DocumentRoutesOptions): Route {
  const { shards, documents, sealer, geocode, bodies, pages } = options
  const { method, path, summary, tag, access, params, query, body: schema, isCheckedBefore, reply } = resource
  const { bodyLimitBytes = limits.bodyBytes, errors = [], write, yaml, long, isPaged, bodyDepth } = resource
  const name = nameOf(resource)
  /** The tag of an export is that of every form of it, whichever is asked for and whatever of it the caller may see. */
  const isTagged = !write && !yaml && !resource.complete && !resource.shownTo && !resource.isBeyondTag
  const itemName = /\{(\w+)\}/.exec(path)?.[1]
  const connectionsOf = (orgId: string, ids: readonly string[]) => documents.connectionsOf(shards, orgId, ids)

  /** Questions without a query, by the parameters of their path: the front gives the same ones for the same path. */
  const plain = new WeakMap<RowCall['params'], Question>()

  function questionOf(call: RowCall): Question | Refusal {
    const known = call.queryText === '' ? plain.get(call.params) : undefined
    if (known) return known
    const { place, params } = placesOf(call)
    const page = isPaged && call.queryText !== '' ? pageAsked(call) : undefined
    if (isRefusal(page)) return page
    const asked = page ? { params, query: noParams, page } : { params, query: call.query }
    const question = { owner: agentKeyOf(place), input: { ...place, resource: name, asked } }
    if (call.queryText === '') plain.set(call.params, question)
    return question
  }

  /** An agent that is served here is read in the same turn, and what is shown again was written already. */
  function show(call: RowCall): Promise<Answer | Refusal> | Answer | Refusal {
    const question = questionOf(call)
    if (isRefusal(question)) return question
    const { owner, input } = question
    const shown = shards.readHere?.(owner, documents.queries.view, input)
    if (shown) return answerTo(call, shown)
    return shards.read(owner, documents.queries.view, input).then((found) => answerTo(call, found))
  }

  /** A view that the caller may see whole stays the object that it is. */
  function cutFor({ caller }: RowCall, shown: Shown | Refusal): Shown | Refusal {
    if (!resource.shownTo || isRefusal(shown) || shown.json === undefined) return shown
    const seen = resource.shownTo(caller, shown.json)
    return seen === shown.json ? shown : { ...shown, json: seen }
  }

  function answerTo(call: RowCall, whole: Shown | Refusal): Promise<Answer | Refusal> | Answer | Refusal {
    const known = isTagged ? call.header('if-none-match') : ''
    if (known !== '' && !isRefusal(whole) && isKnownTag(known, whole.etag)) {
      return { status: 304, headers: { etag: whole.etag } }
    }
    if (!isRefusal(whole) && whole.last) return answer(withNextPage(call, whole, whole.last))
    const shown = cutFor(call, whole)
    if (resource.complete) return completed(call, shown).then(answer)
    return yaml === 'reply' && !wantsJson(call) ? inYaml(call, shown) : keptAnswer(shown)
  }

  /** A token of one list of one agent opens no other. */
  function listScope(call: RowCall): string {
    return `${name}:${agentKeyOf(placesOf(call).place)}`
  }

  function pageAsked(call: RowCall): PageAsked | Refusal {
    const { limit = page.defaultRows, pageToken } = call.query as { limit?: number; pageToken?: string }
    if (pageToken === undefined) return { limit }
    const after = pages.read(listScope(call), pageToken) as PageCursor | undefined
    return after ? { limit, after } : invalid('pageToken', 'is not a token of this list')
  }

  function withNextPage(call: RowCall, shown: Shown, last: PageCursor): Shown {
    return { ...shown, json: { ...(shown.json as object), nextPageToken: pages.write(listScope(call), last) } }
  }

  async function completed({ params }: RowCall, shown: Shown | Refusal): Promise<Shown | Refusal> {
    if (!resource.complete || isRefusal(shown) || shown.json === undefined) return shown
    const view = await resource.complete(shown.json, { connections: (ids) => connectionsOf(params.org!, ids) })
    return isRefusal(view) ? view : { ...shown, json: view }
  }

  async function inYaml({ params }: RowCall, outcome: Shown | Refusal): Promise<Answer | Refusal> {
    if (isRefusal(outcome)) return outcome
    const { status, json: shown, etag } = outcome
    const pieces: string[] = []
    for await (const piece of jsonInSlices(shown)) pieces.push(piece)
    const body = await bodies.writeYaml(params.org!, pieces)
    return isRefusal(body) ? body : { status, type: yamlType, body, headers: { etag } }
  }

  function placesOf({ params }: RowCall): { place: AgentPlace; params: Asked['params'] } {
    const place = { orgId: params.org!, agentId: params.agent! }
    return { place, params: itemName === undefined ? noParams : { [itemName]: params[itemName]! } }
  }

  interface Given {
    readonly value: unknown
    readonly isShaped?: true
  }

  /** The agent is looked up first: a body for one that is not there is not worth a thread. */
  async function readLong(place: AgentPlace, bytes: Uint8Array, type: string): Promise<Given | Refusal> {
    const input = { ...place, resource: agentRow, asked: { params: noParams, query: noParams } }
    const agent = await shards.read(agentKeyOf(place), documents.queries.view, input)
    if (isRefusal(agent)) return agent
    const as = resource.long === 'list' ? undefined : resource.long
    const isYaml = yamlTypes.some((each) => type.toLowerCase().startsWith(each))
    const shape = { schema, at: resource.bodyAt, as, depth: bodyDepth }
    const read = await bodies.read(place.orgId, bytes, isYaml ? 'yaml' : 'json', shape)
    return isRefusal(read) ? read : { value: read.value, isShaped: true }
  }

  async function change(call: RowCall): Promise<Answer | Refusal> {
    const { place, params } = placesOf(call)
    const given: Given | Refusal =
      call.body instanceof Uint8Array
        ? await readLong(place, call.body, call.header('content-type'))
        : { value: call.body }
    if (isRefusal(given)) return given
    const { isShaped } = given
    const body = resource.read ? resource.read(given.value) : given.value
    const asked: Asked = { params, query: call.query, body, ...(isShaped && { isShaped }) }
    // A body that is not of its shape goes no further: the shard judges only what the document has a say in.
    const wrong = schema && !isShaped && !isCheckedBefore && misshapen(schema, body, resource.bodyAt)
    if (wrong) return wrong
    const forbidden = resource.permit?.(call.caller, asked)
    if (forbidden) return forbidden
    const ways = () => ({
      view: viewOf(place, { shards, documents }),
      connections: (ids: readonly string[]) => connectionsOf(place.orgId, ids),
      geocode,
    })
    const found = resource.lookUp && (await resource.lookUp(asked, ways()))
    if (isRefusal(found)) return found
    const parted = resource.part?.(asked)
    if (isRefusal(parted)) return parted
    const secrets = parted && (await sealSecrets(sealer, place, parted))
    if (isRefusal(secrets)) return secrets
    const sent = parted ? { ...asked, body: parted.body } : asked
    const input = {
      orgId: place.orgId,
      agentId: place.agentId,
      resource: name,
      asked: found === undefined ? sent : { ...sent, found },
      ...conditionsOf((name) => call.header(name)),
      ...(secrets && { secrets }),
    }
    const by = actorOf(call.caller)
    const kept = await shards.ask(agentKeyOf(place), documents.commands.write, input, { by })
    return answer(await completed(call, cutFor(call, kept)))
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
    handler: (write ? change : show) as unknown as Route['handler'],
  }
}

function answer(outcome: Shown | Refusal): Answer | Refusal {
  if (isRefusal(outcome)) return outcome
  const { status, json: shown, etag } = outcome
  if (status === 204) return { status, headers: { etag } }
  return isLong(shown) ? inSlices(outcome) : json(status, shown, { etag })
}

function inSlices({ status, json: shown, etag }: Shown): Answer {
  return { status, json: shown, inSlices: true, headers: { etag } }
}

const noParams = Object.freeze({})
/** The row that shows the agent itself. */
const agentRow = 'GET /'
const answers = new WeakMap<Shown, Answer>()

/** A view that is the same as the last time is the same object. */
function keptAnswer(shown: Shown | Refusal): Answer | Refusal {
  if (isRefusal(shown)) return shown
  const before = answers.get(shown)
  if (before) return before
  const { status, json: value, etag } = shown
  if (isLong(value)) return inSlices(shown)
  const first = { status, json: value, headers: { etag }, kept: {} }
  answers.set(shown, first)
  return first
}

/** Whoever names a format gets that one. */
function wantsJson({ query: { format }, header }: RowCall): boolean {
  return format === undefined ? /^application\/json\b/i.test(header('accept')) : format === 'json'
}

function activityRoute({ shards, documents, pages, audit, clock }: DocumentRoutesOptions): Route {
  return route({
    ...ofAgents,
    access: { who: 'member', role: 'viewer', scopes: ['messages:read'] },
    method: 'GET',
    path: `${agentPath}/activity`,
    summary:
      'Read who changed what of an agent, who used its credentials and exports, and who was refused, newest first',
    query: ActivityQuery,
    reply: { 200: ActivityList },
    errors: ['request.invalid'],
    async handler({ params: { org: orgId, agent: agentId }, query: { limit = page.defaultRows, pageToken } }) {
      const place = { orgId, agentId }
      const scope = `activity:${agentKeyOf(place)}`
      const after = pageToken === undefined ? undefined : pages.read(scope, pageToken)
      if (pageToken !== undefined && !after) return invalid('pageToken', 'is not a token of this list')
      const from = (after ?? activityStart) as ActivityCursor
      const [version, at = 0, id = ''] = from
      const before = version === 0 ? undefined : version
      const changes = await shards.read(agentKeyOf(place), documents.queries.activity, { ...place, before, limit })
      if (isRefusal(changes)) return changes
      const behind = id === '' ? {} : { before: [at, id] as const }
      const wanted = { ...place, since: changes.since, ...behind, limit: limit + 1, now: clock.now() }
      const entries = await shards.read(orgId, audit.queries.ofAgent, wanted)
      if (isRefusal(entries)) return entries
      const { data, next } = mergeActivity(changes, entries, limit, from)
      return json(200, next ? { data, nextPageToken: pages.write(scope, next) } : { data })
    },
  })
}
