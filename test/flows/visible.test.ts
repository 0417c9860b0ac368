/** What fails between a person and their agent is seen at once; and the operator's rules hold for everything that an agent says. */
import t from 'tap'
import { logEvents } from '../../core/catalogs/logevents.js'
import { until } from '../harness/clock.js'
import { Desk, json, type Reply } from '../harness/desk.js'
import { startNode, testKey } from '../harness/process.js'

const phone = '+15550100'
const said = (text: string, more: object = {}) => ({ spec: 'amf/1', parts: [{ type: 'text', text }], ...more })
const status =
  (code: number, headers: Record<string, string> = {}): Reply =>
  (response) =>
    void response.writeHead(code, headers).end()

/** Written by conversations; their own tests show it. */
const shownByTestsOfConversations = [
  ...['message.held', 'message.retried', 'message.failed', 'message.fallback', 'message.undelivered'],
  ...['receipt.received', 'receipt.parked', 'webhook.overflow', 'window.closed'],
  ...['outreach.dispatched', 'outreach.failed', 'message.duplicate', 'message.degraded', 'message.truncated'],
  ...['receipt.ignored', 'media.fetched', 'media.unreachable', 'aml.warning', 'aml.problem'],
  ...['provider.throttled', 'provider.unreachable'],
]

/** Shown by agentlog.test.ts. */
const shownByTestsOfTheAgentsLog = [
  ...['ingress.signature_refused', 'ingress.malformed', 'capability.checked', 'template.slot_missing'],
  ...['outreach.accepted', 'outreach.suppressed', 'emulator.turn'],
]

/** The managed runtime, its tools, bookings and tests of agents do not exist yet. */
const withoutSourceYet = [
  ...['llm.call', 'llm.retried', 'llm.failed', 'playbook.entered', 'playbook.left', 'flow.started', 'flow.step'],
  ...[
    'flow.completed',
    'flow.stuck',
    'goal.reached',
    'knowledge.searched',
    'tool.called',
    'tool.refused',
    'tool.failed',
  ],
  ...['integration.called', 'integration.failed', 'connection.lost', 'scheduling.offered', 'scheduling.booked'],
  ...['scheduling.moved', 'scheduling.released', 'scheduling.failed', 'reminder.sent', 'person.updated', 'notify.sent'],
  'notify.failed',
]

const node = await startNode({ PARLEY_ALLOW_PRIVATE_URLS: 'true' })
t.teardown(() => node.clean())

// biome-ignore lint/suspicious/noExplicitAny: what is read is asserted
const list = async (desk: Desk, path: string): Promise<any[]> => (await desk.manage('GET', desk.at + path)).data

const printed = () => node.stdout().split('\n')

async function openDesk(name: string): Promise<Desk> {
  const desk = await Desk.open(t, node, name)
  await desk.bind('sms', { mode: 'unmanaged', provider: 'emulator' })
  return desk
}

t.test('A webhook that answers 500 or not at all is seen at its first failure, everywhere', async (t) => {
  for (const [name, reply, code] of [
    ['Broken', status(500), 500],
    ['Silent', (response) => void response.socket?.destroy(), undefined],
  ] as [string, Reply, number | undefined][]) {
    const desk = await openDesk(name)
    desk.always = reply
    await desk.acts('sms', { text: 'Hello' }, phone)
    await until(async () => (await list(desk, '/gateway/attempts')).length > 0)
    const attempts = await list(desk, '/gateway/attempts')
    const first = attempts.at(-1)
    t.match(first, { attempt: 1, outcome: 'retried', type: 'system', channel: 'sms', reason: /\w/ })
    t.equal(first.status, code)
    t.ok(Date.parse(first.nextAttemptAt) > Date.parse(first.timestamp))
    const retried = (await list(desk, '/logs?event=webhook.retried')).at(-1)
    t.match(retried, { level: 'warn', framework: 'webhook', data: { tried: 1, eventId: first.eventId } })
    t.match(retried.error.message, first.reason)
    t.match(await list(desk, '/logs?event=framework.dispatched'), [{ data: { eventId: first.eventId } }])
    const agentId = desk.at.split('/').at(-1)!
    await until(() => printed().some((line) => line.includes('agent.webhook.failed') && line.includes(agentId)))
    t.notMatch(printed().join('\n'), /5550100/)
  }
})

t.test('A webhook that refuses an event is told as failed, and one that takes it as replied', async (t) => {
  const desk = await openDesk('Mixed')
  desk.always = status(404)
  await desk.acts('sms', { text: 'Hello' }, phone)
  await until(async () => (await list(desk, '/gateway/attempts?outcome=failed')).length === 2)
  t.match((await list(desk, '/logs?event=framework.failed'))[0], { level: 'error', data: { status: 404 } })
  desk.always = undefined
  desk.replies(json({ messages: [said('one'), said('two')] }))
  await desk.acts('sms', { text: 'Again' }, phone)
  await until(async () => (await list(desk, '/gateway/attempts?outcome=taken')).some(({ messages }) => messages === 2))
  const replied = await list(desk, '/logs?event=framework.replied')
  t.ok(replied.some(({ data }) => data.messages === 2 && data.status === 200))
})

t.test(
  'Attempts are listed newest first in pages, of one person or all, and not for an agent that is not there',
  async (t) => {
    const desk = await openDesk('Pages')
    for (const from of ['+15550101', '+15550102', '+15550103']) await desk.acts('sms', { text: 'Hello' }, from)
    await until(async () => (await list(desk, '/gateway/attempts')).length === 6)
    const whole = await list(desk, '/gateway/attempts')
    const paged: unknown[] = []
    let token = ''
    do {
      const page = await desk.manage('GET', `${desk.at}/gateway/attempts?limit=2${token && `&pageToken=${token}`}`)
      paged.push(...page.data)
      token = page.nextPageToken ?? ''
    } while (token)
    t.same(paged, whole)
    const [{ userId }] = whole
    const own = await list(desk, `/gateway/attempts?userId=${userId}`)
    t.same(
      own,
      whole.filter((each) => each.userId === userId),
    )
    const missing = fetch(`${node.mgmt}/v1/orgs/demo/agents/nobody/gateway/attempts`, {
      headers: { authorization: `Bearer ${testKey}` },
    })
    t.equal((await missing).status, 404)
  },
)

t.test('Rules apply to replies and to POST /messages: a replacement, a refusal, a flag', async (t) => {
  const desk = await openDesk('Ruled')
  const rule = (id: string, patterns: string[], more: object) => ({
    id,
    text: id,
    check: { kind: 'pattern', patterns },
    ...more,
  })
  await desk.manage('PUT', `${desk.at}/rules`, {
    rules: [
      rule('cures', ['/guaranteed?/i'], { action: 'block', replacement: 'I cannot promise that.' }),
      rule('secret', ['forbidden'], { action: 'block' }),
      rule('price', ['discount'], { action: 'flag' }),
      rule('off', ['hello'], { action: 'block', enabled: false }),
    ],
  })
  desk.replies(
    json({ messages: [said('A **GUARAN**TEED cure'), said('This is FORBIDDEN'), said('hello, a discount')] }),
  )
  await desk.acts('sms', { text: 'Tell me' }, phone)
  t.same(await desk.texts(2), ['I cannot promise that.', 'hello, a discount'])
  const rules = (await list(desk, '/logs')).filter(({ event }) => event.startsWith('rule.'))
  t.match(
    rules.map(({ event, data }) => [event, data]),
    [
      ['rule.flagged', { ruleId: 'price' }],
      ['rule.blocked', { ruleId: 'secret', isReplaced: false }],
      ['rule.blocked', { ruleId: 'cures', isReplaced: true }],
    ],
  )
  const userId = desk.lastPerson()
  const chips = said('Choose', { chips: [{ label: 'A forbidden one' }] })
  const card = { spec: 'amf/1', parts: [{ type: 'card', card: { title: 'Guaranteed' } }] }
  const results = await desk.send(userId, chips, card, said('fine'))
  t.same(
    results.map(({ reason }) => reason ?? 'taken'),
    ['blockedByRule', 'taken', 'taken'],
  )
  t.same(await desk.texts(2), ['I cannot promise that.', 'fine'])
  await desk.manage('PUT', `${desk.at}/rules`, { rules: [] })
  t.same((await desk.send(userId, said('forbidden')))[0]!.accepted, true, 'a change of the rules holds at once')
})

t.test(
  'Dead letters are listed oldest first in pages with their content, and replayed all at once in their order',
  async (t) => {
    const desk = await openDesk('Letters')
    const path = '/gateway/dead-letters'
    desk.always = status(404)
    const words = ['one', 'two', 'three']
    for (const text of words) await desk.acts('sms', { text }, phone)
    await until(async () => (await list(desk, path)).length === 4)
    const letters = await list(desk, path)
    t.same(
      letters.map(({ event }) => event.message?.text ?? event.system.kind),
      ['conversationStarted', ...words],
    )
    const first = await desk.manage('GET', `${desk.at}${path}?limit=3`)
    const rest = await desk.manage('GET', `${desk.at}${path}?limit=3&pageToken=${first.nextPageToken}`)
    t.same([...first.data, ...rest.data], letters)
    t.notOk('nextPageToken' in rest)
    const before = (await list(desk, '/gateway/attempts')).length
    desk.always = undefined
    t.same(await desk.manage('POST', `${desk.at}${path}/_replay`), { replayed: 4, isMore: false })
    await until(async () => (await list(desk, '/gateway/attempts')).length === before + 4)
    const taken = (await list(desk, '/gateway/attempts?outcome=taken')).map(({ eventId }) => eventId).reverse()
    t.same(
      taken,
      letters.map(({ eventId }) => eventId),
    )
    t.same(await list(desk, path), [])
    t.equal((await list(desk, '/logs?event=webhook.replayed')).length, 4)
    const headers = { authorization: `Bearer ${testKey}` }
    const missing = await fetch(`${node.mgmt}/v1/orgs/demo/agents/nobody${path}`, { headers })
    t.equal(missing.status, 404, 'an agent that is not there has no list')
  },
)

t.test('Every event of the log catalog is shown by a flow, or is named here as one without', async (t) => {
  const desk = await openDesk('Talker')
  await desk.change('sms', { compliance: { enabled: true } })
  const ask = {
    spec: 'amf/1',
    parts: [
      {
        type: 'ask.choice',
        intentId: 'q',
        prompt: 'Tea?',
        options: [
          { id: 'y', label: 'Green tea' },
          { id: 'n', label: 'Water' },
        ],
      },
    ],
  }
  desk.replies(json({ messages: [ask] }))
  await desk.acts('sms', { text: 'Hello' }, phone)
  await desk.texts(2)
  for (const text of ['neither of these', 'Green tea', 'HELP', 'STOP', 'START']) await desk.acts('sms', { text }, phone)
  await desk.bind('messengerA', { mode: 'unmanaged', provider: 'emulator', auth: {} })
  await desk.acts('messengerA', { text: 'Hello' }, '15550100')
  const has = async (event: string) => (await list(desk, `/logs?event=${event}`)).length > 0
  const here = [
    ...['message.received', 'message.sent', 'message.matched', 'message.unmatched', 'session.started'],
    ...['conversation.started', 'window.opened', 'consent.opted_out', 'consent.opted_in', 'consent.help_answered'],
    ...['consent.disclaimer_sent', 'framework.dispatched', 'framework.replied'],
  ]
  for (const event of here) {
    await until(() => has(event))
    t.pass(event)
  }
  const above = [
    'framework.failed',
    'webhook.retried',
    'webhook.parked',
    'webhook.replayed',
    'rule.flagged',
    'rule.blocked',
    'message.refused',
  ]
  const known = new Set([
    ...here,
    ...above,
    ...shownByTestsOfConversations,
    ...shownByTestsOfTheAgentsLog,
    ...withoutSourceYet,
  ])
  t.same(
    logEvents.map(({ id }) => id).filter((id) => !known.has(id)),
    [],
  )
  t.equal(known.size, logEvents.length, 'and no other')
})
