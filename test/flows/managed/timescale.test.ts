/** Delays of managed turns under `PARLEY_TIME_SCALE`: those of the product are divided, waits for others are not. */
import t from 'tap'
import { flushPending, waitUntil } from '../../harness/clock.js'
import { answer, openReceiver, type Receiver } from '../../harness/receiver.js'
import { clinic, openStage } from './stage.js'

t.setTimeout(300_000)

const node = { env: { PARLEY_TIME_SCALE: '60' } }

/** Whether the condition becomes true by itself, without time that passes. */
async function isSoon(condition: () => Promise<boolean> | boolean): Promise<boolean> {
  for (let polls = 0; polls < 200; polls++) {
    if (await condition()) return true
    await flushPending()
  }
  return false
}

t.test('R3: at sixty times the speed a session is quiet after half a minute, and its summary is written', async (t) => {
  const stage = await openStage(t, clinic, { node })
  const ann = stage.phone('sms', '+12075550250')
  for (const text of ['Insurance', 'Coast Care']) await ann.write(text)
  const [{ sessionId }] = await ann.turns()
  const summary = async () => {
    const { journal = [] } = await ann.person()
    return journal.some(({ text }: { text: string }) => /^Conversation on/.test(text))
  }
  stage.clock.advance(25_000)
  await flushPending()
  t.equal(await summary(), false)
  stage.clock.advance(10_000)
  t.ok(await isSoon(summary), 'the summary is written')
  t.not((await ann.write('hello')).turn.sessionId, sessionId)
})

t.test('R3: at sixty times the speed the reminder of an hour before goes out a minute before', async (t) => {
  const { scheduling } = clinic.capabilities
  const reminders = { enabled: true, leadMinutes: 60, ignoreSafeHours: true }
  const capabilities = { ...clinic.capabilities, scheduling: { ...scheduling, reminders } }
  const stage = await openStage(t, { ...clinic, capabilities }, { node })
  const ann = stage.phone('sms', '+12075550251')
  for (const text of ['Book a visit', '1', '1', 'Ann', 'ann@example.com', 'skip', 'yes']) await ann.write(text)
  const [{ startUtc }] = (await stage.manage('GET', `/people/${(await ann.person()).id}/appointments`)).data
  const isReminded = () => ann.requests().some(({ text }) => /Reminder: your appointment/.test(text))
  stage.clock.advance(Date.parse(startUtc) - 70_000 - stage.clock.now())
  await flushPending()
  t.notOk(isReminded())
  stage.clock.advance(15_000)
  t.ok(await isSoon(isReminded))
})

const asking = (receiver: Receiver) => ({
  playbooks: [
    {
      ...{ id: 'main', name: 'Main', isDefault: true, uses: ['integration:crm'], body: '' },
      flow: { steps: [{ action: 'integration:crm' }, { say: 'The CRM has it.' }] },
    },
  ],
  integrations: {
    custom: [
      {
        ...{ id: 'crm', description: 'The CRM.', endpoint: { url: receiver.url('/crm') } },
        parameters: { type: 'object', 'x-idempotent': true },
      },
    ],
  },
})

t.test('R3: the waits between attempts at a tool are divided', async (t) => {
  const receiver = await openReceiver(t)
  receiver.setBehavior('/crm', answer(502, 502, 200))
  const stage = await openStage(t, asking(receiver), { node })
  const ann = stage.phone('sms', '+12075550252')
  await ann.send({ text: 'hello' })
  // The waits of 250 and 500 ms are 5 and 9: as much time in all as the first would take alone, and no more.
  for (const count of [1, 2, 3]) {
    t.ok(await isSoon(() => receiver.at('/crm').length === count), `attempt ${count}`)
    for (let polls = 0; polls < 5; polls++) await flushPending()
    stage.clock.advance(10)
  }
  t.match((await ann.waitForTurns(1)).turn.toolCalls, [{ name: 'integration:crm', state: 'ok' }])
})

t.test('R3: the deadline of a turn is a wait for others, and is not divided', async (t) => {
  const receiver = await openReceiver(t)
  let release = () => {}
  receiver.setBehavior('/crm', (response) => {
    release = () => void response.writeHead(200).end()
  })
  const stage = await openStage(t, asking(receiver), { node })
  const ann = stage.phone('sms', '+12075550253')
  await ann.send({ text: 'hello' })
  await waitUntil(() => receiver.at('/crm').length === 1)
  stage.clock.advance(5_000)
  await flushPending()
  release()
  const { text, turn } = await ann.waitForTurns(1)
  t.match(text, /The CRM has it/)
  t.equal(turn.state, 'completed')
})
