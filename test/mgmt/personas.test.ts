/** Personas: simulated people for trials, the turns that run as them, and the grants that open them. */
import t, { type Test } from 'tap'
import { type Refusal, refuse } from '../../core/errors.js'
import { directive as directiveLimits, persona as limits, sandbox } from '../../core/limits/index.js'
import { newPerson } from '../../core/people/change.js'
import { createPersonas } from '../../mgmt/sandbox/commands.js'
import { personaTable } from '../../mgmt/sandbox/store.js'
import { newConversation } from '../../runtime/conversation/commands.js'
import {
  conversationTable,
  messageTable,
  sandboxTurnTable,
  testTrafficTable,
  trafficTable,
} from '../../runtime/conversation/tables.js'
import { sandboxRemove } from '../../runtime/sandbox/commands.js'
import { createSandboxRunner } from '../../runtime/sandbox/sandbox.js'
import { directiveTable } from '../../runtime/sandbox/turns.js'
import type { Command, Query } from '../../runtime/shard/contract.js'
import type { Key, Table } from '../../runtime/store/contract.js'
import { manualClock, waitUntil } from '../harness/clock.js'
import { openTestNode, type Response } from '../harness/node.js'
import { hang, openReceiver } from '../harness/receiver.js'

const watchedTables = [
  sandboxTurnTable,
  directiveTable,
  messageTable,
  conversationTable,
  trafficTable,
  testTrafficTable,
  personaTable,
]
const rowsOf: Query<{ name: string; prefix: Key }, unknown[]> = {
  name: 'test.rows',
  read(reader, { name, prefix }) {
    const table = watchedTables.find((each) => each.name === name) as Table<Key, unknown>
    return Array.from(reader.range(table, { prefix }), ({ value }) => value)
  },
}

const saveReal: Command<{ asid: string }, true> = {
  name: 'test.saveReal',
  decide(tx, { asid }, { at }) {
    const who = { asid, agent: { orgId: 'demo', agentId: 'any' }, channel: 'sms', address: '+15550100' } as const
    tx.put(conversationTable, [asid], newConversation(who, at))
    return true
  },
}

const saveTurns: Command<{ asid: string; count: number }, true> = {
  name: 'test.saveTurns',
  decide(tx, { asid, count }, { at }) {
    const entry = { origin: 'user', type: 'content', sessionId: '', messageId: '', at } as const
    for (let number = 1; number <= count; number++) tx.put(sandboxTurnTable, [asid, number], entry)
    return true
  },
}

const clock = manualClock()
const extraRepertoire = { commands: [saveReal, saveTurns], queries: [rowsOf], effectHandlers: () => ({}) }
const node = await openTestNode({ clock, extraModule: extraRepertoire })
t.teardown(() => node.close())
const agents = '/v1/orgs/demo/agents'

function call(method: string, path: string, json?: unknown, token = node.key): Promise<Response> {
  return node.mgmt(method, `${agents}${path}`, { token, json })
}

/** Lets time go on until it is answered, as a caller's patience does. */
async function awaitAnswer<T>(promise: Promise<T>, stepMs: number = sandbox.pollFirstMs): Promise<T> {
  let isDone = false
  const done = () => {
    isDone = true
  }
  promise.then(done, done)
  while (!isDone) await clock.advance(stepMs)
  return promise
}

interface SandboxFixture {
  readonly agent: string
  readonly at: string
  /** What the agent was told, its statuses left out. */
  readonly agentEvents: () => { type: string; [more: string]: unknown }[]
  queueReplies(...replies: string[]): void
  does(directive: unknown, token?: string): Promise<Response>
  turns(): Promise<{ role: string; text: string; number: number; directive?: unknown }[]>
}

let made = 0
/** An agent whose webhook says what it is told to, in AML, and a persona of it. */
async function openSandbox(t: Test, about: object = {}): Promise<SandboxFixture> {
  const receiver = await openReceiver(t)
  const lines: string[] = []
  const { json: agent } = await call('POST', '', { name: `Harbor ${++made}` })
  const token = (await call('POST', `/${agent.id}/gateway/_rotateToken`)).json.accessToken
  await node.gateway('POST', '/v4/webhook', { token, json: { webhookUrl: receiver.url('/hook'), instanceId: 'one' } })
  const webhookEvents = () => receiver.at('/hook').map(({ body }) => JSON.parse(body.toString()).event)
  receiver.setBehavior('/hook', (response) => {
    const { type } = webhookEvents().at(-1).event
    const reply = type === 'message' || type === 'result' || type === 'action' ? (lines.shift() ?? '') : ''
    response.writeHead(200, { 'content-type': 'text/svc-aml' }).end(reply)
  })
  const { json: persona } = await call('POST', `/${agent.id}/personas`, { name: 'Ada', ...about })
  const at = `/${agent.id}/personas/${persona.id}`
  return {
    agent: agent.id,
    at,
    agentEvents: () =>
      webhookEvents()
        .map(({ event }) => event)
        .filter(({ type }) => type !== 'status'),
    queueReplies: (...replies) => void lines.push(...replies),
    does: (directive, token) => awaitAnswer(call('POST', `${at}/turns`, directive, token)),
    turns: async () => (await call('GET', `${at}/turns`)).json.data,
  }
}

/** Everything in a table below that prefix, over all shards. */
async function rows<K extends Key, V>({ name }: Table<K, V>, prefix: Key): Promise<V[]> {
  return ((await node.node.engine.queryAll(rowsOf, { name, prefix })) as V[][]).flat()
}

t.test('A persona is created from the fields of a test case, and read back as stored', async (t) => {
  const { json: agent } = await call('POST', '', { name: 'Reader' })
  const fields = {
    fullName: 'Ada Byron',
    email: 'ada@example.com',
    productInterest: 'A boat',
    status: 'qualified',
    source: 'fair',
    customFields: { boats: 2, sails: true, port: 'Dover' },
    tags: ['vip'],
    notes: 'Likes engines.',
  }
  const historySeed = [
    { role: 'user', content: 'Hello' },
    { role: 'assistant', content: 'Ahoy' },
  ]
  const body = { name: 'Ada', channel: 'sms', fields, consent: { status: 'granted' }, historySeed }
  const created = await call('POST', `/${agent.id}/personas`, body)
  t.equal(created.status, 201)
  const { id, userId, personId, ...rest } = created.json
  t.same(rest, {
    ...body,
    fields: { ...fields, customFields: { boats: '2', sails: 'true', port: 'Dover' } },
    createdAt: new Date(clock.now()).toISOString(),
  })
  t.match(userId, /^usr_/)
  t.match(personId, /^pr/)
  t.same((await call('GET', `/${agent.id}/personas/${id}`)).json, created.json)
  await clock.advance(1)
  const plain = (await call('POST', `/${agent.id}/personas`, { name: 'Bo' })).json
  t.equal(plain.channel, 'rcs', 'rcs unless it says otherwise')
  t.same(plain.consent, { status: 'unknown' })
  const listed = (await call('GET', `/${agent.id}/personas`)).json.data
  t.same(
    listed.map(({ name }: { name: string }) => name),
    ['Ada', 'Bo'],
  )
  const turns = (await call('GET', `/${agent.id}/personas/${id}/turns`)).json.data
  t.match(turns, [
    { number: 1, role: 'user', text: 'Hello', seeded: true },
    { number: 2, role: 'agent', text: 'Ahoy', seeded: true },
  ])
})

t.test('An invalid persona is refused, field by field', async (t) => {
  const { json: agent } = await call('POST', '', { name: 'Strict' })
  const line = { role: 'user', content: 'x' }
  const wrong: [object, string][] = [
    [{}, 'name'],
    [{ name: 'x'.repeat(limits.nameChars + 1) }, 'name'],
    [{ name: 'Ada', channel: 'webchat' }, 'channel'],
    [{ name: 'Ada', fields: { firstName: 'x'.repeat(101) } }, 'fields.firstName'],
    [{ name: 'Ada', fields: { email: 'x'.repeat(301) } }, 'fields.email'],
    [{ name: 'Ada', fields: { status: 'lazy' } }, 'fields.status'],
    [{ name: 'Ada', fields: { tags: ['x'.repeat(61)] } }, 'fields.tags[0]'],
    [
      { name: 'Ada', fields: { customFields: { a: 'x'.repeat(limits.customValueChars + 1) } } },
      'fields.customFields.a',
    ],
    [{ name: 'Ada', fields: { customFields: { 'a.b': 'x' } } }, 'fields.customFields.a.b'],
    [{ name: 'Ada', consent: { status: 'perhaps' } }, 'consent.status'],
    [{ name: 'Ada', historySeed: Array(limits.seedLines + 1).fill(line) }, 'historySeed'],
    [{ name: 'Ada', historySeed: [{ role: 'user', content: 'x'.repeat(4_001) }] }, 'historySeed[0].content'],
    [{ name: 'Ada', more: 1 }, 'more'],
  ]
  for (const [body, field] of wrong) {
    const { status, json } = await call('POST', `/${agent.id}/personas`, body)
    t.equal(status, 422, field)
    t.equal(json.errors[0].field, field)
  }
  t.same((await call('GET', `/${agent.id}/personas`)).json.data, [], 'none of them had an effect')
  for (const path of ['', '/turns']) {
    const missing = await call('GET', `/${agent.id}/personas/psn_none${path}`)
    t.equal(missing.status, 404)
    t.equal(missing.json.code, 'agent.persona.not_found')
  }
  t.equal((await call('GET', '/nobody/personas')).json.code, 'resource.not_found')
  t.equal((await call('POST', '/nobody/personas', { name: 'Ada' })).json.code, 'resource.not_found')
})

t.test('A turn answers with the action of the person and the replies of the agent', async (t) => {
  const fixture = await openSandbox(t)
  fixture.queueReplies('What would you like?\n[[chips: Book a table | Opening hours = hours]]')
  const first = await fixture.does({ text: 'Hello' })
  t.equal(first.status, 200)
  t.match(first.json, {
    pending: false,
    turn: { role: 'user', text: 'Hello', directive: { text: 'Hello' } },
    replies: [{ role: 'agent', text: 'What would you like?' }],
  })
  t.match(first.json.replies[0].message.chips, [{ label: 'Book a table' }, { label: 'Opening hours', value: 'hours' }])

  fixture.queueReplies('From ten to six.')
  const second = await fixture.does({ chip: 'opening' })
  t.match(second.json, { turn: { text: 'Opening hours', directive: { chip: 'opening' } } })
  const { messageId } = first.json.replies[0]
  t.match(fixture.agentEvents().at(-1), {
    type: 'result',
    result: { intent: 'chips', intentId: messageId, optionIds: ['hours'], labels: ['Opening hours'], via: 'tap' },
  })
  t.same(
    (await fixture.turns()).map(({ role, text }) => `${role}: ${text}`),
    ['user: Hello', 'agent: What would you like?', 'user: Opening hours', 'agent: From ten to six.'],
  )
  t.match(fixture.agentEvents()[0], { type: 'system', system: { kind: 'conversationStarted' } })
})

t.test('Every directive has the effect of its affordance', async (t) => {
  const fixture = await openSandbox(t)
  const ask = [
    'When?',
    '[[ask.time #when | Which time?',
    'a = 2026-03-05T10:00:00Z',
    'b = 2026-03-06T11:00:00Z',
    ']]',
    '[[confirm #sure | Really?',
    'Day: Monday',
    ']]',
    '[[chips: Call us -> tel:+15550100 | Our site -> https://harbor.example/ | Other site -> https://other.example/]]',
  ].join('\n')
  fixture.queueReplies(ask)
  await fixture.does({ text: 'Hi' })
  await fixture.does({ slot: 1 })
  t.match(fixture.agentEvents().at(-1), {
    result: { intent: 'ask.time', intentId: 'when', optionIds: ['b'], via: 'tap' },
  })
  await fixture.does({ confirm: false })
  t.match(fixture.agentEvents().at(-1), {
    result: { intent: 'confirm', intentId: 'sure', optionIds: ['no'], via: 'tap' },
  })
  await fixture.does({ action: 'dial' })
  t.match(fixture.agentEvents().at(-1), { type: 'action', action: { kind: 'dial', label: 'Call us' } })
  await fixture.does({ action: 'url', label: '/^other/i' })
  t.match(fixture.agentEvents().at(-1), { type: 'action', action: { kind: 'url', label: 'Other site' } })
  await fixture.does({ media: 'image', url: 'https://harbor.example/boat.png', text: 'This one' })
  t.match(fixture.agentEvents().at(-1), {
    type: 'message',
    message: { text: 'This one', media: [{ url: 'https://harbor.example/boat.png', type: 'image/png' }] },
  })
  const out = await fixture.does({ system: 'optOut' })
  t.match(out.json.turn, { role: 'system', text: 'optOut', directive: { system: 'optOut' } })
  t.match(fixture.agentEvents().at(-1), { type: 'system', system: { kind: 'optOut' } })
  await fixture.does({ system: 'optIn' })
  t.match(fixture.agentEvents().at(-1), { type: 'system', system: { kind: 'optIn' } })
})

t.test('A missing affordance is typed instead, or refused without effect', async (t) => {
  const fixture = await openSandbox(t)
  fixture.queueReplies('Hello there.')
  await fixture.does({ text: 'Hi' })
  const before = await fixture.turns()
  for (const [directive, field] of [
    [{ chip: 'Nothing' }, 'chip'],
    [{ slot: 0 }, 'slot'],
    [{ confirm: true }, 'confirm'],
    [{ action: 'url' }, 'action'],
  ] as const) {
    const { status, json } = await fixture.does(directive)
    t.equal(status, 422)
    t.equal(json.code, 'request.invalid')
    t.equal(json.errors[0].field, field)
  }
  t.same(await fixture.turns(), before, 'a refused turn leaves nothing behind')
  const typed = await fixture.does({ chip: 'Nothing', fallback: 'Then I type it' })
  t.match(typed.json.turn, { text: 'Then I type it', directive: { chip: 'Nothing', fallback: 'Then I type it' } })
  t.match(fixture.agentEvents().at(-1), { type: 'message', message: { text: 'Then I type it' } })
})

t.test('An invalid directive is refused by the name of its field', async (t) => {
  const fixture = await openSandbox(t)
  const wrong: [object, string][] = [
    [{}, 'text'],
    [{ text: '' }, 'text'],
    [{ text: 'x'.repeat(directiveLimits.textChars + 1) }, 'text'],
    [{ text: 'a', chip: 'b' }, 'text'],
    [{ text: 'a', fallback: 'b' }, 'fallback'],
    [{ chip: 'a', slot: 1 }, 'slot'],
    [{ chip: '/(a|/i' }, 'chip'],
    [{ slot: -1 }, 'slot'],
    [{ slot: directiveLimits.slotMax + 1 }, 'slot'],
    [{ system: 'typing' }, 'system'],
    [{ media: 'image' }, 'url'],
    [{ media: 'image', url: 'javascript:alert(1)' }, 'url'],
    [{ media: 'audio', url: 'https://a.example/' }, 'media'],
    [{ simulate: { goal: 'Book' } }, 'simulate'],
    [{ shout: 'a' }, 'shout'],
  ]
  for (const [directive, field] of wrong) {
    const { status, json } = await fixture.does(directive)
    t.equal(status, 422, JSON.stringify(directive).slice(0, 60))
    t.equal(json.errors[0].field, field, JSON.stringify(directive).slice(0, 60))
  }
  t.same(await fixture.turns(), [])
})

t.test('A slow agent leaves the turn pending, and its later reply is among the turns', async (t) => {
  const receiver = await openReceiver(t)
  const { json: agent } = await call('POST', '', { name: 'Slow' })
  const token = (await call('POST', `/${agent.id}/gateway/_rotateToken`)).json.accessToken
  await node.gateway('POST', '/v4/webhook', { token, json: { webhookUrl: receiver.url('/slow'), instanceId: 'one' } })
  receiver.setBehavior('/slow', hang)
  const { json: persona } = await call('POST', `/${agent.id}/personas`, { name: 'Ada' })
  const at = `/${agent.id}/personas/${persona.id}/turns`
  const { json } = await awaitAnswer(call('POST', at, { text: 'Hello?' }), sandbox.pollMaxMs)
  t.match(json, { pending: true, replies: [], turn: { text: 'Hello?' } })
  const messages = [{ spec: 'amf/1', parts: [{ type: 'text', text: 'Sorry, here I am.' }] }]
  const sent = await node.gateway('POST', '/v4/messages', { token, json: { userId: persona.userId, messages } })
  t.match(sent.json.results, [{ accepted: true }])
  t.match((await call('GET', at)).json.data, [{ role: 'user' }, { role: 'agent', text: 'Sorry, here I am.' }])
})

t.test('Turns come in pages, oldest first, and a page token of one list opens no other', async (t) => {
  const fixture = await openSandbox(t)
  for (let count = 0; count < 5; count++) await fixture.does({ text: `Line ${count}` })
  const seen: string[] = []
  let token = ''
  do {
    const { json } = await call('GET', `${fixture.at}/turns?limit=2${token && `&pageToken=${token}`}`)
    seen.push(...json.data.map(({ text }: { text: string }) => text))
    token = json.nextPageToken ?? ''
  } while (token)
  t.same(seen, ['Line 0', 'Line 1', 'Line 2', 'Line 3', 'Line 4'])
  const { nextPageToken } = (await call('GET', `${fixture.at}/turns?limit=1`)).json
  await call('POST', `${fixture.at}/_reset`)
  const other = await call('GET', `${fixture.at}/turns?pageToken=${nextPageToken}`)
  t.equal(other.status, 422)
  t.equal(other.json.errors[0].field, 'pageToken')
})

t.test('A reset gives a fresh identity and conversation, and the person as first created', async (t) => {
  const fixture = await openSandbox(t, {
    fields: { firstName: 'Ada' },
    historySeed: [{ role: 'user', content: 'Before' }],
  })
  await fixture.does({ text: 'STOP' })
  const before = (await call('GET', fixture.at)).json
  await clock.advance(1_000)
  const { status, json } = await call('POST', `${fixture.at}/_reset`)
  t.equal(status, 200)
  t.not(json.userId, before.userId)
  t.equal(json.personId, before.personId)
  t.equal(json.resetAt, new Date(clock.now()).toISOString())
  const { userId: _new, resetAt: _at, ...after } = json
  const { userId: _old, ...first } = before
  t.same(after, first)
  t.same(
    (await fixture.turns()).map(({ text }) => text),
    ['Before'],
  )
  fixture.queueReplies('Welcome back.')
  t.match(
    (await fixture.does({ text: 'Hello' })).json.replies,
    [{ text: 'Welcome back.' }],
    'the opt-out is removed, too',
  )
  const late = { userId: before.userId, messages: [{ spec: 'amf/1', parts: [{ type: 'text', text: 'Late' }] }] }
  const token = (await call('POST', `/${fixture.agent}/gateway/_rotateToken`)).json.accessToken
  const send = () => node.gateway('POST', '/v4/messages', { token, json: late })
  const isRemoved = async () => (await send()).json.results[0].reason === 'unknownRecipient'
  await waitUntil(isRemoved, clock)
  t.pass('nobody is there any more')
})

t.test('A sandbox conversation leaves nothing in live lists, and is deleted with the persona', async (t) => {
  const fixture = await openSandbox(t)
  fixture.queueReplies('Hello.')
  await fixture.does({ text: 'Hi' })
  t.same((await call('GET', `/${fixture.agent}/people`)).json.data, [], 'a persona is not listed among people')
  const { userId, personId } = (await call('GET', fixture.at)).json
  t.equal((await call('GET', `/${fixture.agent}/people/${personId}`)).status, 404)
  t.same(await rows(trafficTable, ['demo', fixture.agent]), [])
  t.ok((await rows(testTrafficTable, ['demo', fixture.agent])).length > 0)
  t.ok((await rows(testTrafficTable, ['demo', fixture.agent])).every((entry) => entry.test))
  t.ok((await rows(sandboxTurnTable, [userId])).length > 0)
  t.equal((await call('DELETE', fixture.at)).status, 204)
  await waitUntil(async () => (await rows(sandboxTurnTable, [userId])).length === 0, clock)
  for (const table of [sandboxTurnTable, directiveTable, messageTable, conversationTable]) {
    t.same(await rows(table as Table<Key, unknown>, [userId]), [], table.name)
  }
  t.equal((await call('DELETE', fixture.at)).json.code, 'agent.persona.not_found')
})

t.test('A send to a persona writes to its person and opens its conversation, without a channel', async (t) => {
  const fixture = await openSandbox(t)
  const template = {
    id: 'opener',
    name: 'Opener',
    body: 'Hello {person.firstName}, about your {person.customFields.boat}.',
  }
  t.equal((await call('POST', `/${fixture.agent}/message-templates`, template)).status, 201)
  const outreach = { id: 'boats', name: 'Boats', class: 'service', openerTemplateId: 'opener', inputs: ['boat'] }
  t.equal((await call('POST', `/${fixture.agent}/outreach`, outreach)).status, 201)
  const personaId = fixture.at.split('/').at(-1)
  const send = { recipient: { personaId }, profile: { firstName: 'Grace' }, inputs: { boat: 'dinghy' } }
  const sent = await awaitAnswer(call('POST', `/${fixture.agent}/outreach/boats/sends`, send))
  t.equal(sent.status, 202)
  t.match(sent.json, { status: 'queued', outreachId: 'boats' })
  t.match(await fixture.turns(), [{ role: 'agent', text: 'Hello Grace, about your dinghy.' }])
  t.match((await call('GET', fixture.at)).json.fields, { firstName: 'Grace', customFields: { boat: 'dinghy' } })
  t.same((await call('GET', `/${fixture.agent}/outreach/sends`)).json.data, [], 'it is in no live list')
  t.match((await fixture.does({ text: 'Who is this?' })).json.turn, { role: 'user' }, 'and the persona can answer it')
  const other = await call('POST', `/${fixture.agent}/outreach/boats/sends`, {
    ...send,
    recipient: { personaId: 'psn_no' },
  })
  t.equal(other.json.code, 'agent.outreach.recipient_not_found')
})

t.test('A persona can be sent an outreach again on the same day, before and after a reset', async (t) => {
  const fixture = await openSandbox(t)
  const template = { id: 'opener', name: 'Opener', body: 'Ahoy!' }
  t.equal((await call('POST', `/${fixture.agent}/message-templates`, template)).status, 201)
  const outreach = { id: 'boats', name: 'Boats', class: 'service', openerTemplateId: 'opener' }
  t.equal((await call('POST', `/${fixture.agent}/outreach`, outreach)).status, 201)
  const personaId = fixture.at.split('/').at(-1)
  const sends = async () => {
    const named = await awaitAnswer(
      call('POST', `/${fixture.agent}/outreach/boats/sends`, { recipient: { personaId } }),
    )
    t.match(named.json, { status: 'queued' })
    const path = `/${fixture.agent}/integrations/journey/outreach/boats/sends`
    const journey = await awaitAnswer(call('POST', path, { emulator: { personaId } }))
    t.match(journey.json, { outcome: 'queued', idempotency: 'derived' })
  }
  await sends()
  await sends()
  t.equal((await fixture.turns()).length, 4)
  t.equal((await call('POST', `${fixture.at}/_reset`)).status, 200)
  await sends()
  t.equal((await fixture.turns()).length, 2, 'in the conversation that the reset began')
  const keyed = { recipient: { personaId }, idempotencyKey: 'mine' }
  await awaitAnswer(call('POST', `/${fixture.agent}/outreach/boats/sends`, keyed))
  const repeated = await awaitAnswer(call('POST', `/${fixture.agent}/outreach/boats/sends`, keyed))
  t.equal(repeated.json.status, 'duplicate', "a caller's own key is still one send")
})

t.test('Deleting an agent deletes its personas', async (t) => {
  const fixture = await openSandbox(t, { historySeed: [{ role: 'user', content: 'Before' }] })
  const { userId } = (await call('GET', fixture.at)).json
  t.equal((await rows(sandboxTurnTable, [userId])).length, 1)
  t.equal((await call('DELETE', `/${fixture.agent}`)).status, 204)
  t.same(await rows(personaTable, ['demo', fixture.agent]), [])
  await waitUntil(async () => (await rows(sandboxTurnTable, [userId])).length === 0, clock)
  await call('POST', '', { id: fixture.agent, name: 'Again' })
  t.same((await call('GET', `/${fixture.agent}/personas`)).json.data, [])
})

t.test('A grant lists, creates, reads, resets and plays the personas of its agent, and nothing else', async (t) => {
  const fixture = await openSandbox(t)
  const other = await openSandbox(t)
  const link = await call('POST', `/${fixture.agent}/emulator-links`)
  t.equal(link.status, 201)
  t.match(link.json.token, /^v2\./)
  t.equal(link.json.expiresAt, new Date(clock.now() + 30 * 86_400_000).toISOString())
  const sitting = await call('POST', `/${fixture.agent}/emulator/sittings`)
  t.match(sitting.json, { token: /^v1\./, expiresAt: new Date(clock.now() + 3_600_000).toISOString() })
  for (const { token } of [link.json, sitting.json]) {
    const session = await node.mgmt('GET', '/v1/emulator/session', { token })
    t.match(session.json, { orgId: 'demo', agentId: fixture.agent })
    const as = (method: string, path: string, json?: unknown) => call(method, path, json, token)
    t.equal((await as('GET', `/${fixture.agent}/personas`)).status, 200)
    t.equal((await as('POST', `/${fixture.agent}/personas`, { name: 'Made by grant' })).status, 201)
    t.equal((await as('GET', fixture.at)).status, 200)
    t.equal((await as('POST', `${fixture.at}/_reset`)).status, 200)
    t.equal((await fixture.does({ text: 'Hi' }, token)).status, 200)
    t.equal((await as('GET', `${fixture.at}/turns`)).status, 200)
    for (const [method, path] of [
      ['DELETE', fixture.at],
      ['GET', other.at],
      ['GET', `/${fixture.agent}`],
      ['POST', `/${fixture.agent}/emulator-links`],
    ] as const) {
      const { status, json } = await as(method, path)
      t.equal(status, 403, `${method} ${path}`)
      t.equal(json.code, 'auth.emulator_grant.forbidden')
    }
  }
  t.equal((await call('POST', '/nobody/emulator-links')).status, 404)
})

t.test(
  'Emulator links are listed without tokens, and end at their time, when revoked, and with their agent',
  async (t) => {
    const fixture = await openSandbox(t)
    const at = `/${fixture.agent}/emulator-links`
    const opens = async (token: string) => (await call('GET', `/${fixture.agent}/personas`, undefined, token)).status
    for (const [json, field] of [
      [{ expiresAt: new Date(clock.now()).toISOString() }, 'expiresAt'],
      [{ expiresAt: new Date(clock.now() + 366 * 86_400_000).toISOString() }, 'expiresAt'],
      [{ expiresAt: 'soon' }, 'expiresAt'],
      [{ label: '' }, 'label'],
      [{ label: 'x'.repeat(101) }, 'label'],
      [{ surprise: 1 }, 'surprise'],
    ] as const) {
      const refused = await call('POST', at, json)
      t.equal(refused.status, 422)
      t.equal(refused.json.errors[0].field, field)
    }
    t.same((await call('GET', at)).json.data, [], 'a refused request left nothing')

    const pilot = (await call('POST', at, { label: 'Pilot' })).json
    await clock.advance(1)
    const short = (await call('POST', at, { expiresAt: new Date(clock.now() + 1_000).toISOString() })).json
    t.equal(await opens(pilot.token), 200)
    t.equal(await opens(short.token), 200)
    await waitUntil(async () => (await call('GET', at)).json.data.every((link: object) => 'lastUsedAt' in link))
    const listed = await call('GET', at)
    t.match(listed.json.data, [
      { id: pilot.id, label: 'Pilot', createdAt: pilot.createdAt, createdBy: { kind: 'key', id: /^key_/ } },
      { id: short.id, expiresAt: short.expiresAt },
    ])
    t.notMatch(listed.text, /v2\./)
    await clock.advance(1_000)
    t.equal(await opens(short.token), 401, 'it has ended')

    t.equal((await call('DELETE', `${at}/${pilot.id}`)).status, 204)
    t.equal(await opens(pilot.token), 401, 'revoked at once')
    t.equal((await call('DELETE', `${at}/${pilot.id}`)).status, 404)

    const sitting = (await call('POST', `/${fixture.agent}/emulator/sittings`)).json
    const last = (await call('POST', at)).json
    for (const { token } of [sitting, last]) t.equal(await opens(token), 200)
    t.equal((await call('DELETE', `/${fixture.agent}`)).status, 204)
    await waitUntil(async () => (await call('POST', '', { id: fixture.agent, name: 'Another' })).status === 201)
    for (const { token } of [sitting, last])
      t.equal(await opens(token), 401, 'a new agent with the same id is not opened')
    t.same((await call('GET', at)).json.data, [])
  },
)

t.test(
  'A missing identity, one persona too many and a missing agent are each refused with their own error',
  async (t) => {
    const persona = {
      id: 'psn_1',
      personId: 'pr_1',
      name: 'Ada',
      channel: 'rcs',
      preset: {},
      asid: 'usr_1',
      createdAt: 1,
    }
    const reader = { get: () => persona, range: () => [] } as never
    const sandboxPerson = { ...newPerson('pr_1', 'persona', 1), sandbox: true as const }
    const people = { byId: () => sandboxPerson, newId: () => '', save() {}, remove() {} }
    const { queries } = createPersonas({ people, sandbox: {} as never })
    const place = { orgId: 'demo', agentId: 'ada' }
    t.match(queries.personaIdentity.read(reader, { ...place, personaId: 'psn_1' }), {
      refused: 'agent.persona.unavailable',
    })

    const full = Array.from({ length: limits.perAgent }, (_, place) => ({ value: { ...persona, id: `psn_${place}` } }))
    const { commands } = createPersonas({ people, sandbox: {} as never })
    const input = { ...place, personaId: 'psn_x', name: 'One more', channel: 'rcs', preset: {} } as const
    const identity = { asid: 'usr_2', address: 'persona:2' }
    const meta = { at: 1, commandId: '', mint: () => '' }
    const refused = commands.create.decide(
      { get: () => persona, range: () => full } as never,
      { ...input, identity },
      meta,
    )
    t.match(refused, { refused: 'request.invalid', detail: /at most 500 personas/ })

    let answer: Refusal = refuse('resource.not_found')
    const deps = { directory: { get: async () => answer } } as never
    const { run } = createSandboxRunner(() => deps, {} as never)
    const who = { agentRef: place, asid: 'usr_1', channel: 'rcs', address: 'persona:1' } as const
    t.match(await run(who, { text: 'Hi' }), { refused: 'agent.sandbox.unavailable' })
    answer = refuse('service.unavailable')
    t.match(await run(who, { text: 'Hi' }), { refused: 'service.unavailable' })
  },
)

t.test('A conversation of any length is deleted in steps', async (t) => {
  const asid = 'usr_long'
  await node.node.engine.execute(asid, saveTurns, { asid, count: 3 * sandbox.rowsDeletedPerStep })
  await node.node.engine.execute(asid, sandboxRemove, { asid })
  await waitUntil(async () => (await rows(sandboxTurnTable, [asid])).length === 0, clock)
  t.same(await rows(conversationTable, [asid]), [])
})

t.test('A real conversation is never deleted as a sandbox one', async (t) => {
  const asid = 'usr_real'
  await node.node.engine.execute(asid, saveReal, { asid })
  await node.node.engine.execute(asid, sandboxRemove, { asid })
  t.equal((await rows(conversationTable, [asid])).length, 1)
})
