/** A STOP that comes while a message is on its way through the node: from its acknowledgement on nothing is handed over. */
import t, { type Test } from 'tap'
import { until } from '../harness/clock.js'
import { seededRng } from '../sim/world/rng.js'
import { openPlace, type Place } from './place.js'
import { openSendAgent, type SeenSend, type SendAgent } from './sends-agent.js'
import { openSendProvider } from './sends-provider.js'
import { openSendRecord, type Wanted } from './sends-record.js'

const phone = '+14155551000'
const wanted = (ref: string): Wanted => ({ ref, way: 'named', phone, beganAt: 0, told: [] })

/** A node, an agent on it and its provider, once a first message has gone out. */
async function opened(t: Test) {
  const record = openSendRecord()
  const provider = await openSendProvider(record, seededRng(1))
  const place = openPlace('embedded', { PARLEY_TIME_SCALE: '300', PARLEY_EMULATOR: 'false' })
  t.teardown(async () => {
    await place.remove()
    await provider.close()
  })
  provider.recover()
  place.spawn()
  await place.started()
  const agent = await openSendAgent([place], provider)
  const seen = async (sendId: string) => (await agent.read(place, sendId)) as SeenSend
  const first = (await agent.ask(place, wanted('ref-1')))!.sendId!
  await until(async () => (await seen(first)).state === 'sent')

  return { record, provider, place, agent, seen }
}

/** A STOP counts before it is acknowledged: whoever asks for another send is told. */
async function onRecord(place: Place, agent: SendAgent): Promise<void> {
  let ref = 3
  await until(async () => (await agent.ask(place, wanted(`ref-${ref++}`)))?.outcome === 'refused')
}

t.test('Nothing is handed to a provider after a STOP was acknowledged, however far the message had come', async (t) => {
  const { record, provider, place, agent, seen } = await opened(t)
  // It knows that the number can be reached, and no longer has a token: the message itself waits for one.
  await place.kill()
  const tokens = provider.holdTokens()
  place.spawn()
  await place.started()
  const second = (await agent.ask(place, wanted('ref-2')))!.sendId!
  await until(() => tokens.waiting() > 0)
  const stopping = agent.stop(place, phone)
  await onRecord(place, agent)
  tokens.release()
  t.equal(await stopping, true)
  await until(async () => (await seen(second)).state !== 'sending')
  t.match(await seen(second), { state: 'suppressed', reason: 'opted_out' })
  t.same(
    record.arrivals.map(({ ref }) => ref),
    ['ref-1'],
  )
})

t.test('A STOP is acknowledged once nothing is on its way to the provider any more', async (t) => {
  const { record, provider, place, agent, seen } = await opened(t)
  const messages = provider.holdMessages()
  const second = (await agent.ask(place, wanted('ref-2')))!.sendId!
  await until(() => messages.waiting() > 0)
  let acknowledgedAt: number | undefined
  const stopping = agent.stop(place, phone).then((isTaken) => {
    acknowledgedAt = record.moment()
    return isTaken
  })
  await onRecord(place, agent)
  t.equal(acknowledgedAt, undefined)
  messages.release()
  t.equal(await stopping, true)
  await until(async () => (await seen(second)).state === 'sent')
  const [, arrived] = record.arrivals
  t.match(arrived, { ref: 'ref-2' })
  t.ok(arrived!.at < acknowledgedAt!, 'it had arrived before')
})
