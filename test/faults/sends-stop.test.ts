/** A STOP that comes while a message is on its way through the node: from its acknowledgement on nothing is handed over. */
import t from 'tap'
import { until } from '../harness/clock.js'
import { seededRng } from '../sim/world/rng.js'
import { openPlace } from './place.js'
import { openSendAgent, type SeenSend } from './sends-agent.js'
import { openSendProvider } from './sends-provider.js'
import { openSendRecord, type Wanted } from './sends-record.js'

const phone = '+14155551000'
const wanted = (ref: string): Wanted => ({ ref, way: 'named', phone, beganAt: 0, told: [] })

t.test('Nothing is handed to a provider after a STOP was acknowledged, however far the message had come', async (t) => {
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

  // It knows that the number can be reached, and no longer has a token: the message itself waits for one.
  await place.kill()
  const tokens = provider.holdTokens()
  place.spawn()
  await place.started()
  const second = (await agent.ask(place, wanted('ref-2')))!.sendId!
  await until(() => tokens.waiting() > 0)
  t.equal(await agent.stop(place, phone), true)
  tokens.release()
  await until(async () => (await seen(second)).state !== 'sending')
  t.match(await seen(second), { state: 'suppressed', reason: 'opted_out' })
  t.same(
    record.arrivals.map(({ ref }) => ref),
    ['ref-1'],
  )
})
