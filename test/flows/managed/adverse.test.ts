/** Bad input and bad moments: the person gets a sane sentence, and the record says what happened. */
import t from 'tap'
import { waitUntil } from '../../harness/clock.js'
import { openReceiver } from '../../harness/receiver.js'
import { clinic, openStage } from './stage.js'

t.setTimeout(300_000)

t.test(
  'C3: messages that come quickly after each other are answered together, and every one is in a turn',
  async (t) => {
    const stage = await openStage(t, clinic)
    const ann = stage.phone('sms', '+12075550230')
    await Promise.all([ann.send({ text: 'Do you have parking?' }), ann.send({ text: 'When are you open?' })])
    await waitUntil(async () => (await ann.turns()).flatMap(({ trigger }) => trigger.text).join('\n').length >= 39)
    const turns = await ann.turns()
    t.ok(turns.length <= 2)
    const { texts } = await ann.waitForTurns(turns.length)
    t.match(texts.join('\n'), /./)
  },
)

for (const [what, text] of [
  ['64 KB of text', 'word '.repeat(13_107)],
  ['one word of 60,000 letters', 'x'.repeat(60_000)],
  ['emoji alone', '🙂🙂🙂'],
  ['punctuation alone', '?!…'],
  ['markup and markers', '[[things: x]] {person.email} [[template: greeting]] **x** [[chips: a|b'],
  ['right-to-left and combining letters', 'שלום \u202e z̸̡͎a̵l̷g̶o̸'],
  ['names of objects', '__proto__ constructor toString'],
] as const) {
  t.test(`Bad input: ${what} is answered in a flow and outside`, async (t) => {
    const stage = await openStage(t, clinic)
    const ann = stage.phone('sms', '+12075550231')
    const outside = await ann.write(text)
    t.ok(outside.texts.length > 0 && outside.texts.length <= 10)
    t.equal(outside.turn.state, 'completed')
    await ann.write('Book a visit')
    const within = await ann.write(text)
    t.ok(within.texts.length > 0)
    t.equal(within.turn.state, 'completed')
    t.match((await ann.write('Do you have parking?')).text, /six free spaces/)
  })
}

t.test('R32a: a playbook deleted in the middle of its flow is left, and the person is answered', async (t) => {
  const stage = await openStage(t, clinic)
  const ann = stage.phone('sms', '+12075550232')
  await ann.write('Book a visit')
  const { playbooks } = await stage.manage('GET', '/export?format=json')
  await stage.manage('DELETE', '/playbooks/book')
  t.ok(playbooks.length > 1)
  const answer = await ann.write('Sports massage')
  t.equal(answer.turn.state, 'completed')
  t.equal(answer.turn.playbook.after, 'desk')
  t.match(answer.text, /./)
})

t.test('R32a: a flow that is shortened in the middle goes on or ends, and the person is answered', async (t) => {
  const stage = await openStage(t, clinic)
  const ann = stage.phone('sms', '+12075550233')
  for (const text of ['Book a visit', '1', '1', 'Ann']) await ann.write(text)
  await stage.manage('PATCH', '/playbooks/book', { flow: { steps: [{ say: 'We do not book here any more.' }] } })
  const answer = await ann.write('ann@example.com')
  t.equal(answer.turn.state, 'completed')
  t.match(answer.text, /./)
})

t.test('R7: a STOP right behind a message lets nothing be said after it', async (t) => {
  const stage = await openStage(t, clinic)
  const ann = stage.phone('sms', '+12075550234')
  await ann.write('hi')
  const before = ann.requests().length
  await Promise.all([ann.send({ text: 'STOP' }), ann.send({ text: 'Book a visit' })])
  await waitUntil(async () => (await ann.person())?.identities[0].optedOut)
  await waitUntil(async () => (await ann.turns())[0].state !== 'open')
  t.notMatch(
    ann
      .requests()
      .slice(before)
      .map(({ text }) => text)
      .join('\n'),
    /Which treatment/,
  )
})

t.test('A picture, a place and an unknown file are answered', async (t) => {
  const stage = await openStage(t, clinic, { channels: ['rcs'] })
  const ann = stage.phone('rcs', '+12075550235')
  for (const item of [
    { media: [{ url: 'https://media.example/x.png', type: 'image/png' }] },
    { place: { latitude: 43.6, longitude: -70.2, label: 'Pier' } },
    { media: [{ url: 'https://media.example/x' }], text: 'my scan' },
  ]) {
    const answer = await ann.act(item)
    t.match(answer.text, /./)
    t.equal(answer.turn.state, 'completed')
  }
})

t.test('A tool that answers with nothing has done what it was asked, and the flow goes on', async (t) => {
  const receiver = await openReceiver(t)
  const custom = [{ id: 'crm', description: 'The CRM.', endpoint: { url: receiver.url('/crm') } }]
  const flow = { steps: [{ action: 'integration:crm' }, { say: 'Sent.' }] }
  const playbooks = [{ id: 'main', name: 'Main', isDefault: true, uses: ['integration:crm'], body: '', flow }]
  const stage = await openStage(t, { playbooks, integrations: { custom } })
  const answer = await stage.phone('sms', '+12075550237').write('hello')
  t.match(answer.text, /Sent\./)
  t.match(answer.turn.toolCalls, [{ name: 'integration:crm', state: 'ok', result: null }])
  t.equal(receiver.at('/crm').length, 1)
})

t.test('Calls of outside tools fail without a tool behind them, and the flow says so', async (t) => {
  const custom = [{ id: 'crm', description: 'The CRM.', endpoint: { url: 'http://127.0.0.1:9/hook' } }]
  const flow = {
    steps: [
      { action: 'integration:crm', on_error: 'branch' },
      { branch: [{ if: 'error', goto: 'no' }], else: 'yes' },
      { id: 'yes', say: 'Sent.' },
      { end: { outcome: 'sent' } },
      { id: 'no', say: 'The CRM is away.' },
      { end: { outcome: 'failed' } },
    ],
  }
  const playbooks = [{ id: 'main', name: 'Main', isDefault: true, uses: ['integration:crm'], body: '', flow }]
  const stage = await openStage(t, { playbooks, integrations: { custom } })
  const answer = await stage.phone('sms', '+12075550236').write('hello')
  t.match(answer.text, /The CRM is away/)
  t.match(answer.turn, { outcomes: ['failed'], toolCalls: [{ name: 'integration:crm', state: 'failed' }] })
})
