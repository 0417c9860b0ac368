/**
 * Examples of an agent's routes for the OpenAPI document. `exampleflow.ts` gives the requests; the endpoints compute
 * each answer over a document in memory, so an example cannot differ from a real answer.
 */
import { type AgentDocument, admit, buildIndexInSteps, emptyDocument } from '../../core/agent/index.js'
import { isRefusal, type Refusal } from '../../core/errors.js'
import { isSteps, runToEnd } from '../../core/steps.js'
import type { Route, RouteExample } from '../../runtime/http/route.js'
import type { Activity } from './activity.js'
import { allSections, firstVersion, shareUnchanged } from './documentcache.js'
import { type Endpoint, type EndpointRequest, endpointNameOf, type ReadContext, type WriteResult } from './endpoint.js'
import { agentEndpoints } from './endpoints/index.js'
import { exampleAgent, exampleIds, exampleSteps, type Step, teardownSteps } from './examplesteps.js'
import { last4Of, type SealedSecret, type UnsealedSecrets } from './secrets.js'
import { type AgentRecord, agentView } from './store.js'

const orgId = 'demo'
const startedAt = Date.parse('2030-05-14T09:00:00Z')
const minuteMs = 60_000
const by = { kind: 'key', id: 'key_7f3kq2', svcAgent: 'console' }
/** The person of template previews. */
const person = { id: 'person-1', firstName: 'Ada' }

const collectionPath = '/orgs/{org}/agents'
const agentPath = `${collectionPath}/{agent}`

/** Adds an example to each route; computes all of them when the first is read. */
export function withExamples(routes: readonly Route[]): Route[] {
  let examples: ReadonlyMap<string, RouteExample> | undefined
  return routes.map((route) => ({
    ...route,
    example() {
      examples ??= agentExamples()
      return examples.get(`${route.method} ${route.path}`)
    },
  }))
}

interface ExampleFlow {
  agent: AgentRecord
  document: AgentDocument
  readonly secrets: Map<string, Map<string, SealedSecret>>
  readonly activity: Activity[]
  readonly examples: Map<string, RouteExample>
}

/** By method and path, as routes declare them. */
export function agentExamples(): ReadonlyMap<string, RouteExample> {
  const agent: AgentRecord = { ...exampleAgent, orgId, incarnation: 1, createdAt: startedAt, updatedAt: startedAt }
  const flow: ExampleFlow = { agent, document: emptyDocument, secrets: new Map(), activity: [], examples: new Map() }
  const params = { org: orgId, agent: agent.id }
  const { examples, activity } = flow
  examples.set(`POST ${collectionPath}`, {
    params: { org: orgId },
    body: exampleAgent,
    status: 201,
    reply: agentView(agent),
  })
  for (const step of exampleSteps) runStep(flow, step)
  for (const endpoint of agentEndpoints) {
    const query = endpoint.path.endsWith('/preview') ? { personId: person.id } : {}
    if (!endpoint.write && !endpoint.isInternal && hasExampleIds(endpoint))
      runStep(flow, { endpoint: endpointNameOf(endpoint), query })
  }
  const list = { data: [agentView(flow.agent)] }
  examples.set(`GET ${collectionPath}`, { params: { org: orgId }, status: 200, reply: list })
  examples.set(`GET ${agentPath}/activity`, { params, status: 200, reply: { data: activity.slice(-3).reverse() } })
  // The answer of a language model cannot be computed.
  const generated = {
    params: { ...params, playbookId: 'booking' },
    body: { brief: 'Ask for how long, then book.' },
    status: 200,
  }
  examples.set(`POST ${agentPath}/playbooks/{playbookId}/flow:generate`, generated)
  for (const step of teardownSteps) runStep(flow, step)
  examples.set(`DELETE ${agentPath}`, { params, status: 204 })
  return examples
}

/** Runs a step and records it as the example of its route, unless an earlier step is. */
function runStep(flow: ExampleFlow, { endpoint: name, params, query = {}, body }: Step): void {
  const endpoint = agentEndpoints.find((each) => endpointNameOf(each) === name)
  if (!endpoint) throw new Error(`the story has a step ${name}, which is no row`)
  const request: EndpointRequest = { params: params ?? paramsOf(endpoint), query, body }
  const result = endpoint.write && write(flow, endpoint, request)
  const context = readContextOf(flow)
  const reply = endpoint.viewInSteps
    ? runToEnd(endpoint.viewInSteps(context, request))
    : endpoint.view?.(context, { ...request, ...(result && { result }) })
  if (isRefusal(reply)) throw failed(endpoint, reply)
  const example: RouteExample = {
    params: { org: orgId, agent: flow.agent.id, ...request.params },
    query,
    body,
    status: result?.status ?? Number(Object.keys(endpoint.reply)[0]),
    reply,
  }
  const route = `${endpoint.method} ${agentPath}${endpoint.path}`
  if (!flow.examples.has(route)) flow.examples.set(route, example)
}

function paramNames({ path }: Endpoint): string[] {
  return Array.from(path.matchAll(/\{(\w+)\}/g), ([, name]) => name!)
}

/** Are there example ids for all parameters of the path? */
function hasExampleIds(endpoint: Endpoint): boolean {
  return paramNames(endpoint).every((name) => name in exampleIds)
}

function paramsOf(endpoint: Endpoint): Record<string, string> {
  return Object.fromEntries(paramNames(endpoint).map((name) => [name, exampleIds[name]!]))
}

function write(flow: ExampleFlow, endpoint: Endpoint, request: EndpointRequest): WriteResult {
  const version = firstVersion + flow.activity.length + 1
  const at = startedAt + version * minuteMs
  const split = endpoint.splitSecrets?.(request)
  if (isRefusal(split)) throw failed(endpoint, split)
  const sent = split ? { ...request, body: split.body } : request
  const outcome = endpoint.write!(readContextOf(flow), { ...sent, at: new Date(at).toISOString() })
  const result = isSteps(outcome) ? runToEnd(outcome) : outcome
  if (isRefusal(result)) throw failed(endpoint, result)
  const document = admit(flow.document, shareUnchanged(flow.document, result.document))
  if (isRefusal(document)) throw failed(endpoint, document)
  if (split) saveSecrets(flow, split)
  const sections = allSections.filter((section) => flow.document[section] !== document[section])
  const changed = [...Object.keys(result.agentFields ?? {}), ...sections]
  const item = result.id ?? Object.values(request.params)[0]
  const entry = {
    version,
    at: new Date(at).toISOString(),
    action: endpointNameOf(endpoint),
    changed,
    ...(item && { item }),
    by,
  }
  // A write without a change is not recorded.
  if (changed.length > 0) flow.activity.push(entry)
  const { description = flow.agent.description, ...agentFields } = result.agentFields ?? {}
  flow.document = document
  flow.agent = {
    ...flow.agent,
    ...agentFields,
    ...(description && { description }),
    ...(document.identity && { identity: document.identity }),
    updatedAt: at,
  } as AgentRecord
  return result
}

function failed(endpoint: Endpoint, refusal: Refusal): Error {
  return new Error(`the story fails at ${endpointNameOf(endpoint)}: ${JSON.stringify(refusal)}`)
}

function saveSecrets({ secrets }: ExampleFlow, { section, item, secrets: changes }: UnsealedSecrets): void {
  const stored = secrets.get(`${section}/${item}`) ?? new Map<string, SealedSecret>()
  for (const [name, plain] of Object.entries(changes)) {
    if (typeof plain === 'string') stored.set(name, { sealed: new Uint8Array(), ...last4Of(plain) })
  }
  secrets.set(`${section}/${item}`, stored)
}

function readContextOf({ agent, document, secrets }: ExampleFlow): ReadContext {
  return {
    agent,
    document,
    index: () => buildIndexInSteps(document),
    secrets: (section, item = '') => secrets.get(`${section}/${item}`) ?? new Map(),
    person: () => person,
    draftCampaigns: () => [],
    isManaged: () => false,
    withMediaUrls: () => document,
  }
}
