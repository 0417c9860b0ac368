/** The message center of the sms scenario counts what it takes, and what it does not get is told. */
import t from 'tap'
import { account, host } from '../../bench/scenarios/sms/fixtures.js'
import { isKannelHere, startKannel } from '../../bench/scenarios/sms/kannel.js'
import { createDeliveryWait, startCenter } from '../../bench/scenarios/sms/rpc.js'
import { openTestSession, waitUntilConnected } from '../adapters/sms/smpp/messagecenter.js'
import { sender } from '../adapters/sms/smpp/sender.js'

const window = { warmSeconds: 0, seconds: 1, concurrency: 1 }

t.test('People send greetings, submits are counted, and a missing message is a failure of the window', async (t) => {
  const center = await startCenter()
  t.teardown(center.stop)
  t.match(await center.count(), { isBound: false, submits: 0 })
  const { session, reportedItems: inbound } = openTestSession(center.port, { auth: { ...account } })
  t.teardown(() => session.close())
  await waitUntilConnected(session)
  await center.greet(300)
  t.equal(new Set(inbound.map((item) => 'address' in item && item.address)).size, 300)

  const handOver = createDeliveryWait(center, () => 7, 500)
  const send = sender(session, { from: account.from })
  for (const text of ['a', 'b', 'c']) t.match(await send(text), { kind: 'sent' })
  t.match(await center.count(), { isBound: true, submits: 3 })
  t.match(await handOver({ ...window, operations: 3 }), { failures: {}, operations: 0, cpuMicros: 0 })
  await send('d')
  const missed = await handOver({ ...window, operations: 2 })
  t.same(missed.failures, { 'accepted and never submitted': 1 })
})

t.test(
  'Kannel submits to the same message center',
  { skip: !isKannelHere() && 'Kannel is not installed here' },
  async (t) => {
    const center = await startCenter()
    t.teardown(center.stop)
    process.env.BENCH_SCRATCH = t.testdir()
    const kannel = await startKannel(center.port)
    t.teardown(kannel.stop)
    const { systemId: username, password } = account
    const query = new URLSearchParams({ username, password, to: '+15550001', text: 'Hello' })
    const answer = await fetch(`http://${host}:${kannel.port}/cgi-bin/sendsms?${query}`)
    t.equal(answer.status, 202)
    const handed = await createDeliveryWait(center, kannel.cpuMicros)({ ...window, operations: 1 })
    t.same(handed.failures, {})
    t.ok(kannel.cpuMicros() > 0)
  },
)
