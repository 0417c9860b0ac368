/** An agent at the gateway: its token and secret, its webhook, and what any process knows of its routes. */
import { randomBytes } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { formatAgentKey } from '../../core/agentref.js'
import { isRefusal, type Refusal, refuse } from '../../core/errors.js'
import { generateToken, hashToken } from '../../mgmt/agents/credentials.js'
import { createOwnerCache } from '../../mgmt/agents/ownercache.js'
import { type AgentDirectory, createDirectory, type VersionedRouting } from '../../mgmt/channels/directory.js'
import { type AgentTokenAuth, createAgentTokenAuth } from '../../mgmt/gatewayaccess/accesstokens.js'
import { ownerOfToken, tokenIndex } from '../../mgmt/gatewayaccess/tokenindex.js'
import { loadOrCreateSecretKey } from '../../runtime/secrets/rootkey.js'
import { createSealer } from '../../runtime/secrets/sealer.js'
import type { Local, Shards } from '../../runtime/shard/contract.js'
import { manualClock, waitUntil } from '../harness/clock.js'
import { openTestNode, type Response } from '../harness/node.js'
import { openReceiver } from '../harness/receiver.js'
import { withSerialization } from '../harness/serialization.js'

const clock = manualClock()
const node = await openTestNode({ clock })
t.teardown(() => node.close())
const { engine } = node.node
const agents = '/v1/orgs/demo/agents'
const sealer = createSealer(loadOrCreateSecretKey(node.dir).key, engine)
const unavailable = refuse('service.unavailable', { headers: { 'retry-after': '1' } })

function call(method: string, path: string, json?: unknown): Promise<Response> {
  return node.mgmt(method, `${agents}${path}`, { token: node.key, json })
}

let made = 0
async function newAgent(): Promise<string> {
  return (await call('POST', '', { name: `agent ${++made}` })).json.id
}
async function newToken(agent: string): Promise<string> {
  return (await call('POST', `/${agent}/gateway/_rotateToken`)).json.accessToken
}
const webhook = (token: string | undefined, method = 'GET', json?: unknown) =>
  node.gateway(method, '/v4/webhook', { token, json })

t.test('An access token is long, random and unlike any other', async (t) => {
  const tokens = Array.from({ length: 200 }, () => generateToken(randomBytes))
  for (const token of tokens) t.match(token, /^at-svc-[0-9A-Za-z]{43}$/)
  t.equal(new Set(tokens).size, tokens.length)
})

t.test('A new agent has credentials that were never shown, and is managed', async (t) => {
  const agent = await newAgent()
  const { status, json } = await call('GET', `/${agent}/gateway`)
  t.equal(status, 200)
  t.same(Object.keys(json).sort(), ['accessTokenPrefix', 'mode', 'signingSecretPrefix', 'warning'])
  t.match(json, { accessTokenPrefix: /^at-svc-\w{6}$/, signingSecretPrefix: /^ws-svc-\w{6}$/, mode: 'managed' })
  for (const method of ['_rotateToken', '_rotateSecret']) {
    t.equal((await call('POST', `/unknown/gateway/${method}`)).status, 404)
  }
  t.equal((await call('GET', '/unknown/gateway')).status, 404)
})

t.test('A rotated token is shown once and opens the gateway; the old one is refused at once', async (t) => {
  const agent = await newAgent()
  const before = (await call('GET', `/${agent}/gateway`)).json
  const first = await newToken(agent)
  t.match(first, /^at-svc-[0-9A-Za-z]{43}$/)
  const after = (await call('GET', `/${agent}/gateway`)).json
  t.not(after.accessTokenPrefix, before.accessTokenPrefix)
  t.ok(first.startsWith(after.accessTokenPrefix))
  t.equal(after.signingSecretPrefix, before.signingSecretPrefix)
  for (let times = 0; times < 3; times++) t.equal((await webhook(first)).status, 404, 'it is let in: it has no webhook')
  const second = await newToken(agent)
  t.equal((await webhook(first)).status, 401)
  t.equal((await webhook(second)).status, 404)
  const owner = ownerOfToken(hashToken(first))
  const row = () => engine.query(owner, tokenIndex.find, { hash: hashToken(first) })
  await waitUntil(async () => (await row()) === null, clock)
  t.equal((await webhook(first)).status, 401)
})

t.test('A token is in the header or in the query, which takes precedence; any other call is 401', async (t) => {
  const token = await newToken(await newAgent())
  const other = await newAgent()
  const theirs = await newToken(other)
  await webhook(theirs, 'POST', { webhookUrl: 'https://acme.example/theirs' })
  const ask = (query: string, headers: Record<string, string> = {}) =>
    node.gateway('GET', `/v4/webhook${query}`, { headers })
  t.equal((await ask('', { authorization: `bearer ${token}` })).status, 404)
  t.equal((await ask(`?access_token=${token}`)).status, 404)
  t.equal((await ask(`?access_token=${theirs}`, { authorization: `Bearer ${token}` })).status, 200)
  t.equal((await ask(`?access_token=${token}`, { authorization: `Bearer ${theirs}` })).status, 404)
  t.equal((await ask('?access_token=at-svc-wrong', { authorization: `Bearer ${theirs}` })).status, 401)
  const wrong = ['', 'at-svc-', `${token}x`, token.slice(0, -1), node.key, 'garbage', `at-svc-${'x'.repeat(43)}`]
  for (const each of wrong) {
    const refused = await webhook(each || undefined)
    t.equal(refused.status, 401)
    t.type(refused.json.message, 'string')
    t.equal(refused.headers['www-authenticate'], 'Bearer')
  }
  t.equal((await node.mgmt('GET', '/v1/me', { token })).status, 401, 'the management plane knows no agents')
})

t.test('An agent sets, reads, changes and removes its webhook', async (t) => {
  const agent = await newAgent()
  const token = await newToken(agent)
  t.equal((await webhook(token)).status, 404)
  const url = 'https://acme.example/hook'
  const set = await webhook(token, 'POST', { webhookUrl: url, instanceId: 'blue' })
  t.equal(set.status, 200)
  t.strictSame(set.json, { webhookUrl: url, instanceId: 'blue' })
  t.strictSame((await webhook(token)).json, set.json)
  t.match((await call('GET', `/${agent}/gateway`)).json, { ...set.json, mode: 'webhook' })
  const newWebhook = { webhookUrl: `${url}/2` }
  t.strictSame(
    (await webhook(token, 'PATCH', newWebhook)).json,
    { ...newWebhook, instanceId: 'blue' },
    'a chosen value stays',
  )
  t.strictSame((await webhook(token, 'POST', { ...newWebhook, instanceId: '' })).json, {
    ...newWebhook,
    instanceId: '',
  })
  const deleted = await webhook(token, 'DELETE')
  t.equal(deleted.status, 200)
  t.type(deleted.json.message, 'string')
  for (const method of ['GET', 'DELETE']) t.equal((await webhook(token, method)).status, 404)
  t.match((await call('GET', `/${agent}/gateway`)).json, { mode: 'managed', webhookUrl: undefined })
  t.strictSame(
    (await webhook(token, 'PATCH', newWebhook)).json,
    { ...newWebhook, instanceId: agent },
    'without a chosen one: the agent’s id',
  )
})

t.test('An invalid webhook is 400 with a message, and the URL passes the guard', async (t) => {
  const guarded = await openTestNode({ env: { PARLEY_ALLOW_PRIVATE_URLS: 'false' } })
  t.teardown(() => guarded.close())
  await guarded.mgmt('POST', agents, { token: guarded.key, json: { name: 'Ada' } })
  const rotated = await guarded.mgmt('POST', `${agents}/ada/gateway/_rotateToken`, { token: guarded.key })
  const token = rotated.json.accessToken
  const bad = [
    {},
    { instanceId: 'x' },
    { webhookUrl: '' },
    { webhookUrl: 7 },
    { webhookUrl: 'acme.example' },
    { webhookUrl: 'http://acme.example/' },
    { webhookUrl: 'https://127.0.0.1/' },
    { webhookUrl: 'https://localhost/' },
    { webhookUrl: 'https://user@acme.example/' },
    { webhookUrl: `https://acme.example/${'x'.repeat(2_048)}` },
  ]
  for (const method of ['POST', 'PATCH']) {
    for (const json of bad) {
      const refused = await guarded.gateway(method, '/v4/webhook', { token, json })
      t.equal(refused.status, 400, JSON.stringify(json).slice(0, 60))
      t.match(refused.json.message, /webhookUrl/)
    }
    const webhookUrl = 'https://acme.example/'
    const unknown = await guarded.gateway(method, '/v4/webhook', { token, json: { webhookUrl, surprise: 1 } })
    t.equal(unknown.status, 400)
    t.match(unknown.json.message, /surprise/)
  }
  t.equal((await guarded.gateway('GET', '/v4/webhook', { token })).status, 404)
})

t.test('Neither token nor secret is readable in the data, and the secret opens with the org’s key', async (t) => {
  const agent = await newAgent()
  const token = await newToken(agent)
  const { signingSecret } = (await call('POST', `/${agent}/gateway/_rotateSecret`)).json
  t.match(signingSecret, /^ws-svc-[0-9A-Za-z]{43}$/)
  t.ok(signingSecret.startsWith((await call('GET', `/${agent}/gateway`)).json.signingSecretPrefix))
  const entries = readdirSync(node.dir, { withFileTypes: true }).filter((entry) => entry.isFile())
  const files = entries.map(({ name }) => readFileSync(join(node.dir, name), 'latin1'))
  t.ok(
    files.some((text) => text.includes(agent)),
    'the data was found at all',
  )
  for (const secret of [token, signingSecret]) t.notOk(files.some((text) => text.includes(secret.slice(13))))
  for (const secret of [token, signingSecret]) t.notMatch(JSON.stringify(node.logged), secret)
  const routes = await loadRouting(here, agent)
  const { kind, id, sealed } = routes.signingSecret
  t.equal(await sealer.open('demo', kind, id, sealed), signingSecret)
  const again = (await call('POST', `/${agent}/gateway/_rotateSecret`)).json.signingSecret
  const next = (await loadRouting(here, agent)).signingSecret
  t.equal(await sealer.open('demo', next.kind, next.id, next.sealed), again)
  t.not(again, signingSecret)
})

t.test('The org gets an event when credentials or webhook changed, without their values', async (t) => {
  const receiver = await openReceiver(t)
  const json = { url: receiver.url('/access'), events: ['agent.updated'] }
  await node.mgmt('POST', '/v1/orgs/demo/webhooks', { token: node.key, json })
  const agent = await newAgent()
  const token = await newToken(agent)
  await call('POST', `/${agent}/gateway/_rotateSecret`)
  const set = { webhookUrl: 'https://acme.example/', instanceId: 'x' }
  for (let times = 0; times < 2; times++) await webhook(token, 'POST', set)
  await webhook(token, 'DELETE')
  const receivedEvents = () => receiver.at('/access').map(({ body }) => JSON.parse(String(body)))
  await waitUntil(() => receivedEvents().length >= 4, clock)
  const changed = receivedEvents().flatMap(({ data }) => data.changed)
  t.same(changed.sort(), ['gateway.accessToken', 'gateway.signingSecret', 'gateway.webhook', 'gateway.webhook'])
  t.notMatch(JSON.stringify(receivedEvents()), /at-svc|ws-svc/)
})

function directoryOver(shards: Shards & Local): AgentDirectory & { byAccessToken: AgentTokenAuth } {
  return { ...createDirectory(shards), byAccessToken: createAgentTokenAuth(shards) }
}

/** Counts what is asked, and cuts it off on request. */
function countingShards<S extends Shards>(shards: S) {
  const state = { reads: 0, isCut: false }
  const read: Shards['query'] = async (owner, query, input) => {
    state.reads++
    return state.isCut ? unavailable : shards.query(owner, query, input)
  }
  return { state, shards: { ...shards, query: read } }
}

const owned = countingShards(engine)
const here = directoryOver(owned.shards)
/** What a process sees that owns no shard: it can ask, and knows nothing by itself. */
const elsewhere = directoryOver({ ...engine, watch: () => {}, ownershipEpoch: () => undefined })

async function loadRouting(directory: AgentDirectory, agentId: string): Promise<VersionedRouting> {
  const routes = await directory.get(formatAgentKey({ orgId: 'demo', agentId }))
  if (isRefusal(routes)) throw new Error(routes.refused)
  return routes
}

t.test('The routing of an agent contains everything that sending needs, the same on every process', async (t) => {
  const agent = await newAgent()
  const token = await newToken(agent)
  const channels = `/${agent}/channels`
  await call('PATCH', `/${agent}`, { identity: { contactEmail: 'help@acme.example' } })
  await webhook(token, 'POST', { webhookUrl: 'https://acme.example/', instanceId: 'x' })
  const sms = (await call('POST', channels, { channel: 'sms', mode: 'unmanaged', provider: 'emulator' })).json
  const rcs = (await call('POST', channels, { channel: 'rcs', mode: 'unmanaged', provider: 'emulator' })).json
  await call('POST', channels, { channel: 'messengerA', mode: 'managed' })
  const settings = { delivery: { minMessageDelayMs: 500 }, compliance: { enabled: true, disclaimerText: 'Hi' } }
  await call('PATCH', `${channels}/${sms.id}`, settings)
  await call('POST', `${channels}/${rcs.id}/_disable`)
  await node.mgmt('PATCH', '/v1/orgs/demo', { token: node.key, json: { timeZone: 'Europe/Berlin' } })
  const routes = await loadRouting(here, agent)
  t.match(routes, {
    orgId: 'demo',
    agentId: agent,
    mode: 'webhook',
    webhook: { webhookUrl: 'https://acme.example/', instanceId: 'x' },
    identity: { contactEmail: 'help@acme.example' },
    timeZone: 'Europe/Berlin',
    notReady: [{ bindingId: rcs.id, channel: 'rcs', provider: 'emulator', mode: 'unmanaged' }],
  })
  t.same(routes.channels.map(({ channel }) => channel).sort(), ['sms', 'webchat'], 'those that are Active')
  const route = routes.channels.find(({ channel }) => channel === 'sms')
  t.strictSame(route, { bindingId: sms.id, channel: 'sms', provider: 'emulator', mode: 'unmanaged', ...settings })
  t.strictSame(await loadRouting(elsewhere, agent), routes)
  for (const directory of [here, elsewhere]) {
    t.match(await directory.get('demo/unknown'), { refused: 'resource.not_found' })
  }
})

t.test('A managed agent speaks from its first playbook or fact on, and lint and gateway warn until then', async (t) => {
  const agent = await newAgent()
  const token = await newToken(agent)
  const expectVoice = async (speaks: boolean, isManaged = true) => {
    for (const directory of [here, elsewhere])
      t.equal((await loadRouting(directory, agent)).speaks, speaks ? true : undefined, 'the routing knows it at once')
    const { warning } = (await call('GET', `/${agent}/gateway`)).json
    const { warnings } = (await call('GET', `/${agent}/lint`)).json
    const linted = warnings.filter(({ code }: { code: string }) => code === 'agent.voice.missing')
    t.equal(linted.length, !speaks && isManaged ? 1 : 0)
    t.equal(warning, !speaks && isManaged ? linted[0].message : undefined)
  }
  const facts = `/${agent}/knowledge/facts`
  const expectStatus = (response: Response, status: number) => t.equal(response.status, status, response.text)
  await expectVoice(false)
  const { id } = (await call('POST', facts, { question: 'Open?', answer: 'Always.', confirmed: false })).json
  await expectVoice(false)
  expectStatus(await call('PATCH', `${facts}/${id}`, { confirmed: true }), 200)
  await expectVoice(true)
  expectStatus(await call('PATCH', `${facts}/${id}`, { enabled: false }), 200)
  await expectVoice(false)
  expectStatus(await call('POST', `/${agent}/playbooks`, { name: 'Front desk', body: 'Help.' }), 201)
  await expectVoice(true)
  await webhook(token, 'POST', { webhookUrl: 'https://acme.example/hook' })
  await expectVoice(false, false)
  await webhook(token, 'DELETE')
  await expectVoice(true)
  expectStatus(await call('POST', `/${agent}/import`, { playbooks: [] }), 200)
  await expectVoice(false)
})

t.test('The routing is the very same object until something changes that it has', async (t) => {
  const agent = await newAgent()
  await call('POST', `/${agent}/playbooks`, { name: 'Front desk', body: 'Help.' })
  const before = [await loadRouting(here, agent), await loadRouting(elsewhere, agent)] as const
  const idle: (() => Promise<Response>)[] = [
    () => call('POST', `/${agent}/playbooks`, { name: 'Booking', body: 'Book.' }),
    () => call('POST', `/${agent}/knowledge/facts`, { question: 'Open?', answer: 'Always.' }),
    () => call('PUT', `/${agent}/standing-instructions`, { standingInstructions: ['Be kind.'] }),
  ]
  for (const change of idle) {
    t.ok([200, 201].includes((await change()).status))
    t.equal(await loadRouting(here, agent), before[0])
    t.equal(await loadRouting(elsewhere, agent), before[1])
  }
  await call('PATCH', `/${agent}`, { name: 'Another' })
  for (const [directory, old] of [
    [here, before[0]],
    [elsewhere, before[1]],
  ] as const) {
    const renamed = await loadRouting(directory, agent)
    t.match(renamed, { name: 'Another' })
    t.not(renamed, old)
  }
})

t.test('The version of the routing changes with each of its fields, and with no other', async (t) => {
  const agent = await newAgent()
  const token = await newToken(agent)
  const channels = `/${agent}/channels`
  const { id } = (await call('POST', channels, { channel: 'sms', mode: 'unmanaged', provider: 'emulator' })).json
  const seen = new Set([(await loadRouting(here, agent)).version])
  const changes: (() => Promise<Response>)[] = [
    () => call('PATCH', `/${agent}`, { name: 'Another' }),
    () => call('PATCH', `/${agent}`, { identity: { brandColor: '#fff' } }),
    () => webhook(token, 'POST', { webhookUrl: 'https://acme.example/1' }),
    () => webhook(token, 'POST', { webhookUrl: 'https://acme.example/1', instanceId: 'y' }),
    () => call('POST', `/${agent}/gateway/_rotateSecret`),
    () => call('PATCH', `${channels}/${id}`, { delivery: { minMessageDelayMs: 700 } }),
    () => call('PATCH', `${channels}/${id}`, { compliance: { enabled: true } }),
    () => call('POST', `${channels}/${id}/_disable`),
    () => call('DELETE', `${channels}/${id}`),
    () => node.mgmt('PATCH', '/v1/orgs/demo', { token: node.key, json: { timeZone: 'Asia/Tokyo' } }),
  ]
  for (const [nth, change] of changes.entries()) {
    t.ok([200, 204].includes((await change()).status))
    const { version } = await loadRouting(here, agent)
    t.ok(Number.isSafeInteger(version))
    t.notOk(seen.has(version), `change ${nth} is seen`)
    t.equal((await loadRouting(elsewhere, agent)).version, version)
    seen.add(version)
  }
  const { version } = await loadRouting(here, agent)
  const idle: (() => Promise<unknown>)[] = [
    () => call('POST', `/${agent}/gateway/_rotateToken`),
    () => call('PATCH', `/${agent}`, { name: 'Another' }),
    () => call('POST', channels, { channel: 'messengerA', mode: 'managed' }),
    () => node.mgmt('PATCH', '/v1/orgs/demo', { token: node.key, json: { name: 'Renamed' } }),
    () => newAgent(),
  ]
  for (const change of idle) {
    await change()
    t.equal((await loadRouting(here, agent)).version, version)
  }
})

t.test('The owner of the shard resolves routing and tokens synchronously; any other process queries it', async (t) => {
  const agent = await newAgent()
  const token = await newToken(agent)
  const caller = { kind: 'agent', id: agent, orgId: 'demo', agentId: agent }
  t.type(here.byAccessToken(token), Promise, 'a new token needs a query')
  t.strictSame(await here.byAccessToken(token), caller)
  const routes = await loadRouting(here, agent)
  const before = owned.state.reads
  for (let times = 0; times < 3; times++) {
    t.strictSame(here.byAccessToken(token), caller)
    t.equal(await loadRouting(here, agent), routes, 'the very same')
  }
  t.equal(owned.state.reads, before, 'and later calls need none')
  t.type(elsewhere.byAccessToken(token), Promise)
  t.strictSame(await elsewhere.byAccessToken(token), caller)

  const next = await newToken(agent)
  for (const directory of [here, elsewhere]) {
    t.equal(await directory.byAccessToken(token), undefined, 'the replaced token is refused')
    t.strictSame(await directory.byAccessToken(next), caller)
    t.equal(await directory.byAccessToken(token), undefined)
  }
  await call('DELETE', `/${agent}`)
  for (const directory of [here, elsewhere]) {
    t.equal(await directory.byAccessToken(next), undefined)
    t.match(await directory.get(`demo/${agent}`), { refused: 'resource.not_found' })
  }
})

t.test('A shard that cannot be reached leads to 503 and never to 401', async (t) => {
  const agent = await newAgent()
  const token = await newToken(agent)
  const cut = countingShards({ ...engine, watch: () => {}, ownershipEpoch: () => undefined })
  const directory = directoryOver(cut.shards)
  cut.state.isCut = true
  t.match(await directory.byAccessToken(token), { refused: 'service.unavailable' })
  t.match(await directory.get(`demo/${agent}`), { refused: 'service.unavailable' })
  cut.state.isCut = false
  t.match(await directory.byAccessToken(token), { agentId: agent })
  cut.state.isCut = true
  t.match(
    await directory.byAccessToken(token),
    { refused: 'service.unavailable' },
    'where it is does not say it is good',
  )
})

t.test('A result queried before a change is not used after it, and no result outlives its epoch', async (t) => {
  let tenure: number | undefined = 1
  const ownerCache = createOwnerCache<string>({ ownershipEpoch: () => tenure }, 2)
  await ownerCache.load('a', async () => 'one')
  t.equal(ownerCache.get('a'), 'one')
  const pendingLoad = ownerCache.load('b', async () => {
    ownerCache.invalidate('b')
    return 'old'
  })
  t.equal(await pendingLoad, 'old', 'a load from before the change may return the old value')
  t.equal(ownerCache.get('b'), undefined, 'but no later one')
  tenure = 2
  t.equal(ownerCache.get('a'), undefined)
  await ownerCache.load('a', async () => 'two')
  tenure = undefined
  t.equal(ownerCache.get('a'), undefined)
  await ownerCache.load('c', async () => 'three')
  tenure = 3
  t.equal(ownerCache.get('c'), undefined, 'a result without ownership of the shard is never cached')
  for (const owner of ['x', 'y', 'z']) await ownerCache.load(owner, async () => owner)
  t.same(['x', 'y', 'z'].map(ownerCache.get), [undefined, 'y', 'z'], 'the oldest gives way')
  const refusal: Refusal = unavailable
  t.equal(await ownerCache.load('r', async () => refusal), refusal)
  t.equal(ownerCache.get('r'), undefined)
})

t.test('A rotation that dies after the index was written changes nothing', async (t) => {
  const cut = new Set<string>()
  const between = <S extends Shards>(shards: S): S => {
    const through = withSerialization(shards)
    const ask: Shards['execute'] = async (owner, command, input, options) =>
      cut.has(command.name) ? unavailable : through.execute(owner, command, input, options)
    return { ...through, execute: ask }
  }
  const own = await openTestNode({ wrapShards: between })
  t.teardown(() => own.close())
  const ask = (method: string, path: string, json?: unknown) =>
    own.mgmt(method, `${agents}${path}`, { token: own.key, json })
  await ask('POST', '', { name: 'Ada' })
  const token = (await ask('POST', '/ada/gateway/_rotateToken')).json.accessToken
  const before = (await ask('GET', '/ada/gateway')).json
  for (const name of ['gateway.tokens.put', 'gateway.rotateToken', 'gateway.rotateSecret']) cut.add(name)
  for (const verb of ['_rotateToken', '_rotateSecret']) {
    const refused = await ask('POST', `/ada/gateway/${verb}`)
    t.equal(refused.status, 503)
    t.notMatch(refused.text, /-svc-/)
  }
  cut.delete('gateway.tokens.put')
  t.equal((await ask('POST', '/ada/gateway/_rotateToken')).status, 503)
  t.strictSame((await ask('GET', '/ada/gateway')).json, before)
  t.equal((await own.gateway('GET', '/v4/webhook', { token })).status, 404, 'the token is as good as before')
})
