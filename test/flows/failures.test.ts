/**
 * What fails between a person and their agent is seen at once; and the operator's rules hold for everything that an
 * agent says.
 */
import t from 'tap'
import { logEvents } from '../../core/catalogs/logevents.js'
import { waitUntil } from '../harness/clock.js'
import { startNode, testKey } from '../harness/process.js'
import { json, type Reply, TestAgent } from '../harness/testagent.js'

const phone = '+15550100'
const textMessage = (text: string, more: object = {}) => ({ spec: 'amf/1', parts: [{ type: 'text', text }], ...more })
const status =
  (code: number, headers: Record<string, string> = {}): Reply =>
  (response) =>
    void response.writeHead(code, headers).end()

/** Written by conversations; their own tests show it. */
const coveredByConversationTests = [
  ...['message.held', 'message.retried', 'message.failed', 'message.fallback', 'message.undelivered'],
  ...['receipt.received', 'receipt.parked', 'webhook.overflow', 'window.closed'],
  ...['outreach.dispatched', 'outreach.failed', 'message.duplicate', 'message.degraded', 'message.truncated'],
  ...['receipt.ignored', 'media.fetched', 'media.unreachable', 'aml.warning', 'aml.problem'],
  ...['provider.throttled', 'provider.unreachable'],
]

/** Shown by agentlog.test.ts. */
const coveredByAgentLogTests = [
  ...['ingress.signature_refused', 'ingress.malformed', 'capability.checked', 'template.slot_missing'],
  ...['outreach.accepted', 'outreach.suppressed', 'emulator.turn'],
]

/** Written by managed agents: shown by managed/logs.test.ts, and trouble with calendars by mgmt/calendar. */
const coveredByManagedTests = [
  ...['playbook.entered', 'playbook.left', 'flow.started', 'flow.step', 'flow.completed', 'flow.stuck'],
  ...['goal.reached', 'knowledge.searched', 'framework.warning', 'tool.called', 'tool.refused', 'tool.failed'],
  ...['integration.called', 'integration.failed', 'notify.sent', 'notify.failed', 'person.updated', 'reminder.sent'],
  ...['scheduling.offered', 'scheduling.booked', 'scheduling.moved', 'scheduling.released', 'scheduling.failed'],
  'connection.lost',
]

/** Only a language model writes them. */
const withoutSourceYet = ['llm.call', 'llm.retried', 'llm.failed']

const node = await startNode({ PARLEY_ALLOW_PRIVATE_URLS: 'true' })
t.teardown(() => node.clean())

// biome-ignore lint/suspicious/noExplicitAny: what is read is asserted
const list = async (testAgent: TestAgent, path: string): Promise<any[]> =>
  (await testAgent.manage('GET', testAgent.agentPath + path)).data

const printedLines = () => node.stdout().split('\n')

async function createTestAgent(name: string): Promise<TestAgent> {
  const testAgent = await TestAgent.open(t, node, name)
  await testAgent.bind('sms', { mode: 'unmanaged', provider: 'emulator' })
  return testAgent
}

t.test('A webhook that answers 500 or not at all is visible at its first failure, in every view', async (t) => {
  for (const [name, reply, code] of [
    ['Broken', status(500), 500],
    ['Silent', (response) => void response.socket?.destroy(), undefined],
  ] as [string, Reply, number | undefined][]) {
    const testAgent = await createTestAgent(name)
    testAgent.alwaysReply = reply
    await testAgent.phoneAct('sms', { text: 'Hello' }, phone)
    await waitUntil(async () => (await list(testAgent, '/gateway/attempts')).length > 0)
    const attempts = await list(testAgent, '/gateway/attempts')
    const first = attempts.at(-1)
    t.match(first, { attempt: 1, outcome: 'retried', type: 'system', channel: 'sms', reason: /\w/ })
    t.equal(first.status, code)
    t.ok(Date.parse(first.nextAttemptAt) > Date.parse(first.timestamp))
    const retried = (await list(testAgent, '/logs?event=webhook.retried')).at(-1)
    t.match(retried, { level: 'warn', framework: 'webhook', data: { tried: 1, eventId: first.eventId } })
    t.match(retried.error.message, first.reason)
    t.match(await list(testAgent, '/logs?event=framework.dispatched'), [{ data: { eventId: first.eventId } }])
    const agentId = testAgent.agentPath.split('/').at(-1)!
    await waitUntil(() =>
      printedLines().some((line) => line.includes('agent.webhook.failed') && line.includes(agentId)),
    )
    t.notMatch(printedLines().join('\n'), /5550100/)
  }
})

t.test('A refused event is logged as failed, and an accepted one as replied', async (t) => {
  const testAgent = await createTestAgent('Mixed')
  testAgent.alwaysReply = status(404)
  await testAgent.phoneAct('sms', { text: 'Hello' }, phone)
  await waitUntil(async () => (await list(testAgent, '/gateway/attempts?outcome=failed')).length === 2)
  t.match((await list(testAgent, '/logs?event=framework.failed'))[0], { level: 'error', data: { status: 404 } })
  testAgent.alwaysReply = undefined
  testAgent.replies(json({ messages: [textMessage('one'), textMessage('two')] }))
  await testAgent.phoneAct('sms', { text: 'Again' }, phone)
  await waitUntil(async () =>
    (await list(testAgent, '/gateway/attempts?outcome=taken')).some(({ messages }) => messages === 2),
  )
  const replied = await list(testAgent, '/logs?event=framework.replied')
  t.ok(replied.some(({ data }) => data.messages === 2 && data.status === 200))
})

t.test('Attempts are listed newest first in pages, of one person or all, and not for an unknown agent', async (t) => {
  const testAgent = await createTestAgent('Pages')
  for (const from of ['+15550101', '+15550102', '+15550103']) await testAgent.phoneAct('sms', { text: 'Hello' }, from)
  await waitUntil(async () => (await list(testAgent, '/gateway/attempts')).length === 6)
  const allAttempts = await list(testAgent, '/gateway/attempts')
  const paged: unknown[] = []
  let token = ''
  do {
    const page = await testAgent.manage(
      'GET',
      `${testAgent.agentPath}/gateway/attempts?limit=2${token && `&pageToken=${token}`}`,
    )
    paged.push(...page.data)
    token = page.nextPageToken ?? ''
  } while (token)
  t.same(paged, allAttempts)
  const [{ userId }] = allAttempts
  const own = await list(testAgent, `/gateway/attempts?userId=${userId}`)
  t.same(
    own,
    allAttempts.filter((each) => each.userId === userId),
  )
  const missing = fetch(`${node.mgmt}/v1/orgs/demo/agents/nobody/gateway/attempts`, {
    headers: { authorization: `Bearer ${testKey}` },
  })
  t.equal((await missing).status, 404)
})

t.test('Rules apply to replies and to POST /messages: a replacement, a refusal, a flag', async (t) => {
  const testAgent = await createTestAgent('Ruled')
  const rule = (id: string, patterns: string[], more: object) => ({
    id,
    text: id,
    check: { kind: 'pattern', patterns },
    ...more,
  })
  await testAgent.manage('PUT', `${testAgent.agentPath}/rules`, {
    rules: [
      rule('cures', ['/guaranteed?/i'], { action: 'block', replacement: 'I cannot promise that.' }),
      rule('secret', ['forbidden'], { action: 'block' }),
      rule('price', ['discount'], { action: 'flag' }),
      rule('off', ['hello'], { action: 'block', enabled: false }),
    ],
  })
  testAgent.replies(
    json({
      messages: [
        textMessage('A **GUARAN**TEED cure'),
        textMessage('This is FORBIDDEN'),
        textMessage('hello, a discount'),
      ],
    }),
  )
  await testAgent.phoneAct('sms', { text: 'Tell me' }, phone)
  t.same(await testAgent.nextTexts(2), ['I cannot promise that.', 'hello, a discount'])
  const rules = (await list(testAgent, '/logs')).filter(({ event }) => event.startsWith('rule.'))
  t.match(
    rules.map(({ event, data }) => [event, data]),
    [
      ['rule.flagged', { ruleId: 'price' }],
      ['rule.blocked', { ruleId: 'secret', isReplaced: false }],
      ['rule.blocked', { ruleId: 'cures', isReplaced: true }],
    ],
  )
  const userId = testAgent.lastPerson()
  const chips = textMessage('Choose', { chips: [{ label: 'A forbidden one' }] })
  const card = { spec: 'amf/1', parts: [{ type: 'card', card: { title: 'Guaranteed' } }] }
  const results = await testAgent.send(userId, chips, card, textMessage('fine'))
  t.same(
    results.map(({ reason }) => reason ?? 'taken'),
    ['blockedByRule', 'taken', 'taken'],
  )
  t.same(await testAgent.nextTexts(2), ['I cannot promise that.', 'fine'])
  await testAgent.manage('PUT', `${testAgent.agentPath}/rules`, { rules: [] })
  t.same(
    (await testAgent.send(userId, textMessage('forbidden')))[0]!.accepted,
    true,
    'a change of the rules holds at once',
  )
})

t.test('Dead letters are listed oldest first in pages with their content, and replayed in their order', async (t) => {
  const testAgent = await createTestAgent('Letters')
  const path = '/gateway/dead-letters'
  testAgent.alwaysReply = status(404)
  const words = ['one', 'two', 'three']
  for (const text of words) await testAgent.phoneAct('sms', { text }, phone)
  await waitUntil(async () => (await list(testAgent, path)).length === 4)
  const letters = await list(testAgent, path)
  t.same(
    letters.map(({ event }) => event.message?.text ?? event.system.kind),
    ['conversationStarted', ...words],
  )
  const first = await testAgent.manage('GET', `${testAgent.agentPath}${path}?limit=3`)
  const nextPage = await testAgent.manage(
    'GET',
    `${testAgent.agentPath}${path}?limit=3&pageToken=${first.nextPageToken}`,
  )
  t.same([...first.data, ...nextPage.data], letters)
  t.notOk('nextPageToken' in nextPage)
  const before = (await list(testAgent, '/gateway/attempts')).length
  testAgent.alwaysReply = undefined
  t.same(await testAgent.manage('POST', `${testAgent.agentPath}${path}/_replay`), { replayed: 4, isMore: false })
  await waitUntil(async () => (await list(testAgent, '/gateway/attempts')).length === before + 4)
  const acceptedIds = (await list(testAgent, '/gateway/attempts?outcome=taken')).map(({ eventId }) => eventId).reverse()
  t.same(
    acceptedIds,
    letters.map(({ eventId }) => eventId),
  )
  t.same(await list(testAgent, path), [])
  t.equal((await list(testAgent, '/logs?event=webhook.replayed')).length, 4)
  const headers = { authorization: `Bearer ${testKey}` }
  const missing = await fetch(`${node.mgmt}/v1/orgs/demo/agents/nobody${path}`, { headers })
  t.equal(missing.status, 404, 'an agent that is not there has no list')
})

t.test('Every event of the log catalog is shown by a flow, or is listed here as one without', async (t) => {
  const testAgent = await createTestAgent('Talker')
  await testAgent.change('sms', { compliance: { enabled: true } })
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
  testAgent.replies(json({ messages: [ask] }))
  await testAgent.phoneAct('sms', { text: 'Hello' }, phone)
  await testAgent.nextTexts(2)
  for (const text of ['neither of these', 'Green tea', 'HELP', 'STOP', 'START'])
    await testAgent.phoneAct('sms', { text }, phone)
  await testAgent.bind('messengerA', { mode: 'unmanaged', provider: 'emulator', auth: {} })
  await testAgent.phoneAct('messengerA', { text: 'Hello' }, '15550100')
  const has = async (event: string) => (await list(testAgent, `/logs?event=${event}`)).length > 0
  const here = [
    ...['message.received', 'message.sent', 'message.matched', 'message.unmatched', 'session.started'],
    ...['conversation.started', 'window.opened', 'consent.opted_out', 'consent.opted_in', 'consent.help_answered'],
    ...['consent.disclaimer_sent', 'framework.dispatched', 'framework.replied'],
  ]
  for (const event of here) {
    await waitUntil(() => has(event))
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
  const coveredReasons = new Set([
    ...here,
    ...above,
    ...coveredByConversationTests,
    ...coveredByAgentLogTests,
    ...coveredByManagedTests,
    ...withoutSourceYet,
  ])
  t.same(
    logEvents.map(({ id }) => id).filter((id) => !coveredReasons.has(id)),
    [],
  )
  t.equal(coveredReasons.size, logEvents.length, 'and no other')
})
