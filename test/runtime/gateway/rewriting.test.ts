/** Messages that are too much for a person's device: written for it and sent once more, so that nothing of them is lost. */
import t from 'tap'
import { rbmAdapter } from '../../../adapters/rcs/adapter.js'
import type { RbmAuth } from '../../../adapters/rcs/descriptor.js'
import type { Adapter, Sending, SendOutcome } from '../../../core/channel/adapter.js'
import { conversation as limits, outreachSend } from '../../../core/limits.js'
import { conversationTable, outgoingTable } from '../../../runtime/conversation/tables.js'
import type { Shards } from '../../../runtime/shard/contract.js'
import { openEmulated } from '../../adapters/emulator/emulated.js'
import { until } from '../../harness/clock.js'
import { type Handed, type House, type HouseOptions, openHouse, said, takes } from './house.js'

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

const tooMuch: SendOutcome = { kind: 'refused', reason: 'invalidMessage', again: 'elsewhere', abilities: noCards }
/** What has no text of its own is a card or several. */
const isRich = ({ text }: Handed) => text === ''
const picky = (each: Handed) => (isRich(each) ? tooMuch : takes(each))

async function opened(t: Parameters<typeof openHouse>[0], options: HouseOptions = {}) {
  const house = await openHouse(t, { channels: [channel], ...options })
  const telling: Partial<Adapter> = { traitsWith: (abilities) => rbmAdapter.traitsWith!(abilities) }
  Object.assign(house.adapters[0]!, telling)
  const asid = await house.says(ann, 'Hi', channel)
  await house.quiet()
  return { house, asid }
}

const conversationOf = (house: House) => house.rows(conversationTable)[0]!.value
const texts = (house: House) => house.handed.map(({ text }) => text)
const statesOf = (house: House, asid: string) => house.told(asid).filter((each) => each.includes(channel))

async function shownCarousel(house: House, asid: string): Promise<string> {
  const { json } = await house.inject('GET', `/v4/capabilities?userId=${asid}`, { token: 'agent' })
  return json.parts.carousel
}

t.test('What is too much for a device is written for it and sent, and what it can do is kept', async (t) => {
  const { house, asid } = await opened(t)
  house.providerIs(picky)
  t.equal(await shownCarousel(house, asid), 'native')
  await house.send(asid, [rooms])
  await until(() => statesOf(house, asid).length > 0)
  t.same(statesOf(house, asid), ['sent rcs'])
  const [rich, ...written] = texts(house)
  t.equal(rich, '')
  for (const word of words) t.match(written.join('\n'), word)
  t.same(conversationOf(house).abilities, noCards)
  t.not(await shownCarousel(house, asid), 'native', 'and whoever asks is told')
  const before = house.handed.length
  await house.send(asid, [rooms])
  await until(() => statesOf(house, asid).length === 2)
  t.same(texts(house).slice(before), written, 'the next message is right at the first try')
})

t.test('The pieces of both writings have ids of their own, so that no provider takes one for the other', async (t) => {
  const { house, asid } = await opened(t)
  house.providerIs(picky)
  const [{ messageId } = { messageId: '' }] = await house.send(asid, [rooms])
  await until(() => statesOf(house, asid).length > 0)
  const ids = house.handed.map(({ id }) => id)
  t.equal(new Set(ids).size, ids.length)
  const providerIds = ids.slice(1).map((id) => `p-${id}`)
  t.match(house.rows(outgoingTable)[0]?.value, { id: messageId, providerIds, abilities: noCards })
})

t.test('The taps and numbers of what went out are those that count', async (t) => {
  const { house, asid } = await opened(t)
  house.providerIs((each) => (isRich(each) || !/^\d\. /m.test(each.text) ? tooMuch : takes(each)))
  // A phone of which nobody knew takes text alone here.
  Object.assign(house.adapters[0]!, {
    traitsWith: () => {
      const { chips: _chips, card: _card, carousel: _carousel, ...plain } = rbmAdapter.descriptor.traits
      return plain
    },
  })
  const options = ['Red', 'Blue', 'Green'].map((label) => ({ id: label.toLowerCase(), label }))
  const ask = { type: 'ask.choice', intentId: 'room', prompt: 'Which room?', options }
  await house.send(asid, [{ spec: 'amf/1', parts: [ask] }])
  await until(() => statesOf(house, asid).length > 0)
  await house.says(ann, '2', channel)
  await house.quiet()
  t.match(house.envelopes().at(-1)?.event.event, { type: 'result', result: { optionIds: ['blue'] } })
})

t.test('It is written anew once: a device that does not take that either is not asked again', async (t) => {
  const { house, asid } = await opened(t)
  house.providerIs(() => tooMuch)
  await house.send(asid, [rooms])
  await until(() => statesOf(house, asid).length > 0)
  t.same(statesOf(house, asid), ['failed rcs invalidMessage'])
  t.equal(house.handed.length, 2)
  t.same(conversationOf(house).abilities, noCards)
})

t.test('What would be the same for that device is not sent again', async (t) => {
  const { house, asid } = await opened(t)
  house.providerIs(() => tooMuch)
  await house.send(asid, [said('Hello')])
  await until(() => statesOf(house, asid).length > 0)
  t.same(texts(house), ['Hello'])
  t.same(statesOf(house, asid), ['failed rcs invalidMessage'])
})

t.test('Where an adapter has no traits for devices, a refusal is one', async (t) => {
  const { house, asid } = await opened(t)
  Object.assign(house.adapters[0]!, { traitsWith: undefined })
  house.providerIs(picky)
  await house.send(asid, [rooms])
  await until(() => statesOf(house, asid).length > 0)
  t.same(statesOf(house, asid), ['failed rcs invalidMessage'])
  t.equal(house.handed.length, 1)
})

t.test('Pieces that are out and the same for that device stay, and the rest follows them', async (t) => {
  const { house, asid } = await opened(t)
  house.providerIs(picky)
  await house.send(asid, [welcomed])
  await until(() => statesOf(house, asid).length > 0)
  t.same(statesOf(house, asid), ['sent rcs'])
  t.same(texts(house).slice(0, 2), ['Welcome.', ''])
  t.equal(texts(house).filter((text) => text.includes('Welcome.')).length, 1, 'nothing comes twice')
  for (const word of words) t.match(texts(house).slice(2).join('\n'), word)
})

t.test('A message goes on as it was begun when a piece is out that the device would get otherwise', async (t) => {
  const { house, asid } = await opened(t)
  const first = { type: 'text', text: 'Rooms:' }
  // Told only after the first card was taken, which no writing for the device has.
  let rich = 0
  house.providerIs((each) => (isRich(each) && ++rich > 1 ? tooMuch : takes(each)))
  await house.send(asid, [{ spec: 'amf/1', parts: [first, carousel, carousel] }])
  await until(() => statesOf(house, asid).length > 0)
  t.same(statesOf(house, asid), ['failed rcs invalidMessage'])
  t.same(texts(house), ['Rooms:', '', ''])
  t.same(conversationOf(house).abilities, noCards, 'the next message will be right')
})

t.test('A further try goes on with the second writing, under the same ids', async (t) => {
  const { house, asid } = await opened(t)
  house.providerIs((each) => (isRich(each) ? tooMuch : { kind: 'refused', reason: 'sendFailed', again: 'later' }))
  await house.send(asid, [rooms])
  await until(() => conversationOf(house).flight?.againAt !== undefined)
  t.equal(house.handed.length, 2)
  house.providerIs(picky)
  house.clock.advance(limits.sendAgainMs[0]!)
  await until(() => statesOf(house, asid).length > 0)
  t.same(statesOf(house, asid), ['sent rcs'])
  const [, second, again] = house.handed
  t.same([again?.id, again?.text], [second?.id, second?.text])
  t.equal(house.handed.filter(isRich).length, 1)
})

t.test('After a crash every piece goes out under the id that it had, in either writing', async (t) => {
  let crashes = 1
  const between = (shards: Shards): Shards => ({
    ...shards,
    async ask(owner, command, input, options) {
      if (command.name === 'conversation.sendOutcome' && crashes-- > 0) throw new Error('the process is gone')
      return shards.ask(owner, command, input, options)
    },
  })
  const { house, asid } = await opened(t, { between })
  house.providerIs(picky)
  await house.send(asid, [welcomed])
  await until(() => crashes === 0)
  const before = house.handed.map(({ id, text }) => ({ id, text }))
  await until(() => {
    house.clock.advance(1_000)
    return statesOf(house, asid).length > 0
  })
  t.same(statesOf(house, asid), ['sent rcs'])
  const again = house.handed.slice(before.length).map(({ id, text }) => ({ id, text }))
  t.same(again, before)
})

t.test('Whoever opts out while it is turned away gets no second writing', async (t) => {
  const { house, asid } = await opened(t)
  house.providerIs(async () => {
    void house.says(ann, 'STOP', channel)
    await until(() => conversationOf(house).optedOutAt !== undefined)
    return tooMuch
  })
  await house.send(asid, [rooms])
  await until(() => statesOf(house, asid).length > 0)
  t.same(statesOf(house, asid), ['failed rcs optedOut'])
  t.equal(house.handed.length, 1)
})

t.test('After a while what a refusal told is not believed any more, and the next message finds out', async (t) => {
  const { house, asid } = await opened(t)
  house.providerIs(picky)
  await house.send(asid, [rooms])
  await until(() => statesOf(house, asid).length > 0)
  house.providerIs(takes)
  const before = house.handed.length
  house.clock.advance(outreachSend.capabilityKeptMs)
  await house.send(asid, [rooms])
  await until(() => house.handed.length > before)
  t.same(texts(house).slice(before), [''], 'the person may have another phone by now')
  await until(() => conversationOf(house).flight === undefined)
  t.equal(conversationOf(house).abilities, undefined)
})

t.test('A carousel for a phone without cards arrives over RCS as words, and nothing of it is lost', async (t) => {
  const house = await openHouse(t, { channels: [channel] })
  const { emulator } = await openEmulated(t, { now: () => house.clock.now() })
  const account = emulator.accounts.register({ wire: 'rbm', id: 'rbm' })!
  const auth = account.auth as unknown as RbmAuth
  const outcomes: SendOutcome[] = []
  const over: Partial<Adapter> = {
    render: (blocks, about) => rbmAdapter.render(blocks, about),
    traitsWith: (abilities) => rbmAdapter.traitsWith!(abilities),
    async send(wire, sending) {
      const outcome = await rbmAdapter.send(wire as never, { ...(sending as Sending<never>), auth })
      outcomes.push(outcome)
      return outcome
    },
  }
  Object.assign(house.adapters[0]!, over)
  const abilities = ['REVOCATION', 'ACTION_OPEN_URL']
  t.match(await emulator.act('rbm', ann, { kind: 'device', abilities }), { kind: 'told' })
  const asid = await house.says(ann, 'Hi', channel)
  await house.quiet()

  await house.send(asid, [welcomed])
  await until(() => statesOf(house, asid).length > 0)
  t.same(statesOf(house, asid), ['sent rcs'])
  const kept = emulator.sent(0)
  const shown = JSON.stringify(kept.map(({ body }) => body))
  for (const word of ['Welcome.', ...words, 'Take Blue']) t.match(shown, word)
  t.notMatch(shown, 'richCard')
  t.match(
    outcomes.filter(({ kind }) => kind === 'refused'),
    [{ abilities }],
  )
  t.same(conversationOf(house).abilities, abilities)

  outcomes.length = 0
  await house.send(asid, [welcomed])
  await until(() => statesOf(house, asid).length === 2)
  t.ok(
    outcomes.every(({ kind }) => kind === 'sent'),
    'the next message is right at the first try',
  )
  t.equal(emulator.sent(kept.at(-1)!.number).length, kept.length)
})
