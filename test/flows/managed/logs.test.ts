/** Events of the built-in runtime in the logs of its agent: each that needs no language model is written by a flow. */
import t from 'tap'
import { advanceUntilAnswered, flushPending, waitUntil } from '../../harness/clock.js'
import { answer, hang, openReceiver } from '../../harness/receiver.js'
import { clinic, openStage, type Stage, waitForReminder } from './stage.js'

t.setTimeout(300_000)

/** Lines of the agent with those events, as `GET .../logs` shows them; waits until there is one of each. */
async function linesOf(stage: Stage, events: readonly string[]) {
  const found = () => Promise.all(events.map((event) => stage.manage('GET', `/logs?limit=200&event=${event}`)))
  await waitUntil(async () => (await found()).every(({ data }) => data.length > 0))
  return Object.fromEntries((await found()).map(({ data }, nth) => [events[nth], data]))
}

const fails = (action: string, more: object = {}) => ({ action, on_error: 'branch', ...more })
const main = (steps: readonly object[], more: object = {}) => ({
  ...{ id: 'main', name: 'Main', isDefault: true, uses: [], body: '', flow: { steps } },
  ...more,
})

t.test('R61: a visit that is booked, moved, reminded of and called off is told step by step', async (t) => {
  const { scheduling } = clinic.capabilities
  const reminders = { enabled: true, leadMinutes: 60, ignoreSafeHours: true }
  const capabilities = { ...clinic.capabilities, scheduling: { ...scheduling, reminders } }
  const stage = await openStage(t, { ...clinic, capabilities })
  const ann = stage.phone('sms', '+12075550240')
  for (const text of ['hi', 'Book a visit', 'Sports massage', '1', 'Ann', 'ann@example.com', 'skip', 'yes']) {
    await ann.write(text)
  }
  for (const text of ['Move my visit', '2', 'yes', 'What does a visit cost?', 'Tell me a story']) await ann.write(text)
  await waitForReminder(stage, ann)
  for (const text of ['I cannot come to my visit', 'yes']) await ann.write(text)
  const [appointment] = (await stage.manage('GET', `/people/${(await ann.person()).id}/appointments`)).data
  const lines = await linesOf(stage, [
    ...['framework.dispatched', 'framework.replied', 'framework.warning', 'playbook.entered', 'playbook.left'],
    ...['flow.started', 'flow.step', 'flow.completed', 'goal.reached', 'knowledge.searched', 'rule.flagged'],
    ...['scheduling.offered', 'scheduling.booked', 'scheduling.moved', 'scheduling.released', 'person.updated'],
    'reminder.sent',
  ])
  const { id: appointmentId } = appointment
  t.match(lines['playbook.entered']?.at(-1), { level: 'info', data: { playbook: 'desk' } })
  t.match(lines['playbook.left']?.at(-1), { level: 'debug', data: { playbook: 'desk' } })
  t.match(lines['flow.completed']?.at(-1), { data: { playbook: 'book', outcome: 'booked' } })
  t.match(lines['goal.reached'], [{ data: { goal: 'booked-visit', from: 'playbook' } }])
  t.match(lines['rule.flagged'], [{ level: 'warn', data: { ruleId: 'prices' } }])
  t.match(lines['framework.warning'], [{ level: 'warn', data: { warning: 'model.absent' } }])
  t.match(lines['scheduling.offered']?.at(-1), { level: 'debug', data: { slots: 10 } })
  t.match(lines['scheduling.booked'], [{ data: { appointmentId, startUtc: Number } }])
  t.match(lines['scheduling.moved'], [{ data: { appointmentId } }])
  t.match(lines['scheduling.released'], [{ data: { appointmentId } }])
  t.match(lines['person.updated']?.at(-1), { data: { fields: ['firstName', 'email'] } })
  t.match(lines['reminder.sent'], [{ userId: ann.userId, data: { messageId: String } }])
  t.same((await stage.manage('GET', '/logs?event=outreach.dispatched')).data, [], 'a reminder is no outreach')
})

t.test('R61: calls of outside tools are told with their outcome, and without what they were given', async (t) => {
  const receiver = await openReceiver(t)
  for (const path of ['/crm', '/team', '/hook']) receiver.setBehavior(path, answer(200, 404))
  const webhook = '@svc/tool.webhook'
  const once = [
    fails('integration:crm', { with: { topic: 'Sore knees' } }),
    fails('notify.team', { with: { text: 'Sore knees.' } }),
    fails(`tool:${webhook}`, { with: { event: 'sore.knees', data: { topic: 'Sore knees' } } }),
    fails('people.save', { with: { fields: { status: 'lost' } } }),
    { say: 'That is all.' },
  ]
  const uses = ['notify', 'people', 'integration:crm']
  const stage = await openStage(t, {
    playbooks: [main(once, { uses, toolRefs: [webhook] })],
    integrations: { custom: [{ id: 'crm', description: 'The CRM.', endpoint: { url: receiver.url('/crm') } }] },
    toolBindings: [{ toolId: webhook, config: { url: receiver.url('/hook'), events: ['sore.knees'] }, enabled: true }],
  })
  const team = { operator: { provider: 'slack' }, slackWebhookUrl: receiver.url('/team') }
  await stage.manage('PUT', '/notifications', team)
  const ann = stage.phone('sms', '+12075550241')
  t.match((await ann.write('hello')).text, /That is all/)
  stage.clock.advance(31 * 60_000)
  t.match((await ann.write('hello')).text, /That is all/)
  const lines = await linesOf(stage, [
    ...['integration.called', 'integration.failed', 'notify.sent', 'notify.failed', 'tool.called', 'tool.failed'],
    'tool.refused',
  ])
  for (const [event, tool] of [
    ['integration', 'integration:crm'],
    ['notify', 'notify.team'],
    ['tool', `tool:${webhook}`],
  ] as const) {
    const done = lines[event === 'notify' ? 'notify.sent' : `${event}.called`]
    t.match(done, [{ level: 'info', userId: ann.userId, data: { tool, outcome: 'ok', ms: Number } }])
    t.match(lines[`${event}.failed`], [{ level: 'error', data: { tool, outcome: 'failed', why: /404/ } }])
    t.equal(done.length + lines[`${event}.failed`].length, 2, 'one line for each call')
  }
  t.match(lines['tool.refused'], [{ level: 'warn', data: { tool: 'people.save' } }, {}])
  t.notMatch(JSON.stringify(lines), /[Ss]ore/)
})

t.test(
  'R61: what a reply loses is told: a blocked message, a missing value, a marker, a flow without an end',
  async (t) => {
    const rule = { id: 'blue', text: 'No blue.', check: { kind: 'pattern', patterns: ['blue'] }, action: 'block' }
    const say = (id: string, text: string) => ({ id, name: id, uses: [], body: '', flow: { steps: [{ say: text }] } })
    const circle = (id: string, next: string) => ({
      id,
      name: id,
      uses: [],
      body: '',
      flow: { steps: [{ call: next }] },
    })
    const stage = await openStage(t, {
      rules: [rule],
      messageTemplates: [{ id: 'strict', name: 'Strict', body: 'Dear {person.company|block-send}.' }],
      playbooks: [
        main([{ say: 'Hello.' }]),
        ...[say('colors', 'It is blue.'), say('letter', 'template:strict'), circle('round', 'about')],
        ...[circle('about', 'round')],
      ],
    })
    const ann = stage.phone('sms', '+12075550242')
    for (const text of ['hello', 'colors', 'letter', 'round']) await ann.write(text)
    const lines = await linesOf(stage, ['rule.blocked', 'template.slot_missing', 'flow.stuck'])
    t.match(lines['rule.blocked'], [{ level: 'warn', data: { ruleId: 'blue' } }])
    t.match(lines['template.slot_missing'], [{ level: 'warn', data: { warning: 'template.blocked' } }])
    t.match(lines['flow.stuck'], [{ level: 'error', data: { warning: 'flow.stuck' } }])
  },
)

t.test('R61: a turn that ends at its deadline is a failure in the log, and says so in its record', async (t) => {
  const receiver = await openReceiver(t)
  receiver.setBehavior('/crm', hang)
  const stage = await openStage(t, {
    playbooks: [main([fails('integration:crm'), { say: 'Done.' }], { uses: ['integration:crm'] })],
    integrations: { custom: [{ id: 'crm', description: 'The CRM.', endpoint: { url: receiver.url('/crm') } }] },
  })
  const ann = stage.phone('sms', '+12075550243')
  await ann.send({ text: 'hello' })
  await waitUntil(() => receiver.at('/crm').length === 1)
  stage.clock.advance(61_000)
  const { text, turn } = await ann.waitForTurns(1)
  t.match(text, /./, 'the person is told')
  t.match(turn, { state: 'cut', endedBy: 'deadline', warnings: [{ code: 'turn.deadline' }] })
  const lines = await linesOf(stage, ['framework.failed', 'framework.warning'])
  t.match(lines['framework.failed'], [
    { level: 'error', data: { turnId: turn.id, why: 'The turn did not end within its deadline.' } },
  ])
  t.match(lines['framework.warning'], [{ data: { turnId: turn.id, warning: 'turn.deadline' } }])
  await flushPending()
  t.equal(lines['framework.failed'].length, 1)
})

t.test('R57, R61: a turn of a persona that captured something has a line that names what', async (t) => {
  const stage = await openStage(t, {
    playbooks: [main([fails('integration:crm'), { say: 'Done.' }], { uses: ['integration:crm'] })],
    integrations: { custom: [{ id: 'crm', description: 'The CRM.', endpoint: { url: 'https://crm.example/in' } }] },
  })
  const { id } = await stage.manage('POST', '/personas', { name: 'Ada' })
  const turn = stage.manage('POST', `/personas/${id}/turns`, { text: 'hello' })
  await advanceUntilAnswered(turn, () => stage.clock.advance(20))
  await waitUntil(async () => (await linesOf(stage, ['emulator.turn']))['emulator.turn'].length === 2)
  const lines = await linesOf(stage, ['emulator.turn', 'tool.called'])
  t.match(
    lines['emulator.turn'].map(({ data }: { data: object }) => data),
    [{ captured: ['integration'] }, { kind: 'text' }],
  )
  t.match(lines['tool.called'], [{ data: { tool: 'integration:crm', outcome: 'captured' } }])
  t.same((await stage.manage('GET', '/logs?event=integration.called')).data, [])
})
