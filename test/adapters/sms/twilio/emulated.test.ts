/** Twilio against its emulator: a message, its receipts in any order, and what people write back. */
import t from 'tap'
import { twilioAdapter } from '../../../../adapters/sms/twilio/adapter.js'
import type { TwilioAuth } from '../../../../adapters/sms/twilio/descriptor.js'
import type { Item } from '../../../../core/channel/adapter.js'
import type { Received } from '../../../harness/receiver.js'
import { openEmulatorHarness } from '../../emulator/emulatorharness.js'
import { callProvider, testProvider } from '../../rcs/rbm/provider.js'

const person = '+15550100001'

t.test('A person is written to, answers, and is not written to after STOP', async (t) => {
  const emulated = await openEmulatorHarness(t)
  const account = emulated.account('twilio')
  const auth = account.auth as unknown as TwilioAuth
  t.equal(twilioAdapter.validateAuth?.(auth), undefined)
  const { sendContext } = testProvider(auth, callProvider, { address: person, ingressUrl: account.ingressUrl! })
  const receiveBody = ({ path, body, headers }: Received) =>
    twilioAdapter.receive(
      {
        bindingId: 'cb_1',
        method: 'POST',
        url: new URL(path, account.ingressUrl!).href,
        header: (name) => String(headers[name] ?? ''),
        body,
        at: Date.now(),
      },
      auth,
    )
  const waitForItems = async (atLeast: number) =>
    (await emulated.waitForCalls('/twilio', atLeast))
      .map(receiveBody)
      .flatMap((each) => (each.kind === 'items' ? each.items : [{ problem: each.kind } as Item]))

  const outcome = await twilioAdapter.send({ Body: 'Hello ☺ & bye' }, sendContext)
  t.equal(outcome.kind, 'sent')
  const providerId = outcome.kind === 'sent' ? outcome.providerId : ''
  t.match(await waitForItems(2), [
    { id: `${providerId} sent`, address: person, inbound: { receipt: { providerId, state: 'sent' } } },
    { id: `${providerId} delivered`, address: person, inbound: { receipt: { providerId, state: 'delivered' } } },
  ])
  t.match(emulated.emulator.sent(0), [{ providerId, body: { Body: 'Hello ☺ & bye', To: person } }])

  await emulated.emulator.act('twilio', person, { kind: 'text', text: '2 + 2 = 4 & ☺' })
  t.match((await waitForItems(3)).at(-1), {
    address: person,
    inbound: { kind: 'content', content: { text: '2 + 2 = 4 & ☺' } },
  })
  const photo = { url: 'https://media.example/cat.jpg', type: 'image/jpeg' }
  await emulated.emulator.act('twilio', person, { kind: 'media', ...photo })
  t.match((await waitForItems(4)).at(-1), {
    inbound: { kind: 'content', content: { media: [{ mediaRef: /\/Media\/ME/, type: photo.type }] } },
  })

  await emulated.emulator.act('twilio', person, { kind: 'stop' })
  t.match(
    (await waitForItems(5)).slice(4),
    [{ inbound: { kind: 'content', content: { text: 'STOP' } } }],
    'reported once',
  )
  t.match(await twilioAdapter.send({ Body: 'More' }, sendContext), {
    kind: 'refused',
    reason: 'optedOut',
    retry: 'never',
  })
})

t.test('A later failure is a receipt with its reason, and a send to a busy provider is retried', async (t) => {
  const emulated = await openEmulatorHarness(t)
  const account = emulated.account('twilio')
  const auth = account.auth as unknown as TwilioAuth
  const { sendContext } = testProvider(auth, callProvider, { address: person, ingressUrl: account.ingressUrl! })
  for (const kind of ['rateLimited', 'serverError', 'noAnswer', 'reset'] as const) {
    emulated.emulator.faults.add({ account: 'twilio', kind, times: 1 })
    t.match(await twilioAdapter.send({ Body: 'Hello' }, sendContext), { kind: 'refused', retry: 'later' }, kind)
  }
  emulated.emulator.faults.add({ account: 'twilio', kind: 'unauthorized', times: 1 })
  t.match(await twilioAdapter.send({ Body: 'Hello' }, sendContext), { kind: 'refused', needsOperator: true })
  emulated.emulator.faults.add({ account: 'twilio', address: '+15550100003', kind: 'unreachable' })
  t.match(await twilioAdapter.send({ Body: 'Hello' }, { ...sendContext, address: '+15550100003' }), { kind: 'sent' })
  const failed = await emulated.waitForCalls('/twilio', 4)
  const statuses = failed.map(({ body }) => new URLSearchParams(body.toString()).get('ErrorCode'))
  t.ok(statuses.includes('30005'))
})
