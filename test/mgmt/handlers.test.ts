/** What can be asked of a shard: everything an area exports is registered, once, under a name of its own. */
import { randomBytes } from 'node:crypto'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import t from 'tap'
import { createManagement } from '../../mgmt/index.js'
import { sendBudgets } from '../../runtime/delivery/throttle.js'
import { bootstrapModule } from '../../runtime/node/bootstrap.js'
import { createMetrics } from '../../runtime/observe/metrics.js'
import { sandboxBegin, sandboxRemove } from '../../runtime/sandbox/commands.js'
import { sealerHandlers } from '../../runtime/secrets/sealer.js'
import type { Command, Query, Shards } from '../../runtime/shard/contract.js'
import { withSerialization } from '../harness/serialization.js'

const none = undefined as never
const management = createManagement({
  ...{ bodies: none, objects: none, conversations: none, agentLog: none, dispatchWindow: none, secrets: none },
  ...{ mgmtUrl: none, gatewayUrl: none, randomBytes, log: none, returnRules: none, clock: none, timeScale: 1 },
  ...{ egress: {} as never, partnerForms: [], adapters: [], sendBudgets, metrics: createMetrics() },
  ...{ readBusyTimes: none, sandboxCommands: { begin: sandboxBegin, remove: sandboxRemove } },
})
const parts = [sealerHandlers, bootstrapModule, ...management.modules]
const registered = parts.flatMap(({ commands, queries }) => [...commands, ...queries])
const names = registered.map(({ name }) => name)

const built = fileURLToPath(new URL('../../mgmt/', import.meta.url))
const modules = readdirSync(built, { recursive: true, encoding: 'utf8' }).filter((path) => path.endsWith('.js'))

type Handler = Command<never, unknown> | Query<never, unknown>

function isHandler(value: unknown): value is Handler {
  if (typeof value !== 'object' || value === null || !('name' in value)) return false
  return (
    ('decide' in value && typeof value.decide === 'function') || ('read' in value && typeof value.read === 'function')
  )
}

/** Commands and queries that a module exports, by themselves or gathered in a record. */
function handlersIn(exported: unknown): Handler[] {
  if (isHandler(exported)) return [exported]
  if (typeof exported !== 'object' || exported === null) return []
  return Object.values(exported).filter(isHandler)
}

t.test('No two commands or queries have the same name, and none is registered twice', async (t) => {
  t.same(
    names.filter((name, at) => names.indexOf(name) !== at),
    [],
  )
  t.ok(names.length > 20, 'they were found at all')
  for (const name of names) t.match(name, /^[a-z][A-Za-z]*(\.[a-z][A-Za-z]*)+$/, 'a name begins with its area')
})

t.test('Every command and query that a module of an area exports is registered', async (t) => {
  const foundHandlers = new Set<Handler>()
  for (const path of modules) {
    const exported = await import(pathToFileURL(join(built, path)).href)
    for (const value of Object.values(exported)) for (const each of handlersIn(value)) foundHandlers.add(each)
  }
  t.ok(foundHandlers.size > 20, 'they were found at all')
  const unregistered = [...foundHandlers].filter(({ name }) => !names.includes(name))
  t.same(
    unregistered.map(({ name }) => name),
    [],
  )
})

t.test('Tests of this plane detect values that cannot be serialized for another process', async (t) => {
  const echo: Command<unknown, unknown> = { name: 'test.echo', decide: (_tx, input) => input }
  let reached = 0
  const shards = withSerialization({
    execute: async (_owner, _command, input) => {
      reached++
      return input === 'set' ? new Set() : input
    },
  } as Shards)
  for (const bad of [new Set([1]), new Date(), () => 1, 1n, { deep: [new Map()] }, Symbol('x')]) {
    await t.rejects(shards.execute('a', echo, bad), String(bad))
  }
  t.equal(reached, 0, 'it is detected before the call')
  await t.rejects(shards.execute('a', echo, 'set'), 'in an answer too')
  for (const good of [null, undefined, { a: undefined, b: [1, -0, 'Å\ud800'] }, { bytes: Buffer.from('x') }]) {
    t.same(await shards.execute('a', echo, good), good)
  }
})
