/** One installation in several processes: management, gateway and shards apart, together as one node is. */
import { randomBytes } from 'node:crypto'
import { readdirSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import { dataFileName } from '../../runtime/store/directory.js'
import { waitUntil } from '../harness/clock.js'
import { TestNats } from '../harness/nats.js'
import { type NodeProcess, runToEnd, startNode, testKey } from '../harness/process.js'
import { isSignedWith, openReceiver } from '../harness/receiver.js'
import { TestRedis } from '../harness/redis.js'

const shards = 8
const nats = await TestNats.start()
const redis = await TestRedis.start()
const receiver = await openReceiver(t)
const env = {
  PARLEY_NATS_URL: nats.url,
  PARLEY_REDIS_URL: redis.url,
  PARLEY_SHARDS: String(shards),
  PARLEY_SECRET_KEY: randomBytes(32).toString('hex'),
}
const started: NodeProcess[] = []
t.teardown(async () => {
  await Promise.all(started.map((node) => node.clean()))
  await Promise.all([nats.stop(), redis.stop()])
})

/** A process without the gateway has to be given its address. */
function settings(roles: string): Record<string, string> {
  const elsewhere: Record<string, string> = { PARLEY_PUBLIC_GATEWAY_URL: 'https://gateway.test' }
  return { ...env, PARLEY_ROLES: roles, ...(roles.includes('gateway') ? {} : elsewhere) }
}

async function start(roles: string): Promise<NodeProcess> {
  const node = await startNode(settings(roles))
  started.push(node)
  return node
}

const roles = ['mgmt', 'mgmt', 'gateway', 'shards', 'shards']
const [one, two, gateway, ...shardNodes] = (await Promise.all(roles.map(start))) as [
  NodeProcess,
  NodeProcess,
  NodeProcess,
  ...NodeProcess[],
]

interface Answer {
  readonly status: number
  readonly body: { readonly id: string; readonly key: string; readonly signingSecret: string; readonly data: Named[] }
}
interface Named {
  readonly id: string
  readonly name: string
  readonly state: string
}

async function call(node: NodeProcess, method: string, path: string, json?: unknown, key = testKey): Promise<Answer> {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
  const body = json === undefined ? undefined : JSON.stringify(json)
  const answer = await fetch(`${node.mgmt}/v1${path}`, { method, headers, body })
  const text = await answer.text()
  return { status: answer.status, body: text === '' ? {} : JSON.parse(text) }
}

/**
 * While nobody serves a shard its callers are told to come again, and they do. One that came again may have been heard
 * the
 * first time.
 */
async function callUntilServed(...args: Parameters<typeof call>): Promise<Answer & { readonly wasRetried: boolean }> {
  for (let tries = 1; ; tries++) {
    const answer = await call(...args)
    if (answer.status !== 503) return { ...answer, wasRetried: tries > 1 }
  }
}

async function keyNames(node: NodeProcess): Promise<string[]> {
  return (await callUntilServed(node, 'GET', '/orgs/demo/api-keys')).body.data.map(({ name }) => name)
}

async function metric(node: NodeProcess, name: string): Promise<number> {
  const text = await (await fetch(`${node.mgmt || node.gateway}/metrics`)).text()
  return Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1])
}

t.test('Every process reports readiness and its metrics', async (t) => {
  for (const node of started) {
    const url = node.mgmt || node.gateway
    // An old NATS server degrades durability, and that is all that may be said of any of them in the end: on a busy
    // machine
    // Redis may be away for a moment.
    await waitUntil(async () => {
      const ready = await fetch(`${url}/readyz`)
      t.equal(ready.status, 200)
      const { checks } = (await ready.json()) as { checks: { name: string; status: string }[] }
      return checks.every(({ name, status }) => status === 'ok' || name === 'durability')
    })
    await waitUntil(async () => (await metric(node, 'parley_cluster_nodes')) === started.length)
    t.equal(await metric(node, 'parley_bus_connected'), 1)
    t.equal(await metric(node, 'parley_bus_reconnects_total'), 0)
  }
  t.equal((await fetch(`${gateway.gateway}/v4/docs`)).status, 200, 'the gateway serves its own plane')
  t.equal(gateway.mgmt, '', 'and not the other')
  for (const shardNode of shardNodes) {
    t.equal((await fetch(`${shardNode.mgmt}/v1/me`)).status, 404, 'a process that keeps shards serves no plane')
  }
})

t.test('Only a process with the role shards has a database', async (t) => {
  for (const node of [one, two, gateway]) {
    t.notOk(readdirSync(node.dir).includes(dataFileName))
    t.ok(Number.isNaN(await metric(node, 'parley_store_file_bytes')), 'and it has no shard metrics')
  }
  for (const node of shardNodes) {
    t.ok(readdirSync(node.dir).includes(dataFileName))
    t.ok((await metric(node, 'parley_store_file_bytes')) > 0)
  }
})

t.test('A change through one process is visible through the other, and events are delivered signed', async (t) => {
  const url = receiver.url('/events')
  const webhook = await callUntilServed(one, 'POST', '/orgs/demo/webhooks', { url, events: ['api_key.created'] })
  t.equal(webhook.status, 201)
  const made = await callUntilServed(two, 'POST', '/orgs/demo/api-keys', { name: 'first', scopes: ['org:admin'] })
  t.equal(made.status, 201)
  for (const node of [one, two]) {
    t.ok((await keyNames(node)).includes('first'))
    t.equal((await callUntilServed(node, 'GET', '/me', undefined, made.body.key)).status, 200)
  }
  const events = () =>
    receiver
      .at('/events')
      .filter((each) => isSignedWith(webhook.body.signingSecret, each))
      .map(({ body }) => JSON.parse(String(body)))
      .filter(({ data }) => data.id === made.body.id)
  await waitUntil(() => events().length > 0)
  t.match(events()[0], { type: 'api_key.created', data: { name: 'first' } })
  const deliveries = `/orgs/demo/webhooks/${webhook.body.id}/deliveries`
  await waitUntil(async () =>
    (await callUntilServed(two, 'GET', deliveries)).body.data.every(({ state }) => state === 'delivered'),
  )
  t.equal(events().length, 1)
})

t.test('A revoked key is refused by every process from the moment of the answer', async (t) => {
  const [waves, atOnce] = [20, 10]
  const callsAfter = 2
  const answers = { before: 0, after: 0, acceptedAfter: 0 }
  async function revoke(count: number): Promise<void> {
    const { body } = await callUntilServed(one, 'POST', '/orgs/demo/api-keys', { name: `short ${count}` })
    let isRevoked = false
    const callers = [one, two].map(async (node) => {
      for (let after = 0; after < callsAfter; ) {
        const startedAfter = isRevoked
        const { status } = await callUntilServed(node, 'GET', '/me', undefined, body.key)
        if (!startedAfter) answers.before++
        else {
          after++
          answers.after++
          if (status !== 401) answers.acceptedAfter++
        }
      }
    })
    const deleter = count % 2 === 0 ? one : two
    const { status, wasRetried } = await callUntilServed(deleter, 'DELETE', `/orgs/demo/api-keys/${body.id}`)
    isRevoked = true
    if (status !== 204 && !(wasRetried && status === 404)) t.fail(`revoking was answered ${status}`)
    await Promise.all(callers)
  }
  for (let wave = 0; wave < waves; wave++) {
    await Promise.all(Array.from({ length: atOnce }, (_, at) => revoke(wave * atOnce + at)))
  }
  t.equal(answers.acceptedAfter, 0, `of ${answers.after} calls after ${waves * atOnce} revocations`)
  t.ok(answers.before >= waves * atOnce, `${answers.before} calls raced with them`)
})

t.test('A shards process can be killed: the other takes over its shards with all their data', async (t) => {
  const before = await keyNames(one)
  const [killed, survivor] = shardNodes as [NodeProcess, NodeProcess]
  t.ok((await metric(survivor, 'parley_shards_owned')) < shards, 'they shared the work')
  await killed.end('SIGKILL')
  t.equal((await callUntilServed(two, 'POST', '/orgs/demo/api-keys', { name: 'later' })).status, 201)
  await waitUntil(async () => (await metric(survivor, 'parley_shards_owned')) === shards)
  t.same([...new Set(await keyNames(one))], [...new Set([...before, 'later'])])
})

t.test('A process that does not fit the installation is refused with a sentence', async (t) => {
  const dir = await mkdtemp(join(tmpdir(), 'parley-'))
  t.teardown(() => rm(dir, { recursive: true, force: true }))
  const misfits: [Record<string, string>, number, RegExp][] = [
    [{ PARLEY_SECRET_KEY: randomBytes(32).toString('hex') }, 1, /another root key/],
    [{ PARLEY_SHARDS: '16' }, 1, /8 shards.*PARLEY_SHARDS/s],
    [{ PARLEY_NATS_URL: 'nats://127.0.0.1:1' }, 1, /127\.0\.0\.1:1/],
    [{ PARLEY_SHARDS: 'many' }, 2, /PARLEY_SHARDS/],
    [{ PARLEY_SECRET_KEY: 'short' }, 2, /PARLEY_SECRET_KEY/],
  ]
  async function expectStartRefused(roles: string, [wrong, code, sentence]: (typeof misfits)[number]): Promise<void> {
    const own = await mkdtemp(join(dir, 'node-'))
    const ended = await runToEnd({ ...settings(roles), PARLEY_DATA_DIR: own, ...wrong })
    t.equal(ended.code, code, `${roles} with ${Object.keys(wrong)}`)
    t.match(ended.stderr, sentence)
    t.equal(ended.stderr.trim().split('\n').length, 1, 'a sentence and no stack')
  }
  await Promise.all(misfits.map((misfit) => expectStartRefused('mgmt', misfit)))
  await Promise.all(misfits.slice(0, 2).map((misfit) => expectStartRefused('mgmt,gateway,shards', misfit)))
})

t.test('Every process stops cleanly on request', async (t) => {
  const codes = await Promise.all([one, two, gateway, shardNodes[1]!].map((node) => node.end('SIGTERM')))
  t.same(codes, [0, 0, 0, 0])
})
