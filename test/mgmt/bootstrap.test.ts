/** The first start of an installation, by one node or by several at once, and the key that seals what its org keeps. */
import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { refuse } from '../../core/errors.js'
import { firstStart, sealing } from '../../core/limits/index.js'
import { createApiKeyAuth } from '../../mgmt/access/apikeyauth.js'
import { createAccess } from '../../mgmt/access/index.js'
import { keyQueries } from '../../mgmt/access/store.js'
import { createOrgs } from '../../mgmt/orgs/index.js'
import { anyOrg, createOrg } from '../../mgmt/orgs/store.js'
import { createWebhooks } from '../../mgmt/webhooks/index.js'
import { bootstrap, bootstrapModule } from '../../runtime/node/bootstrap.js'
import { createLog } from '../../runtime/observe/log.js'
import { createSealer, sealerHandlers } from '../../runtime/secrets/sealer.js'
import type { Engine, Shards } from '../../runtime/shard/contract.js'
import { openEmbedded } from '../../runtime/shard/embedded.js'
import { openStore } from '../../runtime/store/lmdb.js'
import { manualClock } from '../harness/clock.js'
import { withSerialization } from '../harness/serialization.js'

const root = Buffer.alloc(32, 5)
const clock = manualClock()
const none = undefined as never
const webhooks = createWebhooks({
  ...{ post: none, sign: none, checkUrl: none, metrics: none },
  ...{ randomBytes, clock, timeScale: 1 },
})
const access = createAccess({ orgEvent: webhooks.orgEvent, secrets: none, mgmtUrl: none, clock })
const keys = access.commands
const parts = [sealerHandlers, bootstrapModule, createOrgs().module, access.module, webhooks.module]
const key = 'sk-svc-a-key-that-the-operator-chose'

async function openInstallation(t: Test): Promise<Engine> {
  const dir = await mkdtemp(join(tmpdir(), 'parley-'))
  const store = await openStore({ dir, shards: 16 })
  const engine = openEmbedded({
    shards: 16,
    store,
    handlers: {
      commands: parts.flatMap(({ commands }) => commands),
      queries: parts.flatMap(({ queries }) => queries),
      effectHandlers: () => ({}),
    },
    clock,
    newCommandId: () => randomBytes(12).toString('hex'),
    log: createLog({ destination: { write: () => {} } }).log,
  })
  await engine.start()
  t.teardown(async () => {
    await engine.stop()
    await store.close()
    await rm(dir, { recursive: true, force: true })
  })
  return withSerialization(engine)
}

function start(shards: Shards, about: { orgId?: string; key?: string } = {}) {
  return bootstrap({ shards, sealer: createSealer(root, shards), orgId: 'demo', randomBytes, ...about })
}

async function orgsOf(engine: Engine): Promise<string[]> {
  return ((await engine.queryAll(anyOrg, {})) as (string | null)[]).filter((each) => each !== null)
}

async function memberFor(engine: Engine, token: string): Promise<unknown> {
  return createApiKeyAuth({ shards: engine, commands: keys, clock }).verify(token)
}

t.test('An empty installation gets an org and one key with every scope, and no later start adds to it', async (t) => {
  const engine = await openInstallation(t)
  const first = await start(engine, { orgId: 'my-first-org' })
  t.match(first, { orgId: 'my-first-org', key: /^sk-svc-/ })
  t.match(await memberFor(engine, first.key!), { orgId: 'my-first-org', role: 'admin', isSysop: true })
  await first.markShown?.()
  t.strictSame(await start(engine, { orgId: 'my-first-org' }), { orgId: 'my-first-org' })
  t.strictSame(await start(engine, { orgId: 'another' }), { orgId: 'my-first-org' }, 'for any name')
  t.strictSame(await orgsOf(engine), ['my-first-org'])
  const listed = await engine.query('my-first-org', keyQueries.list, { orgId: 'my-first-org' })
  t.match(listed, [{ name: 'Bootstrap key' }])
  t.equal((listed as unknown[]).length, 1)
})

t.test('A minted key is printed at each start until one start has printed it', async (t) => {
  const engine = await openInstallation(t)
  const killed = await start(engine)
  const restarted = await start(engine)
  t.equal(restarted.key, killed.key, 'the start that made it was killed before it could show it')
  await restarted.markShown?.()
  t.strictSame(await start(engine), { orgId: 'demo' })
  const given = await openInstallation(t)
  t.equal((await start(given, { key })).markShown, undefined, 'a key that was given needs no showing')
  t.strictSame(await start(given, { key }), { orgId: 'demo' })
})

t.test('One of several nodes that start together creates the org, and only its key is printed and works', async (t) => {
  const engine = await openInstallation(t)
  const all = await Promise.all(Array.from({ length: 8 }, () => start(engine)))
  const made = all.filter((each) => each.key !== undefined)
  t.equal(made.length, 1)
  t.same(new Set(all.map(({ orgId }) => orgId)), new Set(['demo']))
  t.match(await memberFor(engine, made[0]!.key!), { orgId: 'demo' })
  t.equal(((await engine.query('demo', keyQueries.list, { orgId: 'demo' })) as unknown[]).length, 1)
})

t.test('Nodes with the same key, or different orgs, still create one org that the key opens', async (t) => {
  for (const orgIds of [Array(6).fill('demo'), ['a', 'b', 'c', 'd', 'e', 'f']]) {
    const engine = await openInstallation(t)
    const all = await Promise.all(orgIds.map((orgId) => start(engine, { orgId, key })))
    t.equal(all.filter((each) => each.key !== undefined).length, 1)
    const orgs = await orgsOf(engine)
    t.equal(orgs.length, 1)
    t.same(new Set(all.map(({ orgId }) => orgId)), new Set(orgs))
    t.match(await memberFor(engine, key), { orgId: orgs[0], isSysop: true })
  }
})

t.test('A first start that stops between any two steps is completed by the next', async (t) => {
  for (let failAfter = 0; failAfter < 3; failAfter++) {
    const engine = await openInstallation(t)
    let callsLeft = failAfter
    const ask = async (...args: Parameters<Shards['execute']>) => {
      if (callsLeft-- === 0) throw new Error('killed')
      return engine.execute(...args)
    }
    await t.rejects(start({ ...engine, execute: ask as Shards['execute'] }, { key }), /killed/)
    t.match(await start(engine, { key, orgId: 'renamed' }), { key, orgId: failAfter === 0 ? 'renamed' : 'demo' })
    t.match(await memberFor(engine, key), { isSysop: true })
    t.equal((await orgsOf(engine)).length, 1)
  }
})

t.test('An org that exists by other means stays unchanged', async (t) => {
  const engine = await openInstallation(t)
  await engine.execute('elsewhere', createOrg, { id: 'elsewhere', name: 'Elsewhere' })
  t.strictSame(await start(engine), { orgId: 'elsewhere' })
})

t.test('A node waits for shards without an owner, retries with the same id, and finally reports it', async (t) => {
  const engine = await openInstallation(t)
  const unavailable = refuse('service.unavailable', { detail: 'Nobody serves this shard.' })
  const ids = new Map<string, Set<string | undefined>>()
  let reads = 0
  const slow = {
    ...engine,
    /** Every command is decided, and its answer is lost the first time. */
    async execute(...[owner, command, input, options]: Parameters<Shards['execute']>) {
      const answer = await engine.execute(owner, command, input, options)
      const before = ids.get(command.name)
      ids.set(command.name, new Set(before).add(options?.id))
      return before ? answer : unavailable
    },
    query: (...args: Parameters<Shards['query']>) =>
      reads++ < 2 ? Promise.resolve(unavailable) : engine.query(...args),
  } as Shards
  const first = await start(slow)
  t.match(await memberFor(engine, first.key!), { orgId: 'demo' }, 'the key of an answer that was lost is not lost')
  t.equal(ids.size, 3)
  for (const [name, seen] of ids) t.equal(seen.size, 1, `${name} was retried under its id`)

  let requestCount = 0
  const read = async () => {
    requestCount++
    return unavailable
  }
  await t.rejects(start({ ...engine, query: read }), /Nobody serves this shard/)
  t.equal(requestCount, firstStart.attempts)
})

t.test('A secret opens only at its place, with the key of its org, which is requested once', async (t) => {
  const engine = await openInstallation(t)
  await start(engine)
  let reads = 0
  let isDown = false
  const shards = {
    ...engine,
    query: (async (...args: Parameters<Shards['query']>) => {
      reads++
      return isDown ? refuse('service.unavailable') : engine.query(...args)
    }) as Shards['query'],
  }
  const sealer = createSealer(root, shards)
  isDown = true
  t.match(await sealer.seal('demo', 'webhook', 'wh_1', 'hush'), { refused: 'service.unavailable' })
  t.match(await sealer.open('demo', 'webhook', 'wh_1', Buffer.alloc(80)), { refused: 'service.unavailable' })
  isDown = false
  reads = 0
  const sealed = (await sealer.seal('demo', 'webhook', 'wh_1', 'hush')) as Uint8Array
  t.notMatch(Buffer.from(sealed).toString('latin1'), 'hush')
  isDown = true
  t.equal(await sealer.open('demo', 'webhook', 'wh_1', sealed), 'hush', 'a cached key is not requested again')
  t.equal(reads, 1)
  isDown = false
  t.equal(await createSealer(root, engine).open('demo', 'webhook', 'wh_1', sealed), 'hush', 'another process opens it')
  await t.rejects(sealer.open('demo', 'webhook', 'wh_2', sealed))
  await t.rejects(sealer.open('demo', 'other', 'wh_1', sealed))
  await t.rejects(sealer.seal('nowhere', 'webhook', 'wh_1', 'hush'), /no data key/)
  await t.rejects(createSealer(Buffer.alloc(32, 6), engine).open('demo', 'webhook', 'wh_1', sealed))
})

t.test('A process caches a bounded number of data keys', async (t) => {
  let reads = 0
  const shards = {
    query: async (owner: string) => {
      reads++
      return createSealer(root, shards).newDataKeyFor(owner)
    },
  } as unknown as Shards
  const sealer = createSealer(root, shards)
  for (let org = 0; org <= sealing.cachedDataKeys; org++) await sealer.seal(`org-${org}`, 'kind', 'id', 'x')
  t.equal(reads, sealing.cachedDataKeys + 1)
  await sealer.seal(`org-${sealing.cachedDataKeys}`, 'kind', 'id', 'x')
  t.equal(reads, sealing.cachedDataKeys + 1)
  await sealer.seal('org-0', 'kind', 'id', 'x')
  t.equal(reads, sealing.cachedDataKeys + 2, 'the oldest was forgotten')
})
