/** What a node counts of a story told over its real surfaces, and that it shows nothing that is not in the catalog. */
import { type EventEmitter, once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import t, { type Test } from 'tap'
import { WebSocket } from 'undici'
import { closeCodes } from '../../core/channel/socketcodec.js'
import { catalog, type MetricDefinition } from '../../runtime/observe/catalog.js'
import { EmulatedAccount } from '../harness/account.js'
import { waitUntil } from '../harness/clock.js'
import { startNode, testKey } from '../harness/process.js'
import { aml, type Reply, TestAgent } from '../harness/testagent.js'

const rows = new Map<string, MetricDefinition>(Object.entries(catalog))
const address = '+15550100'

const node = await startNode({ PARLEY_ALLOW_PRIVATE_URLS: 'true', PARLEY_TIME_SCALE: '60' })
t.teardown(() => node.clean())
const testAgent = await TestAgent.open(t, node, 'Harbor Desk')
await testAgent.bind('sms', { mode: 'managed', inputs: {} })
await testAgent.bind('rcs', { mode: 'unmanaged', provider: 'emulator', auth: {} })
await testAgent.change('sms', { compliance: { enabled: true } })

type Labels = Readonly<Record<string, string>>

interface Series {
  readonly name: string
  readonly labels: Labels
  readonly value: number
}

async function scrape(): Promise<readonly Series[]> {
  const text = await (await fetch(`${node.gateway}/metrics`)).text()
  return text.split('\n').flatMap((line) => {
    const [, name = '', within = '', value = ''] = /^(\w+)(?:\{(.*)\})? (\S+)$/.exec(line) ?? []
    if (name === '') return []
    const labels = Object.fromEntries([...within.matchAll(/(\w+)="([^"]*)"/g)].map(([, label, of]) => [label!, of!]))
    return [{ name, labels, value: Number(value) }]
  })
}

const isOf = (labels: Labels, expectedLabels: Labels) =>
  Object.entries(expectedLabels).every(([name, value]) => labels[name] === value)

async function sum(name: string, expectedLabels: Labels = {}): Promise<number> {
  const matches = (await scrape()).filter((each) => each.name === name && isOf(each.labels, expectedLabels))
  return matches.reduce((total, { value }) => total + value, 0)
}

/** Counts are there once the commit is, which is before anybody hears of it, but for what is counted after a call. */
async function counts(t: Test, name: string, expectedLabels: Labels, max: number): Promise<void> {
  await waitUntil(async () => (await sum(name, expectedLabels)) >= max)
  t.equal(await sum(name, expectedLabels), max, `${name} ${JSON.stringify(expectedLabels)}`)
}

t.test('Counters whose labels have known values start at 0', async (t) => {
  for (const [name, labels] of [
    ['parley_messages_received_total', { channel: 'workchatD' }],
    ['parley_messages_accepted_total', { channel: 'rcs' }],
    ['parley_consents_total', { channel: 'sms', change: 'optedOut' }],
    ['parley_ingress_items_total', { channel: 'sms', outcome: 'duplicate' }],
    ['parley_webhook_calls_total', { kind: 'agent', outcome: 'retryable' }],
    ['parley_webhook_calls_total', { kind: 'org', outcome: 'failed' }],
    ['parley_send_attempts_total', { outcome: 'noBinding' }],
    ['parley_rate_limit_calls_total', { budget: 'journey', outcome: 'refused' }],
  ] as const) {
    const matches = (await scrape()).filter((each) => each.name === name && isOf(each.labels, labels))
    t.match(matches, [{ value: 0 }], `${name} ${JSON.stringify(labels)}`)
    t.equal(matches.length, 1)
  }
  const spent = (await scrape()).filter(({ name }) => name === 'parley_process_cpu_seconds_total')
  t.equal(spent.length, 1)
  t.ok(spent[0]!.value > 0, 'processor time is a counter, so that rate reads a restart right')
  const text = await (await fetch(`${node.gateway}/metrics`)).text()
  t.match(text, '# TYPE parley_process_cpu_seconds_total counter')
})

const refuses: Reply = (response) => void response.writeHead(400).end()

t.test('Messages are counted when they are received, accepted, submitted and delivered', async (t) => {
  testAgent.replies(aml('Welcome.'))
  await testAgent.phoneAct('sms', { text: 'Hi' }, address)
  await testAgent.nextEvents(t, 3)
  await testAgent.nextShownMessages(2)
  await counts(t, 'parley_messages_received_total', { channel: 'sms' }, 1)
  await counts(t, 'parley_messages_accepted_total', { channel: 'sms' }, 2)
  await counts(t, 'parley_message_states_total', { channel: 'sms', state: 'sent', reason: '' }, 1)
  await counts(t, 'parley_provider_submissions_total', { channel: 'sms', provider: 'emulator', outcome: 'sent' }, 2)
  await counts(t, 'parley_provider_submission_duration_seconds_count', { channel: 'sms' }, 2)
  await counts(t, 'parley_message_wait_seconds_count', { channel: 'sms', lane: 'direct' }, 2)
  await counts(t, 'parley_ingress_items_total', { channel: 'sms', outcome: 'new' }, 1)
  await counts(t, 'parley_webhook_calls_total', { kind: 'agent', outcome: 'taken' }, 3)
  t.equal(await sum('parley_message_states_total', { state: 'failed' }), 0)
})

t.test('A repeated item is a duplicate, and an unsigned call counts as badSignature', async (t) => {
  const items = [{ id: 'once', from: address, text: 'Again' }]
  const act = `/system/emulator/bindings/${testAgent.bindings.sms}/_act`
  await testAgent.manage('POST', act, { items })
  await testAgent.manage('POST', act, { items })
  await counts(t, 'parley_ingress_items_total', { channel: 'sms', outcome: 'duplicate' }, 1)
  const refused = { channel: 'sms', provider: 'emulator', outcome: 'badSignature' }
  t.equal(await sum('parley_ingress_calls_total', refused), 0)
  const answer = await fetch(`${node.gateway}/v4/ingress/${testAgent.bindings.sms}`, { method: 'POST', body: '{}' })
  t.equal(answer.status, 401)
  t.equal(await sum('parley_ingress_calls_total', refused), 1)
})

t.test('An event that the webhook refuses is a dead letter', async (t) => {
  testAgent.replies(refuses)
  await testAgent.phoneAct('sms', { text: 'Something odd' }, address)
  await counts(t, 'parley_webhook_dead_letters_total', { kind: 'agent' }, 1)
  await counts(t, 'parley_webhook_calls_total', { kind: 'agent', outcome: 'refused' }, 1)
  await counts(t, 'parley_agent_log_total', { level: 'error', event: 'webhook.parked' }, 1)
})

t.test('An opt-out counts once, an opt-in too, and a refused message has its reason', async (t) => {
  const userId = testAgent.lastPerson()
  await testAgent.phoneAct('sms', { text: 'STOP' }, address)
  await testAgent.phoneAct('sms', { text: 'STOP' }, address)
  await counts(t, 'parley_consents_total', { channel: 'sms', change: 'optedOut' }, 1)
  const hello = { spec: 'amf/1', parts: [{ type: 'text', text: 'Hello?' }] }
  t.match(await testAgent.send(userId, hello), [{ accepted: false, reason: 'optedOut' }])
  t.equal(await sum('parley_messages_refused_total', { reason: 'optedOut' }), 1)
  await testAgent.phoneAct('sms', { text: 'START' }, address)
  await counts(t, 'parley_consents_total', { channel: 'sms', change: 'optedIn' }, 1)
})

t.test('Messages in bulk to a provider with a rate are counted when they leave', async (t) => {
  const other = await TestAgent.open(t, node, 'Bulk Desk')
  const account = await EmulatedAccount.open(other, 'whatsapp', 'messengerA', '+15550177')
  await account.greet()
  await account.act({ kind: 'text', text: 'Hi' })
  const [first] = await other.nextContentEvents(t, 2)
  const messages = [{ spec: 'amf/1', parts: [{ type: 'text', text: 'One of many' }] }]
  await other.call('POST', '/messages', { userId: first!.userId, messages, priority: 'batch' })
  await counts(t, 'parley_message_wait_seconds_count', { channel: 'messengerA', lane: 'bulk' }, 1)
})

t.test('Sends are counted by their status, their attempts and their states', async (t) => {
  await testAgent.manage('POST', `${testAgent.agentPath}/message-templates`, { id: 'hi', name: 'Hi', body: 'Hello!' })
  const outreach = { id: 'hello', name: 'Hello', class: 'service', openerTemplateId: 'hi' }
  await testAgent.manage('POST', `${testAgent.agentPath}/outreach`, outreach)
  const send = (to: string) =>
    fetch(`${node.mgmt}/v1${testAgent.agentPath}/outreach/hello/sends`, {
      method: 'POST',
      headers: { authorization: `Bearer ${testKey}`, 'content-type': 'application/json' },
      body: JSON.stringify({ recipient: { channel: 'rcs', address: to }, consent: { optIn: true } }),
    })
  const answer = await send('+14155550142')
  t.equal(answer.status, 202, await answer.clone().text())
  t.equal(await sum('parley_send_requests_total', { status: 'queued' }), 1)
  await send('nobody')
  t.equal(await sum('parley_send_requests_total', { status: 'refused', reason: 'agent.outreach.invalid_address' }), 1)
  await counts(t, 'parley_sends_total', { origin: 'named', state: 'sent' }, 1)
  t.equal(await sum('parley_sends_total', { origin: 'named', state: 'sending' }), 1)
  t.equal(await sum('parley_send_attempts_total', { outcome: 'accepted' }), 1)
  t.ok((await sum('parley_rate_limit_calls_total', { budget: 'send', outcome: 'allowed' })) >= 2)
})

t.test('A turn of a managed agent is counted, with the call of its tool and the time of its answer', async (t) => {
  const managed = await TestAgent.open(t, node, 'Managed Desk')
  await managed.call('DELETE', '/webhook')
  await managed.bind('sms', { mode: 'unmanaged', provider: 'emulator' })
  const flow = { steps: [{ action: 'people.save', with: { fields: { company: 'Acme' } } }, { say: 'Saved.' }] }
  const playbook = { id: 'main', name: 'Main', isDefault: true, uses: ['people'], body: '', flow }
  await managed.manage('POST', `${managed.agentPath}/import`, { format: 'agent/1', playbooks: [playbook] })
  await managed.phoneAct('sms', { text: 'Hi' }, '+15550188')
  await counts(t, 'parley_turns_total', { state: 'completed', reason: '' }, 1)
  await counts(t, 'parley_turn_duration_seconds_count', { channel: 'sms' }, 1)
  await counts(t, 'parley_tool_calls_total', { tool: 'people.save', outcome: 'ok' }, 1)
})

t.test('A call to a webhook of an org is counted', async (t) => {
  const server = createServer((request, response) => request.resume().on('end', () => response.end()))
  await once(server.listen(0, '127.0.0.1'), 'listening')
  t.teardown(() => server.close())
  const { port } = server.address() as AddressInfo
  const url = `http://127.0.0.1:${port}/`
  await testAgent.manage('POST', '/orgs/demo/webhooks', { url, events: ['agent.created'] })
  await testAgent.manage('POST', '/orgs/demo/agents', { name: 'Second Desk' })
  await counts(t, 'parley_webhook_calls_total', { kind: 'org', outcome: 'succeeded' }, 1)
})

t.test('A web chat page with an invalid token is counted with that close reason', async (t) => {
  const socket = new WebSocket(`${node.gateway.replace('http', 'ws')}/v4/webchat/demo.harbor-desk?token=nobody`)
  const [{ code }] = (await once(socket as unknown as EventEmitter, 'close')) as [{ code: number }]
  t.equal(code, closeCodes.badToken)
  t.equal(await sum('parley_webchat_closed_total', { why: 'badToken' }), 1)
  t.equal(await sum('parley_webchat_sockets'), 0)
})

t.test('The store, the shards and the process have gauges', async (t) => {
  for (const name of ['parley_store_file_bytes', 'parley_store_disk_free_bytes', 'parley_process_uptime_seconds']) {
    t.ok((await sum(name)) > 0, name)
  }
  t.equal(await sum('parley_shards_owned'), await sum('parley_shard_owner'))
})

t.test('A node exposes only metrics of the catalog, each with exactly its labels', async (t) => {
  const scraped = await scrape()
  t.ok(scraped.length > 100)
  const seen = new Set<string>()
  for (const { name, labels } of scraped) {
    const histogram = name.replace(/_(bucket|sum|count)$/, '')
    const key = rows.has(name) ? name : histogram
    const row = rows.get(key)
    if (!row) t.fail(`${name} is in the catalog`)
    seen.add(key)
    const own = Object.keys(labels).filter((label) => label !== 'le')
    if (own.sort().join() !== [...row!.labels].sort().join()) t.fail(`${name} has the labels ${own}`)
  }
  const unseen = [...rows.keys()].filter((name) => !seen.has(name))
  t.same(
    unseen.filter((name) => !/^parley_(bus|provider_call)/.test(name)),
    [],
    'and all of them except those without traffic in this flow',
  )
})

t.test('No label identifies a person, an agent or an address', async (t) => {
  const texts = (await scrape()).flatMap(({ labels }) => Object.values(labels))
  t.notMatch(texts.join(' '), /5550|harbor|usr_|msg_|sd_|cb_/i)
})
