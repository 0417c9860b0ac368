/**
 * The examples of an agent's routes for the OpenAPI document. The story gives the requests; the rows themselves say what
 * each answers, over a document that lives only here, so that no example can say what no agent would.
 */
import { type AgentDocument, admitted, emptyDocument, indexInSteps } from '../../core/agent/index.js'
import { isRefusal, type Refusal } from '../../core/errors.js'
import { finish, isSteps } from '../../core/steps.js'
import type { Route, RouteExample } from '../../runtime/http/route.js'
import type { Activity } from './activity.js'
import { allSections, firstVersion, settled } from './document.js'
import { type Asked, nameOf, type Resource, type Seen, type Wrote } from './resource.js'
import { agentResources } from './resources/index.js'
import { lastOf, type SealedSecret, type Unsealed } from './secrets.js'
import { type AgentRecord, agentAsRead } from './store.js'
import { making, named, opening, type Step, unmaking } from './story.js'

const orgId = 'demo'
const began = Date.parse('2030-05-14T09:00:00Z')
const minuteMs = 60_000
const by = { kind: 'key', id: 'key_7f3kq2', svcAgent: 'console' }
/** For the preview: whom a message template is shown for. */
const person = { id: 'person-1', firstName: 'Ada' }

const collectionPath = '/orgs/{org}/agents'
const agentPath = `${collectionPath}/{agent}`

/** Each route with its example, made when somebody reads the first of them. */
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

interface Telling {
  agent: AgentRecord
  document: AgentDocument
  readonly secrets: Map<string, Map<string, SealedSecret>>
  readonly deeds: Activity[]
  readonly examples: Map<string, RouteExample>
}

/** By method and path, as routes have them. */
export function agentExamples(): ReadonlyMap<string, RouteExample> {
  const agent: AgentRecord = { ...opening, orgId, serial: 1, createdAt: began, updatedAt: began }
  const telling: Telling = { agent, document: emptyDocument, secrets: new Map(), deeds: [], examples: new Map() }
  const of = { org: orgId, agent: agent.id }
  const { examples, deeds } = telling
  examples.set(`POST ${collectionPath}`, {
    params: { org: orgId },
    body: opening,
    status: 201,
    reply: agentAsRead(agent),
  })
  for (const step of making) take(telling, step)
  for (const row of agentResources) {
    const query = row.path.endsWith('/preview') ? { personId: person.id } : {}
    if (!row.write && !row.isInner && isTold(row)) take(telling, { row: nameOf(row), query })
  }
  const list = { data: [agentAsRead(telling.agent)] }
  examples.set(`GET ${collectionPath}`, { params: { org: orgId }, status: 200, reply: list })
  examples.set(`GET ${agentPath}/activity`, { params: of, status: 200, reply: { data: deeds.slice(-3).reverse() } })
  // What a model would answer nobody can say beforehand.
  const generated = {
    params: { ...of, playbookId: 'booking' },
    body: { brief: 'Ask for how long, then book.' },
    status: 200,
  }
  examples.set(`POST ${agentPath}/playbooks/{playbookId}/flow:generate`, generated)
  for (const step of unmaking) take(telling, step)
  examples.set(`DELETE ${agentPath}`, { params: of, status: 204 })
  return examples
}

/** Does what a step asks and keeps it as the example of its route, unless an earlier step is that already. */
function take(telling: Telling, { row: name, params, query = {}, body }: Step): void {
  const row = agentResources.find((each) => nameOf(each) === name)
  if (!row) throw new Error(`the story has a step ${name}, which is no row`)
  const asked: Asked = { params: params ?? paramsOf(row), query, body }
  const wrote = row.write && write(telling, row, asked)
  const seen = seenBy(telling)
  const reply = row.viewInSteps
    ? finish(row.viewInSteps(seen, asked))
    : row.view?.(seen, { ...asked, ...(wrote && { wrote }) })
  if (isRefusal(reply)) throw failed(row, reply)
  const example: RouteExample = {
    params: { org: orgId, agent: telling.agent.id, ...asked.params },
    query,
    body,
    status: wrote?.status ?? Number(Object.keys(row.reply)[0]),
    reply,
  }
  const route = `${row.method} ${agentPath}${row.path}`
  if (!telling.examples.has(route)) telling.examples.set(route, example)
}

function paramNames({ path }: Resource): string[] {
  return Array.from(path.matchAll(/\{(\w+)\}/g), ([, name]) => name!)
}

/** Whether the story has what its path names. */
function isTold(row: Resource): boolean {
  return paramNames(row).every((name) => name in named)
}

function paramsOf(row: Resource): Record<string, string> {
  return Object.fromEntries(paramNames(row).map((name) => [name, named[name]!]))
}

function write(telling: Telling, row: Resource, asked: Asked): Wrote {
  const version = firstVersion + telling.deeds.length + 1
  const at = began + version * minuteMs
  const parted = row.part?.(asked)
  if (isRefusal(parted)) throw failed(row, parted)
  const sent = parted ? { ...asked, body: parted.body } : asked
  const writing = row.write!(seenBy(telling), { ...sent, at: new Date(at).toISOString() })
  const wrote = isSteps(writing) ? finish(writing) : writing
  if (isRefusal(wrote)) throw failed(row, wrote)
  const document = admitted(telling.document, settled(telling.document, wrote.document))
  if (isRefusal(document)) throw failed(row, document)
  if (parted) keep(telling, parted)
  const sections = allSections.filter((section) => telling.document[section] !== document[section])
  const changed = [...Object.keys(wrote.about ?? {}), ...sections]
  const item = wrote.id ?? Object.values(asked.params)[0]
  const deed = { version, at: new Date(at).toISOString(), action: nameOf(row), changed, ...(item && { item }), by }
  // What changes nothing is not on record.
  if (changed.length > 0) telling.deeds.push(deed)
  const { description = telling.agent.description, ...about } = wrote.about ?? {}
  telling.document = document
  telling.agent = {
    ...telling.agent,
    ...about,
    ...(description && { description }),
    ...(document.identity && { identity: document.identity }),
    updatedAt: at,
  } as AgentRecord
  return wrote
}

function failed(row: Resource, refusal: Refusal): Error {
  return new Error(`the story fails at ${nameOf(row)}: ${JSON.stringify(refusal)}`)
}

function keep({ secrets }: Telling, { section, item, secrets: changes }: Unsealed): void {
  const stored = secrets.get(`${section}/${item}`) ?? new Map<string, SealedSecret>()
  for (const [name, plain] of Object.entries(changes)) {
    if (typeof plain === 'string') stored.set(name, { sealed: new Uint8Array(), ...lastOf(plain) })
  }
  secrets.set(`${section}/${item}`, stored)
}

function seenBy({ agent, document, secrets }: Telling): Seen {
  return {
    agent,
    document,
    index: () => indexInSteps(document),
    secrets: (section, item = '') => secrets.get(`${section}/${item}`) ?? new Map(),
    person: () => person,
    draftCampaigns: () => [],
    pictured: () => document,
  }
}
