/** The sample agent over starts and restarts of a node, and what becomes of it when an operator changes it. */
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

async function ticketOf(node: NodeProcess): Promise<string> {
  return (await call(node, 'POST', '/system/emulator/tickets')).json.ticket
}

/** Says something on a phone and resolves with what it was sent after that. */
async function sendText(t: Test, node: NodeProcess, channel: string, text: string): Promise<string> {
  const ticket = await ticketOf(node)
  const sentTexts = async () => {
    const { json } = await call(node, 'GET', '/system/emulator/stage/news', undefined, ticket)
    return json.phones.find((phone: { channel: string }) => phone.channel === channel).sent
  }
  const before = (await sentTexts()).length
  const act = { kind: 'text', text }
  t.match(await call(node, 'POST', `/system/emulator/stage/phones/${channel}/_act`, act, ticket), { status: 202 })
  await waitUntil(async () => (await sentTexts()).length > before)
  return JSON.stringify((await sentTexts()).slice(before))
}

async function answersEverywhere(t: Test, node: NodeProcess): Promise<void> {
  const channels = ['rcs', 'sms', 'messengerA', 'vendorMessages']
  const answers = await Promise.all(channels.map((channel) => sendText(t, node, channel, 'Hello')))
  for (const [at, answer] of answers.entries()) t.match(answer, /Welcome to the Harbor Hotel!/, channels[at]!)
}

t.test('A first start creates an agent that answers on every channel', async (t) => {
  const node = await start()
  const { json } = await call(node, 'GET', `${sample}/channels`)
  t.same(json.data.map(({ channel, provider, status }: Record<string, string>) => [channel, provider, status]).sort(), [
    ['messengerA', 'whatsapp', 'Active'],
    ['rcs', 'rbm', 'Active'],
    ['sms', 'twilio', 'Active'],
    ['vendorMessages', 'apple', 'Active'],
    ['webchat', undefined, 'Active'],
  ])
  await answersEverywhere(t, node)
  await node.end('SIGTERM')
})

// Starting takes longer than everything else here, so what does not need a node of its own goes on with one.
let node: NodeProcess

t.test('The sample agent answers after a restart, even with all ports changed', async (t) => {
  node = await start()
  await answersEverywhere(t, node)
})

t.test('The page and its routes are for tickets only, and a ticket opens nothing else', async (t) => {
  const ticket = await ticketOf(node)
  for (const path of [
    '/stage',
    '/stage/news',
    '/stage/acts/1',
    '/stage/phones/sms/messages/x',
    '/stage/chat/lines/1',
  ]) {
    t.equal((await call(node, 'GET', `/system/emulator${path}`, undefined, testKey)).status, 403, path)
    t.equal((await call(node, 'GET', `/system/emulator${path}`, undefined, `${ticket}x`)).status, 403, path)
  }
  t.equal((await call(node, 'GET', '/system/emulator/accounts', undefined, ticket)).status, 401)
  const asToken = { headers: { authorization: `Bearer ${ticket}` } }
  for (const path of ['/me', '/system/emulator/accounts', '/orgs/demo/agents'])
    t.equal((await fetch(`${node.mgmt}/v1${path}`, asToken)).status, 401, path)
  t.equal((await call(node, 'GET', '/system/emulator/stage/acts/99999', undefined, ticket)).status, 404)
  const page = await fetch(`${node.mgmt}/emulator`)
  t.equal(page.status, 200)
  t.match(page.headers.get('content-security-policy'), /^default-src 'none'; script-src 'self';/)
})

t.test('A webhook changed or a channel removed by the operator stays so after a restart', async (t) => {
  const { accessToken } = (await call(node, 'POST', `${sample}/gateway/_rotateToken`)).json
  const webhookUrl = 'https://agent.example/mine'
  const headers = { authorization: `Bearer ${accessToken}`, 'content-type': 'application/json' }
  await fetch(`${node.gateway}/v4/webhook`, { method: 'POST', headers, body: JSON.stringify({ webhookUrl }) })
  const bound = (await call(node, 'GET', `${sample}/channels`)).json.data
  const { id } = bound.find(({ channel }: { channel: string }) => channel === 'sms')
  t.equal((await call(node, 'DELETE', `${sample}/channels/${id}`)).status, 204)
  await node.end('SIGTERM')
  node = await start()
  t.match((await call(node, 'GET', `${sample}/gateway`)).json, { webhookUrl })
  const scene = await call(node, 'GET', '/system/emulator/stage', undefined, await ticketOf(node))
  t.same(
    scene.json.phones.map(({ channel }: { channel: string }) => channel),
    ['rcs', 'messengerA', 'vendorMessages'],
  )
})

t.test('A deleted sample agent stays deleted, and its page does not exist', async (t) => {
  t.equal((await call(node, 'DELETE', sample)).status, 204)
  await node.end('SIGTERM')
  node = await start()
  t.equal((await call(node, 'GET', sample)).status, 404)
  t.equal((await fetch(`${node.mgmt}/emulator`)).status, 404)
  t.notMatch(node.stderr(), /emulator#/)
})

t.test('Where the emulator is off there is no sample agent', async (t) => {
  const without = await off
  t.equal((await call(without, 'GET', sample)).status, 404)
  t.equal((await fetch(`${without.mgmt}/emulator`)).status, 404)
})
