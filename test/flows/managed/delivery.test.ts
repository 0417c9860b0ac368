/** What a managed agent says is delivered like any other message: paced, in order, degraded, retried under its id. */
import t from 'tap'
import { waitUntil } from '../../harness/clock.js'
import { acceptAll } from '../../harness/world.js'
import { clinic, openStage } from './stage.js'

t.setTimeout(300_000)

/** Suggestions end a message, so this reply has three. */
const threeMessages = {
  playbooks: [
    {
      ...{ id: 'main', name: 'Main', isDefault: true, uses: [], body: '' },
      flow: {
        steps: [
          { say: { text: 'First.', suggestions: ['One', 'Two'] } },
          { say: { text: 'Second.', suggestions: ['Three'] } },
          { say: 'Third.' },
        ],
      },
    },
  ],
}

/** The id of a message's first and only piece, as the provider gets it. */
const pieceOf = (messageId: string) => `${messageId}.0`

t.test('R10: messages of a reply come in their order, each at the pace of its channel', async (t) => {
  const stage = await openStage(t, threeMessages)
  const minMessageDelayMs = 2_000
  await stage.manage('PATCH', `/channels/${stage.agent.binding('sms')}`, { delivery: { minMessageDelayMs } })
  const ann = stage.phone('sms', '+12075550118')
  await ann.send({ text: 'hello' })
  for (const count of [1, 2, 3]) {
    await waitUntil(() => ann.requests().length >= count)
    stage.clock.advance(minMessageDelayMs - 100)
    // As long as another person's reply takes, the next message would have been here.
    const other = stage.phone('sms', `+1207555016${count}`)
    await other.send({ text: 'hello' })
    await waitUntil(() => other.requests().length > 0)
    t.equal(ann.requests().length, count, 'the next one waits')
    stage.clock.advance(100)
  }
  t.match(
    ann.requests().map(({ text }) => text),
    [/^First\./, /^Second\./, /^Third\.$/],
  )
})

t.test('R10: suggestions are chips where the channel has them, and numbered lines where it has none', async (t) => {
  const stage = await openStage(t, threeMessages, { channels: ['rcs', 'sms'] })
  const onRcs = await stage.phone('rcs', '+12075550119').write('hello')
  t.equal(onRcs.texts[0], 'First.')
  t.same(onRcs.chips, ['One', 'Two', 'Three'])
  const onSms = await stage.phone('sms', '+12075550119').write('hello')
  t.match(onSms.texts[0], /^First\.\s+1\. One\n2\. Two\n/)
  t.same(onSms.chips, [])
})

t.test('R10: every message of a reply has an id of its own, which the provider is given', async (t) => {
  const stage = await openStage(t, threeMessages)
  const { turn, requests } = await stage.phone('sms', '+12075550120').write('hi')
  t.equal(new Set(turn.messages).size, 3)
  t.same(
    requests.map(({ id }) => id),
    turn.messages.map(pieceOf),
  )
})

t.test('R10: a message that the provider could not take is submitted again under the same id', async (t) => {
  const stage = await openStage(t, threeMessages)
  let failures = 2
  stage.channels.setProvider((request) =>
    failures-- > 0 ? { kind: 'refused', reason: 'providerUnavailable', retry: 'later' } : acceptAll(request),
  )
  const ann = stage.phone('sms', '+12075550121')
  await ann.send({ text: 'hello' })
  await waitUntil(() => {
    stage.clock.advance(1_000)
    return ann.requests().some(({ text }) => /Third/.test(text))
  })
  const [turn] = await ann.turns()
  const [first, second, third] = turn.messages.map(pieceOf)
  t.same(
    ann.requests().map(({ id }) => id),
    [first, first, first, second, third],
    'and what follows waits for it',
  )
})

t.test('R11: a reply is not held in the hours in which no conversation may be begun', async (t) => {
  const stage = await openStage(t, clinic)
  const safeHours = { startHour: 9, endHour: 17, timeZone: 'UTC' }
  await stage.manage('PUT', '/settings/sending', { minTouchIntervalHours: 0, safeHours })
  const midnight = stage.clock.now()
  const answer = await stage.phone('sms', '+12075550122').write('Do you have parking?')
  t.match(answer.text, /six free spaces/)
  t.ok(answer.requests[0]!.at - midnight < 3_600_000, 'long before nine')
})
