/**
 * API keys as processes recognise them: one that owns the org's shard, one that owns nothing, and what changes between.
 */
import { randomBytes } from 'node:crypto'
import fc from 'fast-check'
import t from 'tap'
import { expandScopes, type Member, scopes } from '../../core/access.js'
import { isRefusal, type Refusal, refuse } from '../../core/errors.js'
import { apiKey as limits } from '../../core/limits/index.js'
import { type ApiKeyAuth, createApiKeyAuth } from '../../mgmt/access/apikeyauth.js'
import { createKeyCommands } from '../../mgmt/access/commands.js'
import { issueKey } from '../../mgmt/access/issue.js'
import { keyIndex, ownerOfHash } from '../../mgmt/access/keyindex.js'
import { generateKey, hashKey } from '../../mgmt/access/keys.js'
import { type KeyRecord, type KeyStatus, keyQueries } from '../../mgmt/access/store.js'
import { webhookCommands } from '../../mgmt/webhooks/commands.js'
import type { Local, Query, Shards } from '../../runtime/shard/contract.js'
import { manualClock, waitUntil } from '../harness/clock.js'
import { openTestNode } from '../harness/node.js'

const commands = createKeyCommands(webhookCommands({ timeScale: 1 }).enqueue)
const unavailable = refuse('service.unavailable', { headers: { 'retry-after': '1' } })

const clock = manualClock()
const node = await openTestNode({ clock })
t.teardown(() => node.close())
const { engine } = node.node
const orgId = 'demo'

/** What a process sees that owns no shard: it can ask, and knows nothing by itself. */
function withoutOwnership<S extends Shards>(shards: S): S & Local {
  return { ...shards, watch: () => {}, ownershipEpoch: () => undefined }
}

const here = createApiKeyAuth({ shards: engine, commands, clock })
const elsewhere = createApiKeyAuth({ shards: withoutOwnership(engine), commands, clock })

async function newKey(about: { expiresAt?: string } = {}): Promise<{ key: string; id: string }> {
  const issuer = { shards: engine, commands, randomBytes }
  const made = await issueKey(issuer, { orgId, name: 'test', scopes: ['people:read'], ...about })
  if (isRefusal(made)) throw new Error(made.refused)
  return made
}

/** The member as a value, whichever way it came. */
async function findMember(ring: ApiKeyAuth, key: string): Promise<Member | undefined> {
  const answer = await ring.verify(key)
  if (isRefusal(answer)) throw new Error(answer.refused)
  return answer
}

t.test('A key is recognized by any process, and synchronously if its org is owned and the key was seen', async (t) => {
  const { key, id } = await newKey()
  t.type(here.verify(key), Promise, 'a new key needs a query')
  const member = await findMember(here, key)
  t.match(member, { kind: 'key', id, orgId, role: 'viewer', isSysop: false })
  t.same([...(member?.scopes ?? [])], ['people:read', 'catalogs:read'])
  t.strictSame(here.verify(key), member, 'and later calls need none')
  for (let times = 0; times < 3; times++) {
    const asked = elsewhere.verify(key)
    t.type(asked, Promise, 'a process without the shard queries each time')
    t.strictSame(await asked, member)
  }
  t.strictSame(here.byId(orgId, id), member)
  t.strictSame(await elsewhere.byId(orgId, id), member)
  for (const ring of [here, elsewhere]) {
    t.equal(await ring.byId(orgId, 'key_of_nobody'), undefined)
    t.equal(await ring.byId('another-org', id), undefined)
    for (const wrong of [
      `${key}x`,
      key.slice(0, -1),
      `${key.slice(0, -1)}${key.endsWith('a') ? 'b' : 'a'}`,
      'sk-svc-',
    ]) {
      t.equal(await findMember(ring, wrong), undefined, 'a longer text with the key as its prefix is refused')
    }
  }
})

t.test('A check after an answered change sees the change, on any process', async (t) => {
  const { key, id } = await newKey()
  for (const ring of [here, elsewhere]) t.ok(await findMember(ring, key))
  await engine.execute(orgId, commands.patch, { orgId, keyId: id, isSysop: false, patch: { scopes: ['org:admin'] } })
  for (const ring of [here, elsewhere]) t.match(await findMember(ring, key), { role: 'admin' })
  t.notOk(here.verify(key) instanceof Promise, 'a change updates the cache without a query')

  const expiresAt = new Date(clock.now() + 1_000).toISOString()
  await engine.execute(orgId, commands.patch, { orgId, keyId: id, isSysop: false, patch: { expiresAt } })
  for (const ring of [here, elsewhere]) t.ok(await findMember(ring, key))
  await clock.advance(1_000)
  for (const ring of [here, elsewhere]) {
    t.equal(await findMember(ring, key), undefined)
    t.equal(await ring.byId(orgId, id), undefined)
  }
  await engine.execute(orgId, commands.patch, { orgId, keyId: id, isSysop: false, patch: { expiresAt: null } })
  for (const ring of [here, elsewhere]) t.ok(await findMember(ring, key))

  t.equal(await engine.execute(orgId, commands.revoke, { orgId, keyId: id, isSysop: false }), true)
  for (const ring of [here, elsewhere]) {
    t.equal(await findMember(ring, key), undefined)
    t.equal(await ring.byId(orgId, id), undefined)
  }
  const hash = hashKey(key)
  const findKeyByHash = () => engine.query(ownerOfHash(hash), keyIndex.find, { hash })
  await waitUntil(async () => (await findKeyByHash()) === null)
  t.equal(await findMember(elsewhere, key), undefined, 'even with its index row removed')
})

/** Scopes that bring no other with them, so that each can stand for a version of the key. */
const markerScopes = scopes.filter((scope) => scope !== 'catalogs:read' && expandScopes([scope]).length <= 2)

/** One key of a shard whose owner, changes and answers are in the test's hands. */
function openModel() {
  const key = generateKey(randomBytes)
  const keyRef = { orgId, keyId: 'key_1' }
  const pending: (() => void)[] = []
  let notifyChange: (key: [string, string], record: KeyRecord | undefined) => void = () => {}
  let tenure: number | undefined = 1
  let tenures = 1
  let version = 0
  let isRevoked = false
  const keyStatus = (): KeyStatus | null => (isRevoked ? null : { scopes: [markerScopes[version]!], sysop: false })
  const shards: Shards & Local = {
    execute: async () => refuse('service.unavailable'),
    async query<I, R>(_owner: string, query: Query<I, R>) {
      if (query.name === keyIndex.find.name) return keyRef as R
      // Some answers are what was there when they were asked for, others what is there when they are given.
      const early = pending.length % 2 === 0 ? { keyStatus: keyStatus() } : undefined
      await new Promise<void>((resolve) => pending.push(resolve))
      return (early ?? { keyStatus: keyStatus() }).keyStatus as R
    },
    queryAll: async () => [],
    watch(_table, seen) {
      notifyChange = seen as never
    },
    ownershipEpoch: () => tenure,
  }
  const changed = () => {
    if (tenure !== undefined)
      notifyChange([orgId, 'key_1'], isRevoked ? undefined : ({ scopes: [markerScopes[version]] } as KeyRecord))
  }
  return {
    key,
    ring: createApiKeyAuth({ shards, commands, clock }),
    version: (): number | 'revoked' => (isRevoked ? 'revoked' : version),
    patch() {
      if (isRevoked || version === markerScopes.length - 1) return
      version++
      changed()
    },
    revoke() {
      if (isRevoked) return
      isRevoked = true
      changed()
    },
    lose() {
      tenure = undefined
    },
    gain() {
      tenure ??= ++tenures
    },
    answerOne: () => pending.shift()?.(),
    pending: () => pending.length,
  }
}

function versionOf(answer: Member | undefined | Refusal): number | 'revoked' {
  if (!answer) return 'revoked'
  if (isRefusal(answer)) throw new Error(answer.refused)
  return markerScopes.findIndex((scope) => answer.scopes.has(scope))
}

type Step = 'find' | 'holds' | 'patch' | 'revoke' | 'lose' | 'gain' | 'answer'

t.test('For any interleaving of checks, changes and owners, no check uses state that ended before it', async () => {
  const step: fc.Arbitrary<Step> = fc.oneof(
    { weight: 6, arbitrary: fc.constant<Step>('find') },
    { weight: 2, arbitrary: fc.constant<Step>('holds') },
    { weight: 8, arbitrary: fc.constant<Step>('answer') },
    { weight: 2, arbitrary: fc.constant<Step>('patch') },
    { weight: 1, arbitrary: fc.constantFrom<Step>('revoke', 'lose') },
    { weight: 2, arbitrary: fc.constant<Step>('gain') },
  )
  let cachedCount = 0
  const property = fc.asyncProperty(fc.array(step, { maxLength: 60, size: 'max' }), async (steps) => {
    const model = openModel()
    const all: Promise<void>[] = []
    /** Every version the key had between the question and its answer is a true answer. */
    const checkVersion = (between: Set<number | 'revoked'>, answer: number | 'revoked') => {
      if (!between.has(answer)) throw new Error(`answered ${answer}, which it was not: ${[...between].join()}`)
    }
    const open = new Set<Set<number | 'revoked'>>()
    const note = () => {
      for (const seen of open) seen.add(model.version())
    }
    const ask = <T>(answer: T | Promise<T>, read: (answer: T) => number | 'revoked') => {
      const seen = new Set([model.version()])
      if (!(answer instanceof Promise)) {
        cachedCount++
        return checkVersion(seen, read(answer))
      }
      open.add(seen)
      const checked = answer.then((given) => {
        open.delete(seen)
        checkVersion(seen, read(given))
      })
      checked.catch(() => {})
      all.push(checked)
    }
    for (const action of steps) {
      if (action === 'find') ask(model.ring.verify(model.key), versionOf)
      else if (action === 'holds') {
        ask(model.ring.byId(orgId, 'key_1'), versionOf)
      } else if (action === 'answer') model.answerOne()
      else {
        model[action]()
        note()
      }
      for (let turn = 0; turn < 8; turn++) await undefined
    }
    while (model.pending() > 0) {
      model.answerOne()
      for (let turn = 0; turn < 8; turn++) await undefined
    }
    await Promise.all(all)
  })
  await fc.assert(property, { numRuns: 500 })
  if (cachedCount < 100) throw new Error('hardly anything was known without asking, so little was shown')
})

t.test('A key revoked during a check does not become valid again', async (t) => {
  const model = openModel()
  const first = model.ring.verify(model.key) as Promise<Member>
  await waitUntil(() => model.pending() === 1)
  model.revoke()
  model.answerOne()
  t.ok(await first, 'a check from before may still admit it')
  const second = model.ring.verify(model.key)
  await waitUntil(() => model.pending() === 1)
  model.answerOne()
  t.equal(await second, undefined)
})

t.test('Keys cached under one epoch are not used under the next', async (t) => {
  const model = openModel()
  const resolveVersion = async (answer: ReturnType<ApiKeyAuth['verify']>) => {
    await waitUntil(() => model.pending() === 1)
    model.answerOne()
    return versionOf(await answer)
  }
  t.equal(await resolveVersion(model.ring.verify(model.key)), 0)
  t.equal(versionOf((await model.ring.verify(model.key)) as Member), 0)
  model.lose()
  model.patch()
  t.equal(await resolveVersion(model.ring.verify(model.key)), 1, 'without the shard every call needs a query')
  model.gain()
  t.equal(await resolveVersion(model.ring.verify(model.key)), 1, 'and so does the first with it back')
  t.notOk(model.ring.verify(model.key) instanceof Promise)
})

t.test('Without its shard a key is neither valid nor invalid: 503, for a key and for its session', async (t) => {
  let isDown = false
  const own = await openTestNode({
    wrapShards: (shards) => ({
      ...withoutOwnership(shards),
      query: async (owner, query, input) => (isDown ? unavailable : shards.query(owner, query, input)),
    }),
  })
  t.teardown(() => own.close())
  const key = await own.createKey(['org:admin'])
  const session = await own.createSession('admin')
  const status = async (token: string) => (await own.mgmt('GET', '/v1/catalogs/webhook-events', { token })).status
  for (const token of [key, session]) t.equal(await status(token), 200)
  isDown = true
  for (const token of [key, session, generateKey(randomBytes)]) {
    const answer = await own.mgmt('GET', '/v1/catalogs/webhook-events', { token })
    t.equal(answer.status, 503)
    t.equal(answer.json.code, 'service.unavailable')
    t.equal(answer.headers['retry-after'], '1')
  }
  t.equal(await status('garbage'), 401, 'a malformed key is refused in any case')
  isDown = false
  for (const token of [key, session]) t.equal(await status(token), 200)
  t.equal(await status(generateKey(randomBytes)), 401)
  const { id } = (await own.mgmt('GET', '/v1/me', { token: key })).json.caller
  t.equal((await own.mgmt('DELETE', `/v1/orgs/demo/api-keys/${id}`, { token: own.key })).status, 204)
  t.equal(await status(key), 401, 'a revoked key is refused at once by a process without shards')
})

t.test('A key that cannot be created leaves no rows', async (t) => {
  const bytes = randomBytes(24)
  const issuer = {
    shards: engine,
    commands,
    randomBytes: (count: number) => (count === 24 ? bytes : randomBytes(count)),
  }
  const hash = hashKey(generateKey(() => bytes))
  const findKeyByHash = () => engine.query(ownerOfHash(hash), keyIndex.find, { hash })
  const past = { orgId, name: 'late', scopes: [], expiresAt: '2020-01-01T00:00:00Z' }
  t.match(await issueKey(issuer, past), { refused: 'request.invalid' })
  await waitUntil(async () => (await findKeyByHash()) === null)
  const made = await issueKey(issuer, { orgId, name: 'in time', scopes: [] })
  t.match(await findKeyByHash(), { orgId, keyId: (made as { id: string }).id })

  const down = { ...engine, execute: async () => unavailable }
  t.match(await issueKey({ ...issuer, shards: down }, past), { refused: 'service.unavailable' })
})

t.test('A row of the index never changes, and only the key it points to removes it', async (t) => {
  const hash = hashKey(generateKey(randomBytes))
  const owner = ownerOfHash(hash)
  const first = { orgId, keyId: 'key_first' }
  t.same(await engine.execute(owner, keyIndex.put, { hash, ...first }), first)
  t.same(await engine.execute(owner, keyIndex.put, { hash, orgId: 'other', keyId: 'key_second' }), first)
  t.equal(await engine.execute(owner, keyIndex.remove, { hash, keyId: 'key_second' }), false)
  t.same(await engine.query(owner, keyIndex.find, { hash }), first)
  t.equal(await engine.execute(owner, keyIndex.remove, { hash, keyId: 'key_first' }), true)
  t.equal(await engine.query(owner, keyIndex.find, { hash }), null)
})

t.test('A hash that is not the key’s own opens nothing, for any index row', async (t) => {
  const { id } = await newKey()
  const hash = hashKey(generateKey(randomBytes))
  t.equal(await engine.query(orgId, keyQueries.verify, { orgId, keyId: id, hash }), null)
})

t.test('lastUsedAt of a key is written at most once a minute, for any number of processes', async (t) => {
  const { key, id } = await newKey()
  const asked: string[] = []
  const countingShards = (name: string): Shards & Local => ({
    ...withoutOwnership(engine),
    execute: (owner, command, ...rest) => {
      if (command.name === commands.recordUse.name) asked.push(name)
      return engine.execute(owner, command, ...rest)
    },
  })
  const lastUsed = async () =>
    ((await engine.query(orgId, keyQueries.read, { orgId, keyId: id })) as KeyRecord).lastUsedAt
  const [one, other] = ['one', 'other'].map((name) =>
    createApiKeyAuth({ shards: countingShards(name), commands, clock }),
  )
  const begin = new Date(clock.now()).toISOString()
  for (let times = 0; times < 3; times++) await findMember(one!, key)
  await waitUntil(async () => (await lastUsed()) !== undefined)
  t.equal(await lastUsed(), begin)
  await clock.advance(limits.lastUsedEveryMs - 1)
  await findMember(other!, key)
  await findMember(one!, key)
  t.same(asked, ['one'], 'a recorded use is not reported again')
  await clock.advance(1)
  await Promise.all([findMember(one!, key), findMember(other!, key), findMember(one!, key)])
  t.same([...asked].sort(), ['one', 'one', 'other'])
  await waitUntil(async () => (await lastUsed()) === new Date(clock.now()).toISOString())
  const at = clock.now() + limits.lastUsedEveryMs - 1
  t.equal(
    await engine.execute(orgId, commands.recordUse, { orgId, keyId: id, at }),
    false,
    'two processes write it once',
  )
  t.equal(await engine.execute(orgId, commands.recordUse, { orgId, keyId: 'key_gone', at }), false)
})

t.test('A process caches a bounded number of keys', async (t) => {
  const shards: Shards & Local = {
    execute: async () => refuse('service.unavailable'),
    async query<I, R>(owner: string, query: Query<I, R>) {
      if (query.name === keyIndex.find.name) return { orgId, keyId: owner } as R
      return { scopes: [], sysop: false, lastUsedAt: clock.now() } as R
    },
    queryAll: async () => [],
    watch: () => {},
    ownershipEpoch: () => 1,
  }
  const ring = createApiKeyAuth({ shards, commands, clock })
  const keys = Array.from({ length: limits.cachedKeys + 1 }, () => generateKey(randomBytes))
  for (const key of keys) await ring.verify(key)
  t.notOk(ring.verify(keys.at(-1)!) instanceof Promise)
  t.notOk(ring.verify(keys[1]!) instanceof Promise)
  t.type(ring.verify(keys[0]!), Promise, 'the oldest made room for the newest')
})
