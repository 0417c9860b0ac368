/**
 * Messages that are too much for a person's device: written for it and sent once more, so that nothing of them is lost.
 */
import t from 'tap'
import { rbmAdapter } from '../../../adapters/rcs/rbm/adapter.js'
import type { RbmAuth } from '../../../adapters/rcs/rbm/descriptor.js'
import type { Adapter, SendContext, SendOutcome } from '../../../core/channel/adapter.js'
import { conversation as limits, outreachSend } from '../../../core/limits/index.js'
import { conversationTable, messageTable } from '../../../runtime/conversation/tables.js'
import type { Shards } from '../../../runtime/shard/contract.js'
import { openEmulatorHarness } from '../../adapters/emulator/emulatorharness.js'
import { waitUntil } from '../../harness/clock.js'
import {
  acceptAll,
  type GatewayFixture,
  type GatewayFixtureOptions,
  openGatewayFixture,
  type ProviderRequest,
  textMessage,
} from '../conversation/fixture.js'

const channel = 'rcs'
const ann = '+15550101'
const noCards = ['REVOCATION', 'ACTION_DIAL']
const carousel = {
  type: 'carousel',
  cards: ['Red', 'Blue'].map((name) => ({
    title: `The ${name} Room`,
    description: `All ${name}.`,
    chips: [{ label: `Take ${name}` }, { kind: 'url', label: `See ${name}`, url: `https://hotel.example/${name}` }],
  })),
}
const rooms = { spec: 'amf/1', parts: [carousel] }
const welcomed = { spec: 'amf/1', parts: [{ type: 'text', text: 'Welcome.' }, carousel] }
const words = ['The Red Room', 'All Red.', 'Take Red', 'https://hotel.example/Red', 'The Blue Room', 'All Blue.']

const tooMuch: SendOutcome = {
  kind: 'refused',
  reason: 'invalidMessage',
  retry: 'otherChannel',
  deviceCapabilities: noCards,
}
/** What has no text of its own is a card or several. */
const isRich = ({ text }: ProviderRequest) => text === ''
const picky = (each: ProviderRequest) => (isRich(each) ? tooMuch : acceptAll(each))

async function openFixture(t: Parameters<typeof openGatewayFixture>[0], options: GatewayFixtureOptions = {}) {
  const fixture = await openGatewayFixture(t, { channels: [channel], ...options })
  const deviceTraits: Partial<Adapter> = { traitsForDevice: (abilities) => rbmAdapter.traitsForDevice!(abilities) }
  Object.assign(fixture.adapters[0]!, deviceTraits)
  const asid = await fixture.receiveText(ann, 'Hi', channel)
  await fixture.waitForWebhook()
  return { fixture, asid }
}

const conversationOf = (fixture: GatewayFixture) => fixture.rows(conversationTable)[0]!.value
const texts = (fixture: GatewayFixture) => fixture.providerRequests.map(({ text }) => text)
const statesOf = (fixture: GatewayFixture, asid: string) =>
  fixture.eventTexts(asid).filter((each) => each.includes(channel))

async function carouselLevel(fixture: GatewayFixture, asid: string): Promise<string> {
  const { json } = await fixture.call('GET', `/capabilities?userId=${asid}`)
  return json.parts.carousel
}

t.test('What is too much for a device is written for it and sent, and what it can do is kept', async (t) => {
  const { fixture, asid } = await openFixture(t)
  fixture.setProvider(picky)
  t.equal(await carouselLevel(fixture, asid), 'native')
  await fixture.send(asid, [rooms])
  await waitUntil(() => statesOf(fixture, asid).length > 0)
  t.same(statesOf(fixture, asid), ['sent rcs'])
  const [rich, ...written] = texts(fixture)
  t.equal(rich, '')
  for (const word of words) t.match(written.join('\n'), word)
  t.same(conversationOf(fixture).deviceCapabilities, noCards)
  t.not(await carouselLevel(fixture, asid), 'native', 'and whoever asks is told')
  const before = fixture.providerRequests.length
  await fixture.send(asid, [rooms])
  await waitUntil(() => statesOf(fixture, asid).length === 2)
  t.same(texts(fixture).slice(before), written, 'the next message is right at the first try')
})

t.test('The pieces of both writings have ids of their own, so that no provider takes one for the other', async (t) => {
  const { fixture, asid } = await openFixture(t)
  fixture.setProvider(picky)
  const [{ messageId } = { messageId: '' }] = await fixture.send(asid, [rooms])
  await waitUntil(() => statesOf(fixture, asid).length > 0)
  const ids = fixture.providerRequests.map(({ id }) => id)
  t.equal(new Set(ids).size, ids.length)
  const providerIds = ids.slice(1).map((id) => `p-${id}`)
  t.match(fixture.rows(messageTable)[0]?.value, { id: messageId, providerIds, deviceCapabilities: noCards })
})

t.test('The taps and numbers of what went out are those that count', async (t) => {
  const { fixture, asid } = await openFixture(t)
  fixture.setProvider((each) => (isRich(each) || !/^\d\. /m.test(each.text) ? tooMuch : acceptAll(each)))
  // A phone of which nobody knew takes text alone here.
  Object.assign(fixture.adapters[0]!, {
    traitsForDevice: () => {
      const { chips: _chips, card: _card, carousel: _carousel, ...plain } = rbmAdapter.descriptor.traits
      return plain
    },
  })
  const options = ['Red', 'Blue', 'Green'].map((label) => ({ id: label.toLowerCase(), label }))
  const question = { type: 'ask.choice', intentId: 'room', prompt: 'Which room?', options }
  await fixture.send(asid, [{ spec: 'amf/1', parts: [question] }])
  await waitUntil(() => statesOf(fixture, asid).length > 0)
  await fixture.receiveText(ann, '2', channel)
  await fixture.waitForWebhook()
  t.match(fixture.envelopes().at(-1)?.event.event, { type: 'result', result: { optionIds: ['blue'] } })
})

t.test('It is written anew once: a device that does not take that either is not asked again', async (t) => {
  const { fixture, asid } = await openFixture(t)
  fixture.setProvider(() => tooMuch)
  await fixture.send(asid, [rooms])
  await waitUntil(() => statesOf(fixture, asid).length > 0)
  t.same(statesOf(fixture, asid), ['failed rcs invalidMessage'])
  t.equal(fixture.providerRequests.length, 2)
  t.same(conversationOf(fixture).deviceCapabilities, noCards)
})

t.test('What would be the same for that device is not sent again', async (t) => {
  const { fixture, asid } = await openFixture(t)
  fixture.setProvider(() => tooMuch)
  await fixture.send(asid, [textMessage('Hello')])
  await waitUntil(() => statesOf(fixture, asid).length > 0)
  t.same(texts(fixture), ['Hello'])
  t.same(statesOf(fixture, asid), ['failed rcs invalidMessage'])
})

t.test('Where an adapter has no traits for devices, a refusal is one', async (t) => {
  const { fixture, asid } = await openFixture(t)
  Object.assign(fixture.adapters[0]!, { traitsForDevice: undefined })
  fixture.setProvider(picky)
  await fixture.send(asid, [rooms])
  await waitUntil(() => statesOf(fixture, asid).length > 0)
  t.same(statesOf(fixture, asid), ['failed rcs invalidMessage'])
  t.equal(fixture.providerRequests.length, 1)
})

t.test('Pieces that are out and the same for that device stay, and the rest follows them', async (t) => {
  const { fixture, asid } = await openFixture(t)
  fixture.setProvider(picky)
  await fixture.send(asid, [welcomed])
  await waitUntil(() => statesOf(fixture, asid).length > 0)
  t.same(statesOf(fixture, asid), ['sent rcs'])
  t.same(texts(fixture).slice(0, 2), ['Welcome.', ''])
  t.equal(texts(fixture).filter((text) => text.includes('Welcome.')).length, 1, 'nothing comes twice')
  for (const word of words) t.match(texts(fixture).slice(2).join('\n'), word)
})

t.test('A message goes on as it was begun when a piece is out that the device would get otherwise', async (t) => {
  const { fixture, asid } = await openFixture(t)
  const first = { type: 'text', text: 'Rooms:' }
  // Told only after the first card was taken, which no writing for the device has.
  let rich = 0
  fixture.setProvider((each) => (isRich(each) && ++rich > 1 ? tooMuch : acceptAll(each)))
  await fixture.send(asid, [{ spec: 'amf/1', parts: [first, carousel, carousel] }])
  await waitUntil(() => statesOf(fixture, asid).length > 0)
  t.same(statesOf(fixture, asid), ['failed rcs invalidMessage'])
  t.same(texts(fixture), ['Rooms:', '', ''])
  t.same(conversationOf(fixture).deviceCapabilities, noCards, 'the next message will be right')
})

t.test('A further try goes on with the second writing, under the same ids', async (t) => {
  const { fixture, asid } = await openFixture(t)
  fixture.setProvider((each) => (isRich(each) ? tooMuch : { kind: 'refused', reason: 'sendFailed', retry: 'later' }))
  await fixture.send(asid, [rooms])
  await waitUntil(() => conversationOf(fixture).inFlight?.retryAt !== undefined)
  t.equal(fixture.providerRequests.length, 2)
  fixture.setProvider(picky)
  fixture.clock.advance(limits.sendRetryMs[0]!)
  await waitUntil(() => statesOf(fixture, asid).length > 0)
  t.same(statesOf(fixture, asid), ['sent rcs'])
  const [, second, resent] = fixture.providerRequests
  t.same([resent?.id, resent?.text], [second?.id, second?.text])
  t.equal(fixture.providerRequests.filter(isRich).length, 1)
})

t.test('After a crash every piece goes out under the id that it had, in either writing', async (t) => {
  let crashes = 1
  const between = (shards: Shards): Shards => ({
    ...shards,
    async execute(owner, command, input, options) {
      if (command.name === 'conversation.sendOutcome' && crashes-- > 0) throw new Error('the process is gone')
      return shards.execute(owner, command, input, options)
    },
  })
  const { fixture, asid } = await openFixture(t, { wrapShards: between })
  fixture.setProvider(picky)
  await fixture.send(asid, [welcomed])
  await waitUntil(() => crashes === 0)
  const before = fixture.providerRequests.map(({ id, text }) => ({ id, text }))
  await waitUntil(() => {
    fixture.clock.advance(1_000)
    return statesOf(fixture, asid).length > 0
  })
  t.same(statesOf(fixture, asid), ['sent rcs'])
  const resent = fixture.providerRequests.slice(before.length).map(({ id, text }) => ({ id, text }))
  t.same(resent, before)
})

t.test('Whoever opts out while it is turned away gets no second writing', async (t) => {
  const { fixture, asid } = await openFixture(t)
  fixture.setProvider(async () => {
    void fixture.receiveText(ann, 'STOP', channel)
    await waitUntil(() => conversationOf(fixture).optedOutAt !== undefined)
    return tooMuch
  })
  await fixture.send(asid, [rooms])
  await waitUntil(() => statesOf(fixture, asid).length > 0)
  t.same(statesOf(fixture, asid), ['failed rcs optedOut'])
  t.equal(fixture.providerRequests.length, 1)
})

t.test('After a while what a refusal told is not believed any more, and the next message finds out', async (t) => {
  const { fixture, asid } = await openFixture(t)
  fixture.setProvider(picky)
  await fixture.send(asid, [rooms])
  await waitUntil(() => statesOf(fixture, asid).length > 0)
  fixture.setProvider(acceptAll)
  const before = fixture.providerRequests.length
  fixture.clock.advance(outreachSend.capabilityMs)
  await fixture.send(asid, [rooms])
  await waitUntil(() => fixture.providerRequests.length > before)
  t.same(texts(fixture).slice(before), [''], 'the person may have another phone by now')
  await waitUntil(() => conversationOf(fixture).inFlight === undefined)
  t.equal(conversationOf(fixture).deviceCapabilities, undefined)
})

t.test('A carousel for a phone without cards arrives over RCS as words, and nothing of it is lost', async (t) => {
  const fixture = await openGatewayFixture(t, { channels: [channel] })
  const { emulator } = await openEmulatorHarness(t, { now: () => fixture.clock.now() })
  const account = emulator.accounts.register({ wire: 'rbm', id: 'rbm' })!
  const auth = account.auth as unknown as RbmAuth
  const outcomes: SendOutcome[] = []
  const over: Partial<Adapter> = {
    render: (blocks, context) => rbmAdapter.render(blocks, context),
    traitsForDevice: (abilities) => rbmAdapter.traitsForDevice!(abilities),
    async send(payload, sending) {
      const outcome = await rbmAdapter.send(payload as never, { ...(sending as SendContext<never>), auth })
      outcomes.push(outcome)
      return outcome
    },
  }
  Object.assign(fixture.adapters[0]!, over)
  const abilities = ['REVOCATION', 'ACTION_OPEN_URL']
  t.match(await emulator.act('rbm', ann, { kind: 'device', abilities }), { kind: 'performed' })
  const asid = await fixture.receiveText(ann, 'Hi', channel)
  await fixture.waitForWebhook()

  await fixture.send(asid, [welcomed])
  await waitUntil(() => statesOf(fixture, asid).length > 0)
  t.same(statesOf(fixture, asid), ['sent rcs'])
  const sentPayloads = emulator.sent(0)
  const sentText = JSON.stringify(sentPayloads.map(({ body }) => body))
  for (const word of ['Welcome.', ...words, 'Take Blue']) t.match(sentText, word)
  t.notMatch(sentText, 'richCard')
  t.match(
    outcomes.filter(({ kind }) => kind === 'refused'),
    [{ deviceCapabilities: abilities }],
  )
  t.same(conversationOf(fixture).deviceCapabilities, abilities)

  outcomes.length = 0
  await fixture.send(asid, [welcomed])
  await waitUntil(() => statesOf(fixture, asid).length === 2)
  t.ok(
    outcomes.every(({ kind }) => kind === 'sent'),
    'the next message is right at the first try',
  )
  t.equal(emulator.sent(sentPayloads.at(-1)!.number).length, sentPayloads.length)
})
