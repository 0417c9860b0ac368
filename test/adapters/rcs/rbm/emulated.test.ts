/** RCS Business Messaging against the emulated platform: one person, from the first message to what is taken back. */
import t from 'tap'
import { uuidFrom } from '../../../../adapters/kit/http.js'
import { rbmAdapter } from '../../../../adapters/rcs/rbm/adapter.js'
import type { RbmAuth } from '../../../../adapters/rcs/rbm/descriptor.js'
import type { Item } from '../../../../core/channel/adapter.js'
import { render } from '../../../../core/render/index.js'
import type { Received } from '../../../harness/receiver.js'
import { openEmulatorHarness } from '../../emulator/emulatorharness.js'
import { callProvider, testProvider } from './provider.js'

const person = '+15550100001'

t.test('A person is checked for reachability, written to, answered, and not written to after STOP', async (t) => {
  const emulated = await openEmulatorHarness(t)
  const account = emulated.account('rbm', { reads: true })
  const auth = account.auth as unknown as RbmAuth
  t.equal(rbmAdapter.validateAuth?.(auth), undefined)
  const { sendContext } = testProvider(auth, callProvider, { address: person, now: Date.now })
  const context = { address: person, messageId: 'msg_1' }
  const receiveBody = ({ body, headers }: Received) =>
    rbmAdapter.receive(
      {
        bindingId: 'cb_1',
        method: 'POST',
        url: account.ingressUrl!,
        header: (name) => String(headers[name] ?? ''),
        body,
        at: Date.now(),
      },
      auth,
    )
  const waitForItems = async (atLeast: number) =>
    (await emulated.waitForCalls('/rbm', atLeast))
      .map(receiveBody)
      .flatMap((each) => (each.kind === 'items' ? each.items : [{ problem: each.kind } as Item]))

  t.same(await rbmAdapter.probe!([person], sendContext), { reachable: [person], unreachable: [] })
  emulated.emulator.faults.add({ account: 'rbm', address: '+15550100002', kind: 'unreachable' })
  t.same(await rbmAdapter.probe!(['+15550100002'], sendContext), { reachable: [], unreachable: ['+15550100002'] })
  t.same(await rbmAdapter.probe!([person, '+15550100002'], sendContext), {
    reachable: [person],
    unreachable: ['+15550100002'],
  })
  t.match(await rbmAdapter.send(typing, { ...sendContext, id: 'msg_0.0' }), { kind: 'sent' })

  const { blocks } = render(
    { spec: 'amf/1', parts: [{ type: 'text', text: 'A table?' }], chips: [{ label: 'Yes' }, { label: 'No' }] },
    rbmAdapter.descriptor.traits,
    { locale: 'en-US', zone: 'UTC' },
  )
  const [payload] = rbmAdapter.render(blocks, context)
  const providerId = uuidFrom('msg_1.0')
  t.same(await rbmAdapter.send(payload!, sendContext), { kind: 'sent', providerId })
  t.same(await rbmAdapter.send(payload!, sendContext), { kind: 'sent', providerId }, 'a second try')
  t.equal(emulated.emulator.sent(0).length, 1, 'is not shown a second time')
  t.match(await waitForItems(2), [
    { id: `${providerId} delivered`, address: person, inbound: { receipt: { providerId, state: 'delivered' } } },
    { id: `${providerId} read`, address: person, inbound: { receipt: { providerId, state: 'read' } } },
  ])

  t.match(await emulated.emulator.act('rbm', person, { kind: 'tap', label: 'No' }), { kind: 'performed', taken: true })
  const tap = (await waitForItems(3)).at(-1)
  t.match(tap, { address: person, inbound: { kind: 'tap', messageId: 'msg_1', tapIndex: 1, label: 'No' } })
  const lastInboundId = tap && 'id' in tap ? tap.id : ''
  const mark = rbmAdapter.signal!('read', { ...context, lastInboundId })
  t.match(
    await rbmAdapter.send(mark!, { ...sendContext, id: 'msg_2.0' }),
    { kind: 'sent' },
    'the platform knows it by that id',
  )
  t.equal(await rbmAdapter.revoke!(providerId, sendContext), 'tooLate')

  await emulated.emulator.act('rbm', person, { kind: 'optOut' })
  t.match((await waitForItems(5)).slice(-2), [
    { inbound: { kind: 'system', system: 'unsubscribed' } },
    { inbound: { kind: 'content', content: { text: 'STOP' } } },
  ])
  t.match(await rbmAdapter.send(payload!, { ...sendContext, id: 'msg_3.0' }), {
    kind: 'refused',
    retry: 'otherChannel',
  })
})

const typing = { event: { eventType: 'IS_TYPING' } } as const

t.test('A send to a slow, busy or broken platform is retried, and arrives once', async (t) => {
  const emulated = await openEmulatorHarness(t)
  const auth = emulated.account('rbm').auth as unknown as RbmAuth
  const { sendContext } = testProvider(auth, callProvider, { address: person, now: Date.now })
  const [payload] = rbmAdapter.render([{ kind: 'text', text: 'Hello' }], { address: person, messageId: 'msg_1' })
  for (const kind of ['rateLimited', 'serverError', 'noAnswer', 'reset'] as const) {
    emulated.emulator.faults.add({ account: 'rbm', kind, times: 1 })
    t.match(await rbmAdapter.send(payload!, sendContext), { kind: 'refused', retry: 'later' }, kind)
  }
  emulated.emulator.faults.add({ account: 'rbm', kind: 'unauthorized', times: 1 })
  t.match(await rbmAdapter.send(payload!, sendContext), { kind: 'sent' }, 'a refused token is renewed')
  t.equal(emulated.emulator.sent(0).length, 1)
})
