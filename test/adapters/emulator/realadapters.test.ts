/**
 * The real adapters, unchanged, against the emulated providers: two readings of the same documents that have to agree.
 */
import t from 'tap'
import type { ChannelProviderName } from '../../../adapters/emulator/contract.js'
import { corpusFor } from '../../../adapters/kit/suite/corpus.js'
import { schemaProblems } from '../../../adapters/kit/suite/forms.js'
import { instagramAdapter } from '../../../adapters/messenger/instagram/adapter.js'
import { messengerAdapter } from '../../../adapters/messenger/messenger/adapter.js'
import { whatsappAdapter } from '../../../adapters/messenger/whatsapp/adapter.js'
import { rbmAdapter } from '../../../adapters/rcs/rbm/adapter.js'
import { smppAdapter } from '../../../adapters/sms/smpp/adapter.js'
import { twilioAdapter } from '../../../adapters/sms/twilio/adapter.js'
import { appleAdapter } from '../../../adapters/vendor/apple/adapter.js'
import { slackAdapter } from '../../../adapters/workchat/slack/adapter.js'
import type { ContentMessage } from '../../../core/amf/index.js'
import type { Adapter } from '../../../core/channel/adapter.js'
import { openAdapterHarness } from './adapterharness.js'

// Keys are made and many messages sent here, on a machine that may be busy.
t.setTimeout(120_000)

interface Real {
  readonly adapter: Adapter
  readonly address: string
  /** States that the provider tells of by itself. */
  readonly states: readonly string[]
  readonly taps: boolean
}

const real: Readonly<Record<ChannelProviderName, Real>> = {
  rbm: { adapter: rbmAdapter as Adapter, address: '+15550100001', states: ['delivered', 'read'], taps: true },
  twilio: { adapter: twilioAdapter as Adapter, address: '+15550100001', states: ['sent', 'delivered'], taps: false },
  smpp: { adapter: smppAdapter as Adapter, address: '+15550100001', states: ['delivered'], taps: false },
  whatsapp: {
    adapter: whatsappAdapter as Adapter,
    address: '15550100001',
    states: ['sent', 'delivered', 'read'],
    taps: true,
  },
  messenger: {
    adapter: messengerAdapter as Adapter,
    address: '7000000000000001',
    states: ['delivered', 'read'],
    taps: true,
  },
  instagram: { adapter: instagramAdapter as Adapter, address: '7000000000000001', states: ['read'], taps: true },
  apple: { adapter: appleAdapter as Adapter, address: 'urn:mbid:AQAAY0000001', states: [], taps: true },
  slack: { adapter: slackAdapter as Adapter, address: 'D0PERSON1', states: [], taps: true },
}
const realProviders = Object.entries(real) as [ChannelProviderName, Real][]

const textMessage = (text: string, ...labels: string[]): ContentMessage => ({
  spec: 'amf/1',
  parts: [{ type: 'text', text }],
  ...(labels.length > 0 && { chips: labels.map((label) => ({ label })) }),
})

for (const [provider, { adapter, address, states, taps }] of realProviders) {
  t.test(`${provider}: the provider accepts everything that the adapter renders`, async (t) => {
    const { emulator, deliver, refusals } = await openAdapterHarness(t, provider, adapter)
    const { auth } = emulator.accounts.get(provider)!
    t.same(
      schemaProblems(adapter.descriptor.form.credentials, auth),
      [],
      'its credentials go into a binding as they are',
    )
    t.equal(adapter.validateAuth?.(auth), undefined, 'and are good')
    await emulator.act(provider, address, { kind: 'text', text: 'Hi' })
    const corpus = Object.entries(corpusFor(adapter.descriptor.channel))
    t.ok(corpus.length > 50)
    for (const [name, message] of corpus) {
      const { outcomes } = await deliver(message, address)
      const wrong = outcomes.filter(({ kind }) => kind !== 'sent')
      t.same(wrong, [], `${name} ${refusals.join(' ').slice(0, 300)}`)
      refusals.length = 0
    }
    const accepted = emulator.sent(0, { account: provider, address })
    t.ok(accepted.length >= corpus.length, 'and was kept')
  })

  t.test(`${provider}: the adapter reads every action of people and every state of messages`, async (t) => {
    const { emulator, deliver, waitForItem, items } = await openAdapterHarness(t, provider, adapter)
    t.match(await emulator.act(provider, address, { kind: 'text', text: 'Grüße 😀' }), {
      kind: 'performed',
      taken: true,
    })
    await waitForItem(({ address: from, inbound }) => {
      return from === address && inbound.kind === 'content' && inbound.content.text === 'Grüße 😀'
    })
    const { id, outcomes } = await deliver(textMessage('Tea or coffee?', 'Tea', 'Coffee'), address)
    const last = outcomes.at(-1)!
    t.equal(last.kind, 'sent')
    const providerId = last.kind === 'sent' ? last.providerId : ''
    for (const state of states) {
      await waitForItem(({ inbound }) => {
        if (inbound.kind !== 'receipt' || inbound.receipt.state !== state) return false
        return inbound.receipt.providerId === providerId || (inbound.receipt.upTo ?? 0) > 0
      })
    }
    if (taps) {
      t.match(await emulator.act(provider, address, { kind: 'tap', label: 'Coffee' }), {
        kind: 'performed',
        taken: true,
      })
      await waitForItem(({ inbound }) => inbound.kind === 'tap' && inbound.messageId === id && inbound.tapIndex === 1)
    }
    t.match(await emulator.act(provider, address, { kind: 'stop' }), { kind: 'performed', taken: true })
    await waitForItem(({ inbound }) => inbound.kind === 'content' && inbound.content.text === 'STOP')
    const acts = [
      { kind: 'location', latitude: 1.5, longitude: 2.5, label: 'Pier' },
      { kind: 'media', url: 'https://a.example/b.png', type: 'image/png', name: 'b.png' },
      { kind: 'typing' },
      { kind: 'read' },
      { kind: 'optOut' },
      { kind: 'optIn' },
    ] as const
    for (const act of acts) {
      const before = items.length
      const outcome = await emulator.act(provider, address, act)
      if (outcome.kind === 'impossible') continue
      t.ok(outcome.taken && items.length > before, `${act.kind} became something`)
    }
    t.same(
      items.filter((item) => 'problem' in item),
      [],
      'and all of it was understood',
    )
  })

  t.test(`${provider}: a send to a busy, broken or silent provider is retried later`, async (t) => {
    const { emulator, deliver, setShortTimeout } = await openAdapterHarness(t, provider, adapter)
    await emulator.act(provider, address, { kind: 'text', text: 'Hi' })
    const kinds =
      provider === 'smpp'
        ? (['rateLimited', 'serverError'] as const)
        : (['rateLimited', 'serverError', 'reset', 'noAnswer'] as const)
    for (const kind of kinds) {
      emulator.faults.add({ account: provider, kind, times: 1 })
      setShortTimeout(kind === 'noAnswer')
      const { outcomes } = await deliver(textMessage('Hello'), address)
      t.match(outcomes, [{ kind: 'refused', retry: 'later' }], kind)
    }
    setShortTimeout(false)
    const { outcomes } = await deliver(textMessage('Hello'), address)
    t.match(outcomes, [{ kind: 'sent' }])
  })
}

t.test('The adapter answers the handshake of each provider that has one', async (t) => {
  for (const provider of ['rbm', 'whatsapp', 'messenger', 'instagram', 'slack'] as const) {
    const { emulator } = await openAdapterHarness(t, provider, real[provider].adapter)
    t.equal(await emulator.accounts.greet(provider), 'taken', provider)
  }
})

t.test(
  'Credentials that are refused once are renewed where tokens exist, and need an operator elsewhere',
  async (t) => {
    for (const [provider, { adapter, address }] of realProviders.filter(([name]) => name !== 'smpp')) {
      const { emulator, deliver } = await openAdapterHarness(t, provider, adapter)
      await emulator.act(provider, address, { kind: 'text', text: 'Hi' })
      await deliver(textMessage('first'), address)
      emulator.faults.add({ account: provider, kind: 'unauthorized', times: 1 })
      const { outcomes } = await deliver(textMessage('second'), address)
      t.match(
        outcomes,
        provider === 'rbm' ? [{ kind: 'sent' }] : [{ retry: 'otherChannel', needsOperator: true }],
        provider,
      )
    }
  },
)

t.test('A send to a person who is unreachable or has left is not retried, at once or after a receipt', async (t) => {
  for (const [provider, { adapter, address }] of realProviders) {
    for (const kind of ['unreachable', 'optedOut'] as const) {
      const { emulator, deliver, waitForItem } = await openAdapterHarness(t, provider, adapter)
      await emulator.act(provider, address, { kind: 'text', text: 'Hi' })
      emulator.faults.add({ account: provider, kind, times: 1 })
      const [outcome] = (await deliver(textMessage('Hello'), address)).outcomes
      if (outcome?.kind === 'refused') t.not(outcome.retry, 'later', `${provider} ${kind}`)
      else await waitForItem(({ inbound }) => inbound.kind === 'receipt' && inbound.receipt.state === 'failed')
    }
  }
})

t.test('rbm: reachability is checked one by one and in batches, and undelivered messages are revoked', async (t) => {
  const { emulator, deliver, sendContextTo, waitForItem } = await openAdapterHarness(t, 'rbm', real.rbm.adapter)
  const [one, two] = ['+15550100001', '+15550100002']
  const { probe, revoke } = real.rbm.adapter
  emulator.faults.add({ account: 'rbm', address: two, kind: 'unreachable' })
  t.same(await probe!([two], sendContextTo(two, 'x')), { reachable: [], unreachable: [two] })
  t.match(await probe!([one, two], sendContextTo(one, 'y')), { reachable: [one] })
  await emulator.act('rbm', one, { kind: 'offline' })
  const { outcomes } = await deliver(textMessage('waits'), one)
  const { providerId } = outcomes[0] as { providerId: string }
  t.equal(await revoke!(providerId, sendContextTo(one, 'z')), 'revoked')
  await emulator.act('rbm', one, { kind: 'online' })
  const arrived = (await deliver(textMessage('arrives'), one)).outcomes[0] as { providerId: string }
  await waitForItem(({ inbound }) => inbound.kind === 'receipt' && inbound.receipt.providerId === arrived.providerId)
  t.equal(await revoke!(arrived.providerId, sendContextTo(one, 'w')), 'tooLate')
})

t.test('rbm: a message that was accepted without an answer is retried under the same id and shown once', async (t) => {
  const { emulator, deliver, setShortTimeout, waitForItem, items } = await openAdapterHarness(
    t,
    'rbm',
    real.rbm.adapter,
  )
  const { address } = real.rbm
  await deliver(textMessage('A token is at hand'), address)
  emulator.faults.add({ account: 'rbm', kind: 'noAnswer', times: 1 })
  setShortTimeout(true)
  const first = await deliver(textMessage('Once'), address)
  t.match(first.outcomes, [{ kind: 'refused', retry: 'later' }])
  setShortTimeout(false)
  const second = await deliver(textMessage('Once'), address, first.id)
  t.match(second.outcomes, [{ kind: 'sent' }])
  const { providerId } = second.outcomes[0] as { providerId: string }
  t.equal(emulator.sent(0).length, 2)
  await waitForItem(({ inbound }) => inbound.kind === 'receipt' && inbound.receipt.providerId === providerId)
  t.same(
    items.filter((item) => 'problem' in item),
    [],
  )
})
