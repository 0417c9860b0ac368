/** What can be asked of a shard: everything an area exports is registered, once, under a name of its own. */
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import t from 'tap'
import { campaign as limits } from '../../core/limits.js'
import { usualSending } from '../../core/outreach/settings.js'
import { accessRepertoire, keyCommands } from '../../mgmt/access/commands.js'
import { agentCommands, agentRepertoire } from '../../mgmt/agents/commands.js'
import { agentDocuments, documentRepertoire } from '../../mgmt/agents/documents.js'
import { findAgent } from '../../mgmt/agents/store.js'
import { automationRepertoire, openAutomation } from '../../mgmt/automation/open.js'
import { campaignRepertoire, openCampaignArea } from '../../mgmt/campaigns/open.js'
import { channelCommands, channelRepertoire } from '../../mgmt/channels/commands.js'
import { channelRoutesOf } from '../../mgmt/channels/store.js'
import { connectionCommands, connectionRepertoire } from '../../mgmt/connections/commands.js'
import { connectionQueries } from '../../mgmt/connections/queries.js'
import { agentRoutesQuery } from '../../mgmt/gatewayaccess/agentroutes.js'
import { gatewayCommands, gatewayPart, gatewayRepertoire } from '../../mgmt/gatewayaccess/commands.js'
import { knowledgeRepertoire, openKnowledge } from '../../mgmt/knowledge/repertoire.js'
import { linkRepertoire, openLinks } from '../../mgmt/links/commands.js'
import { orgRepertoire } from '../../mgmt/orgs/store.js'
import { outreachParts, outreachRepertoire } from '../../mgmt/outreach/open.js'
import { openPeople, peopleRepertoire } from '../../mgmt/people/commands.js'
import { openPersonas, personaRepertoire } from '../../mgmt/sandbox/commands.js'
import { webhookCommands, webhookRepertoire } from '../../mgmt/webhooks/commands.js'
import { bootstrapRepertoire } from '../../runtime/bootstrap.js'
import { sandboxBegin, sandboxForget } from '../../runtime/sandbox/commands.js'
import type { Command, Query, Shards } from '../../runtime/shard/contract.js'
import { sealerRepertoire } from '../../runtime/store/sealer.js'
import { carried } from '../harness/carried.js'

const webhooks = webhookCommands({ timeScale: 1 })
const keys = keyCommands(webhooks.enqueue)
const channels = channelCommands({ orgEvent: webhooks.enqueue, agentOf: findAgent, timeScale: 1 })
const gateway = gatewayCommands(webhooks.enqueue)
const documents = agentDocuments({ orgEvent: webhooks.enqueue })
const knowledge = openKnowledge(documents)
const agents = agentCommands({ orgEvent: webhooks.enqueue, parts: [gatewayPart, channels.part, documents.part] })
const connections = connectionCommands({ orgEvent: webhooks.enqueue, hasAgent: () => true }).commands
const connectionReads = connectionQueries(
  () => true,
  () => [],
)
const people = openPeople({ orgEvent: webhooks.enqueue, agentOf: findAgent })
const outreach = outreachParts({
  orgEvent: webhooks.enqueue,
  documents: { read: () => undefined },
  people: people.door,
  timeScale: 1,
})
const automation = openAutomation({
  agents: { serialOf: () => undefined, read: () => undefined },
  people: people.door,
  sends: { accept: outreach.commands.accept.decide, sendingOf: () => usualSending },
  timeScale: 1,
})
const campaigns = openCampaignArea({
  agents: { serialOf: () => undefined, read: () => undefined, pacesOf: () => [], boundTo: () => [] },
  people: people.door,
  personas: { personOf: () => undefined },
  sends: outreach.campaigning,
  orgEvent: webhooks.enqueue,
  timeScale: 1,
  window: () => limits.alone,
})
const personas = openPersonas({
  people: people.door,
  sandbox: { begin: sandboxBegin, forget: sandboxForget },
  hasAgent: () => true,
})
const links = openLinks({
  documents: { read: () => undefined },
  bindings: { at: () => undefined },
  personas: personas.door,
})
const routes = agentRoutesQuery({ agent: findAgent, channels: channelRoutesOf })
const made = [
  webhooks,
  keys,
  channels.commands,
  channels.queries,
  gateway,
  agents,
  documents.commands,
  documents.queries,
  connections,
  knowledge.sources.commands,
  knowledge.sources.queries,
  knowledge.media.commands,
  knowledge.media.queries,
  connectionReads,
  people.commands,
  people.queries,
  outreach.commands,
  outreach.queries,
  automation.commands,
  automation.queries,
  campaigns.commands,
  campaigns.queries,
  personas.commands,
  personas.queries,
  links.commands,
  links.queries,
].flatMap(Object.values)
const parts = [
  sealerRepertoire,
  bootstrapRepertoire,
  orgRepertoire,
  accessRepertoire(keys),
  webhookRepertoire(webhooks),
  agentRepertoire(agents),
  documentRepertoire(documents),
  gatewayRepertoire(gateway, routes),
  channelRepertoire(channels.commands, channels.queries),
  connectionRepertoire(connections, connectionReads),
  knowledgeRepertoire(knowledge, { getPage: async () => ({ kind: 'stopped' }), removeObject: async () => {} }),
  peopleRepertoire(people),
  outreachRepertoire(outreach),
  automationRepertoire(automation),
  campaignRepertoire(campaigns),
  personaRepertoire(personas),
  linkRepertoire(links),
]
const registered = parts.flatMap(({ commands, queries }) => [...commands, ...queries])
const names = registered.map(({ name }) => name)

const built = fileURLToPath(new URL('../../mgmt/', import.meta.url))
const modules = readdirSync(built, { recursive: true, encoding: 'utf8' }).filter((path) => path.endsWith('.js'))

type Askable = Command<never, unknown> | Query<never, unknown>

function isAskable(value: unknown): value is Askable {
  if (typeof value !== 'object' || value === null || !('name' in value)) return false
  return (
    ('decide' in value && typeof value.decide === 'function') || ('read' in value && typeof value.read === 'function')
  )
}

/** Commands and queries that a module exports, by themselves or gathered in a record. */
function askablesOf(exported: unknown): Askable[] {
  if (isAskable(exported)) return [exported]
  if (typeof exported !== 'object' || exported === null) return []
  return Object.values(exported).filter(isAskable)
}

t.test('No two commands or queries have the same name, and none is registered twice', async (t) => {
  t.same(
    names.filter((name, at) => names.indexOf(name) !== at),
    [],
  )
  t.ok(names.length > 20, 'they were found at all')
  for (const name of names) t.match(name, /^[a-z][A-Za-z]*(\.[a-z][A-Za-z]*)+$/, 'a name tells its area first')
})

t.test('Every command and query that a module of an area exports is registered', async (t) => {
  const found = new Set<Askable>([...made, routes] as Askable[])
  for (const path of modules) {
    const exported = await import(pathToFileURL(join(built, path)).href)
    for (const value of Object.values(exported)) for (const each of askablesOf(value)) found.add(each)
  }
  t.ok(found.size > 20, 'they were found at all')
  const unregistered = [...found].filter(({ name }) => !names.includes(name))
  t.same(
    unregistered.map(({ name }) => name),
    [],
  )
})

t.test('Tests of this plane find out what cannot travel to another process', async (t) => {
  const echo: Command<unknown, unknown> = { name: 'test.echo', decide: (_tx, input) => input }
  let reached = 0
  const shards = carried({
    ask: async (_owner, _command, input) => {
      reached++
      return input === 'set' ? new Set() : input
    },
  } as Shards)
  for (const bad of [new Set([1]), new Date(), () => 1, 1n, { deep: [new Map()] }, Symbol('x')]) {
    await t.rejects(shards.ask('a', echo, bad), String(bad))
  }
  t.equal(reached, 0, 'it is found before anything is asked')
  await t.rejects(shards.ask('a', echo, 'set'), 'in an answer too')
  for (const good of [null, undefined, { a: undefined, b: [1, -0, 'Å\ud800'] }, { bytes: Buffer.from('x') }]) {
    t.same(await shards.ask('a', echo, good), good)
  }
})
