/** The sample agents over starts and restarts of a node, and what becomes of them when an operator changes them. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { waitUntil } from '../harness/clock.js'
import { type NodeProcess, startNode, testKey } from '../harness/process.js'

t.setTimeout(240_000)

const dir = await mkdtemp(join(tmpdir(), 'parley-'))
t.teardown(() => rm(dir, { recursive: true, force: true }))
const env = { PARLEY_EMULATOR: 'true', PARLEY_ALLOW_PRIVATE_URLS: 'false' }

const off = startNode({ PARLEY_EMULATOR: 'false' })
t.teardown(async () => (await off).clean())

async function start(): Promise<NodeProcess> {
  const started = await startNode(env, dir)
  t.teardown(() => started.end('SIGTERM'))
  return started
}

// biome-ignore lint/suspicious/noExplicitAny: what is read is asserted
async function call(node: NodeProcess, method: string, path: string, body?: unknown, token = testKey): Promise<any> {
  const isTicket = token.startsWith('ep1.')
  const proof: Record<string, string> = isTicket ? { 'x-emulator-ticket': token } : { authorization: `Bearer ${token}` }
  const headers = { ...proof, 'content-type': 'application/json' }
  const answer = await fetch(`${node.mgmt}/v1${path}`, {
    method,
    headers,
    ...(body ? { body: JSON.stringify(body) } : {}),
  })
  const text = await answer.text()
  return { status: answer.status, ...(text && { json: JSON.parse(text) }) }
}

const sample = '/orgs/demo/agents/sample'
const clinic = '/orgs/demo/agents/sample-clinic'

async function ticketOf(node: NodeProcess): Promise<string> {
  return (await call(node, 'POST', '/system/emulator/tickets')).json.ticket
}

/** Says something on a phone and resolves with what it was sent after that. */
async function sendText(t: Test, node: NodeProcess, channel: string, text: string): Promise<string> {
  const ticket = await ticketOf(node)
  const sentTexts = async () => {
    const { json } = await call(node, 'GET', '/system/emulator/stage/sample/news', undefined, ticket)
    return json.phones.find((phone: { channel: string }) => phone.channel === channel).sent
  }
  const before = (await sentTexts()).length
  const act = { kind: 'text', text }
  t.match(await call(node, 'POST', `/system/emulator/stage/sample/phones/${channel}/_act`, act, ticket), {
    status: 202,
  })
  await waitUntil(async () => (await sentTexts()).length > before)
  return JSON.stringify((await sentTexts()).slice(before))
}

async function answersEverywhere(t: Test, node: NodeProcess): Promise<void> {
  const channels = ['rcs', 'sms', 'messengerA', 'vendorMessages']
  const answers = await Promise.all(channels.map((channel) => sendText(t, node, channel, 'Hello')))
  for (const [at, answer] of answers.entries()) t.match(answer, /Welcome to the Harbor Hotel!/, channels[at]!)
}

/** Each phone of the managed agent reaches its conversation, which no other agent sees. */
async function reachesEverywhere(t: Test, node: NodeProcess): Promise<void> {
  const ticket = await ticketOf(node)
  const stage = '/system/emulator/stage'
  for (const channel of ['rcs', 'sms', 'messengerA', 'vendorMessages']) {
    const act = { kind: 'text', text: 'Do you have parking?' }
    const answer = await call(node, 'POST', `${stage}/sample-clinic/phones/${channel}/_act`, act, ticket)
    t.match(answer, { status: 202, json: { calls: 1, taken: true } }, channel)
  }
  const actsOf = async (agent: string) =>
    (await call(node, 'GET', `${stage}/${agent}/news`, undefined, ticket)).json.acts
  t.equal((await actsOf('sample-clinic')).length, 4)
  t.notMatch(JSON.stringify(await actsOf('sample')), /parking/)
}

async function isBoundEverywhere(t: Test, node: NodeProcess, agent: string): Promise<void> {
  const { json } = await call(node, 'GET', `${agent}/channels`)
  t.same(json.data.map(({ channel, provider, status }: Record<string, string>) => [channel, provider, status]).sort(), [
    ['messengerA', 'whatsapp', 'Active'],
    ['rcs', 'rbm', 'Active'],
    ['sms', 'twilio', 'Active'],
    ['vendorMessages', 'apple', 'Active'],
    ['webchat', undefined, 'Active'],
  ])
}

t.test('A first start creates two agents with every channel: one with a webhook, one from a document', async (t) => {
  const node = await start()
  await isBoundEverywhere(t, node, sample)
  await answersEverywhere(t, node)
  await isBoundEverywhere(t, node, clinic)
  t.match((await call(node, 'GET', `${clinic}/gateway`)).json, { mode: 'managed' })
  t.same((await call(node, 'GET', `${clinic}/lint`)).json, { errors: [], warnings: [], advice: [] })
  t.match((await call(node, 'GET', `${clinic}/export?format=json`)).json, {
    playbooks: [{ id: 'desk' }, { id: 'book' }, { id: 'move' }, { id: 'cancel-visit' }, { id: 'treatments' }, {}],
    capabilities: { scheduling: { timezone: 'America/New_York' } },
  })
  await reachesEverywhere(t, node)
  await node.end('SIGTERM')
})

// Starting takes longer than everything else here, so what does not need a node of its own goes on with one.
let node: NodeProcess

t.test('The sample agents work after a restart, even with all ports changed', async (t) => {
  node = await start()
  await answersEverywhere(t, node)
  await reachesEverywhere(t, node)
})

t.test('The page and its routes are for tickets only, and a ticket opens nothing else', async (t) => {
  const ticket = await ticketOf(node)
  for (const path of [
    '/stage',
    '/stage/sample/news',
    '/stage/sample/acts/1',
    '/stage/sample/phones/sms/messages/x',
    '/stage/sample/chat/lines/1',
  ]) {
    t.equal((await call(node, 'GET', `/system/emulator${path}`, undefined, testKey)).status, 403, path)
    t.equal((await call(node, 'GET', `/system/emulator${path}`, undefined, `${ticket}x`)).status, 403, path)
  }
  t.equal((await call(node, 'GET', '/system/emulator/accounts', undefined, ticket)).status, 401)
  const asToken = { headers: { authorization: `Bearer ${ticket}` } }
  for (const path of ['/me', '/system/emulator/accounts', '/orgs/demo/agents'])
    t.equal((await fetch(`${node.mgmt}/v1${path}`, asToken)).status, 401, path)
  for (const path of ['/stage/sample/acts/99999', '/stage/nobody/news', '/stage/sample/chat/lines/1'])
    t.equal((await call(node, 'GET', `/system/emulator${path}`, undefined, ticket)).status, 404, path)
  const page = await fetch(`${node.mgmt}/emulator`)
  t.equal(page.status, 200)
  t.match(page.headers.get('content-security-policy'), /^default-src 'none'; script-src 'self';/)
})

t.test('What an operator changes or removes stays so after a restart', async (t) => {
  const { accessToken } = (await call(node, 'POST', `${sample}/gateway/_rotateToken`)).json
  const webhookUrl = 'https://agent.example/mine'
  const headers = { authorization: `Bearer ${accessToken}`, 'content-type': 'application/json' }
  await fetch(`${node.gateway}/v4/webhook`, { method: 'POST', headers, body: JSON.stringify({ webhookUrl }) })
  const bound = (await call(node, 'GET', `${sample}/channels`)).json.data
  const { id } = bound.find(({ channel }: { channel: string }) => channel === 'sms')
  t.equal((await call(node, 'DELETE', `${sample}/channels/${id}`)).status, 204)
  t.equal((await call(node, 'DELETE', `${clinic}/knowledge/facts/parking`)).status, 204)
  await node.end('SIGTERM')
  node = await start()
  t.match((await call(node, 'GET', `${sample}/gateway`)).json, { webhookUrl })
  t.equal((await call(node, 'GET', `${clinic}/knowledge/facts/parking`)).status, 404)
  const { agents } = (await call(node, 'GET', '/system/emulator/stage', undefined, await ticketOf(node))).json
  type Shown = { agentId: string; mode: string; phones: { channel: string }[] }
  t.same(
    agents.map(({ agentId, mode, phones }: Shown) => [agentId, mode, ...phones.map(({ channel }) => channel)]),
    [
      ['sample-clinic', 'managed', 'rcs', 'sms', 'messengerA', 'vendorMessages'],
      ['sample', 'webhook', 'rcs', 'messengerA', 'vendorMessages'],
    ],
  )
})

t.test('A deleted sample agent stays deleted, and without both there is no page', async (t) => {
  t.equal((await call(node, 'DELETE', sample)).status, 204)
  const shownOf = async () => (await call(node, 'GET', '/system/emulator/stage', undefined, await ticketOf(node))).json
  t.match(await shownOf(), { agents: [{ agentId: 'sample-clinic' }] })
  await node.end('SIGTERM')
  node = await start()
  t.equal((await call(node, 'GET', sample)).status, 404)
  const { agents } = await shownOf()
  t.equal(agents.length, 1)
  t.equal((await call(node, 'DELETE', clinic)).status, 204)
  await node.end('SIGTERM')
  node = await start()
  t.equal((await call(node, 'GET', clinic)).status, 404)
  t.equal((await fetch(`${node.mgmt}/emulator`)).status, 404)
  t.notMatch(node.stderr(), /emulator#/)
})

t.test('Where the emulator is off there is no sample agent', async (t) => {
  const without = await off
  for (const agent of [sample, clinic]) t.equal((await call(without, 'GET', agent)).status, 404)
  t.equal((await fetch(`${without.mgmt}/emulator`)).status, 404)
})
