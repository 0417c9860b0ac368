/** The real adapters, unchanged, against the emulated providers: two readings of the same documents that have to agree. */
import t from 'tap'
import type { ProviderName } from '../../../adapters/emulator/contract.js'
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

const real: Readonly<Record<ProviderName, Real>> = {
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
const wires = Object.entries(real) as [ProviderName, Real][]

const said = (text: string, ...labels: string[]): ContentMessage => ({
  spec: 'amf/1',
  parts: [{ type: 'text', text }],
  ...(labels.length > 0 && { chips: labels.map((label) => ({ label })) }),
})

for (const [wire, { adapter, address, states, taps }] of wires) {
  t.test(`${wire}: everything that the adapter renders is accepted by the provider`, async (t) => {
    const { emulator, deliver, refusals } = await openAdapterHarness(t, wire, adapter)
    const { auth } = emulator.accounts.get(wire)!
    t.same(
      schemaProblems(adapter.descriptor.form.credentials, auth),
      [],
      'its credentials go into a binding as they are',
    )
    t.equal(adapter.validateAuth?.(auth), undefined, 'and are good')
    await emulator.act(wire, address, { kind: 'text', text: 'Hi' })
    const corpus = Object.entries(corpusFor(adapter.descriptor.channel))
    t.ok(corpus.length > 50)
    for (const [name, message] of corpus) {
      const { outcomes } = await deliver(message, address)
      const wrong = outcomes.filter(({ kind }) => kind !== 'sent')
      t.same(wrong, [], `${name} ${refusals.join(' ').slice(0, 300)}`)
      refusals.length = 0
    }
    const accepted = emulator.sent(0, { account: wire, address })
    t.ok(accepted.length >= corpus.length, 'and was kept')
  })

  t.test(`${wire}: what people do and what becomes of messages is understood, every word of it`, async (t) => {
    const { emulator, deliver, told, items } = await openAdapterHarness(t, wire, adapter)
    t.match(await emulator.act(wire, address, { kind: 'text', text: 'Grüße 😀' }), { kind: 'performed', taken: true })
    await told(({ address: from, inbound }) => {
      return from === address && inbound.kind === 'content' && inbound.content.text === 'Grüße 😀'
    })
    const { id, outcomes } = await deliver(said('Tea or coffee?', 'Tea', 'Coffee'), address)
    const last = outcomes.at(-1)!
    t.equal(last.kind, 'sent')
    const providerId = last.kind === 'sent' ? last.providerId : ''
    for (const state of states) {
      await told(({ inbound }) => {
        if (inbound.kind !== 'receipt' || inbound.receipt.state !== state) return false
        return inbound.receipt.providerId === providerId || (inbound.receipt.upTo ?? 0) > 0
      })
    }
    if (taps) {
      t.match(await emulator.act(wire, address, { kind: 'tap', label: 'Coffee' }), { kind: 'performed', taken: true })
      await told(({ inbound }) => inbound.kind === 'tap' && inbound.messageId === id && inbound.tapIndex === 1)
    }
    t.match(await emulator.act(wire, address, { kind: 'stop' }), { kind: 'performed', taken: true })
    await told(({ inbound }) => inbound.kind === 'content' && inbound.content.text === 'STOP')
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
      const outcome = await emulator.act(wire, address, act)
      if (outcome.kind === 'impossible') continue
      t.ok(outcome.taken && items.length > before, `${act.kind} became something`)
    }
    t.same(
      items.filter((item) => 'problem' in item),
      [],
      'and nothing of it was a riddle',
    )
  })

  t.test(`${wire}: a provider that is busy, broken or silent is tried again later`, async (t) => {
    const { emulator, deliver, waitsShortly } = await openAdapterHarness(t, wire, adapter)
    await emulator.act(wire, address, { kind: 'text', text: 'Hi' })
    const kinds =
      wire === 'smpp'
        ? (['rateLimited', 'serverError'] as const)
        : (['rateLimited', 'serverError', 'reset', 'noAnswer'] as const)
    for (const kind of kinds) {
      emulator.faults.add({ account: wire, kind, times: 1 })
      waitsShortly(kind === 'noAnswer')
      const { outcomes } = await deliver(said('Hello'), address)
      t.match(outcomes, [{ kind: 'refused', retry: 'later' }], kind)
    }
    waitsShortly(false)
    const { outcomes } = await deliver(said('Hello'), address)
    t.match(outcomes, [{ kind: 'sent' }])
  })
}

t.test('A greeting of each provider that has one is answered as it must be', async (t) => {
  for (const wire of ['rbm', 'whatsapp', 'messenger', 'instagram', 'slack'] as const) {
    const { emulator } = await openAdapterHarness(t, wire, real[wire].adapter)
    t.equal(await emulator.accounts.greet(wire), 'taken', wire)
  }
})

t.test(
  'Credentials that are refused once are renewed where there are tokens, and need an operator elsewhere',
  async (t) => {
    for (const [wire, { adapter, address }] of wires.filter(([name]) => name !== 'smpp')) {
      const { emulator, deliver } = await openAdapterHarness(t, wire, adapter)
      await emulator.act(wire, address, { kind: 'text', text: 'Hi' })
      await deliver(said('first'), address)
      emulator.faults.add({ account: wire, kind: 'unauthorized', times: 1 })
      const { outcomes } = await deliver(said('second'), address)
      t.match(outcomes, wire === 'rbm' ? [{ kind: 'sent' }] : [{ retry: 'otherChannel', needsOperator: true }], wire)
    }
  },
)

t.test('A person who is out of reach or has left is not tried again, at once or by a receipt', async (t) => {
  for (const [wire, { adapter, address }] of wires) {
    for (const kind of ['unreachable', 'optedOut'] as const) {
      const { emulator, deliver, told } = await openAdapterHarness(t, wire, adapter)
      await emulator.act(wire, address, { kind: 'text', text: 'Hi' })
      emulator.faults.add({ account: wire, kind, times: 1 })
      const [outcome] = (await deliver(said('Hello'), address)).outcomes
      if (outcome?.kind === 'refused') t.not(outcome.retry, 'later', `${wire} ${kind}`)
      else await told(({ inbound }) => inbound.kind === 'receipt' && inbound.receipt.state === 'failed')
    }
  }
})

t.test('rbm: who has RCS is asked one by one and many at once, and what has not arrived is taken back', async (t) => {
  const { emulator, deliver, sendingTo, told } = await openAdapterHarness(t, 'rbm', real.rbm.adapter)
  const [one, two] = ['+15550100001', '+15550100002']
  const { probe, revoke } = real.rbm.adapter
  emulator.faults.add({ account: 'rbm', address: two, kind: 'unreachable' })
  t.same(await probe!([two], sendingTo(two, 'x')), { reachable: [], unreachable: [two] })
  t.match(await probe!([one, two], sendingTo(one, 'y')), { reachable: [one] })
  await emulator.act('rbm', one, { kind: 'offline' })
  const { outcomes } = await deliver(said('waits'), one)
  const { providerId } = outcomes[0] as { providerId: string }
  t.equal(await revoke!(providerId, sendingTo(one, 'z')), 'revoked')
  await emulator.act('rbm', one, { kind: 'online' })
  const arrived = (await deliver(said('arrives'), one)).outcomes[0] as { providerId: string }
  await told(({ inbound }) => inbound.kind === 'receipt' && inbound.receipt.providerId === arrived.providerId)
  t.equal(await revoke!(arrived.providerId, sendingTo(one, 'w')), 'tooLate')
})

t.test('rbm: what was accepted and never answered is tried again under the same id, and shown once', async (t) => {
  const { emulator, deliver, waitsShortly, told, items } = await openAdapterHarness(t, 'rbm', real.rbm.adapter)
  const { address } = real.rbm
  await deliver(said('A token is at hand'), address)
  emulator.faults.add({ account: 'rbm', kind: 'noAnswer', times: 1 })
  waitsShortly(true)
  const first = await deliver(said('Once'), address)
  t.match(first.outcomes, [{ kind: 'refused', retry: 'later' }])
  waitsShortly(false)
  const second = await deliver(said('Once'), address, first.id)
  t.match(second.outcomes, [{ kind: 'sent' }])
  const { providerId } = second.outcomes[0] as { providerId: string }
  t.equal(emulator.sent(0).length, 2)
  await told(({ inbound }) => inbound.kind === 'receipt' && inbound.receipt.providerId === providerId)
  t.same(
    items.filter((item) => 'problem' in item),
    [],
  )
})
