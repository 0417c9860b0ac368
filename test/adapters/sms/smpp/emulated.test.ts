/** SMPP against the emulated message center, with the faults that a line can have. */
import t from 'tap'
import type { SmppAuth } from '../../../../adapters/sms/smpp/auth.js'
import { openEmulatorHarness } from '../../emulator/emulatorharness.js'
import { openTestSession, waitUntil, waitUntilConnected } from './messagecenter.js'
import { sender } from './sender.js'

const person = '+15550100001'

t.test(
  'A person is written to and answers over a connection that throttles, is silent, breaks and renames ids',
  async (t) => {
    const { emulator, account } = await openEmulatorHarness(t)
    const auth = account('smpp').auth as unknown as SmppAuth
    const { session, reportedItems } = openTestSession(auth.port, { auth, limits: { submitMs: 60 } })
    t.teardown(() => session.close())
    await waitUntilConnected(session)
    const send = sender(session, { from: auth.from, address: person })
    const fault = (kind: 'rateLimited' | 'serverError' | 'decimalReceiptIds' | 'noAnswer' | 'reset') =>
      emulator.faults.add({ account: 'smpp', kind, times: 1 })

    fault('rateLimited')
    t.match(await send('Hello'), { kind: 'refused', reason: 'rateLimited', retry: 'later' })
    fault('serverError')
    t.match(await send('Hello'), { kind: 'refused', retry: 'later' })
    fault('noAnswer')
    t.match(await send('Hello'), { kind: 'refused', retry: 'later', detail: /may have taken/ })
    fault('reset')
    t.match(await send('Hello'), { kind: 'refused', retry: 'later' })
    await waitUntilConnected(session)

    fault('decimalReceiptIds')
    const outcome = await send('Hello at last')
    const providerId = outcome.kind === 'sent' ? outcome.providerId : ''
    await waitUntil(() => reportedItems.some((item) => 'id' in item && item.id === `${providerId}.delivered`))
    const receipt = reportedItems.find((item) => 'id' in item && item.id === `${providerId}.delivered`)
    t.match(receipt, { address: person, inbound: { kind: 'receipt', receipt: { providerId, state: 'delivered' } } })

    const long = `${'Answer with € and [brackets]. '.repeat(12)}Done 中.`
    t.match(await emulator.act('smpp', person, { kind: 'text', text: long }), { kind: 'performed', taken: true })
    t.match(reportedItems.at(-1), { address: person, inbound: { kind: 'content', content: { text: long } } })
    t.same(
      reportedItems.filter((item) => 'problem' in item),
      [],
    )
  },
)

t.test('A person who is unreachable or has opted out at the provider is reported as such', async (t) => {
  const { emulator, account } = await openEmulatorHarness(t)
  const auth = account('smpp').auth as unknown as SmppAuth
  const { session, reportedItems } = openTestSession(auth.port, { auth })
  t.teardown(() => session.close())
  const send = sender(session, { from: auth.from, address: person })
  emulator.faults.add({ account: 'smpp', kind: 'unreachable', times: 1 })
  t.match(await send('Hello'), { kind: 'sent' })
  await waitUntil(() => reportedItems.length === 1)
  t.match(reportedItems, [{ address: person, inbound: { receipt: { state: 'failed', reason: 'undeliverable' } } }])
  emulator.faults.add({ account: 'smpp', kind: 'optedOut', times: 1 })
  t.match(await send('Hello'), { kind: 'refused', retry: 'otherChannel' })
})
