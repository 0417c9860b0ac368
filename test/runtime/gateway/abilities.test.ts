/** People whose devices can show different things: rendering, numbers, webhook and capabilities all agree. */
import t from 'tap'
import { appleAdapter } from '../../../adapters/vendor/adapter.js'
import type { Adapter } from '../../../core/channel/adapter.js'
import { conversation as limits } from '../../../core/limits.js'
import { conversationTable } from '../../../runtime/conversation/tables.js'
import { until } from '../../harness/clock.js'
import { type House, openHouse, said, takes } from './house.js'

const channel = 'vendorMessages'
const ann = 'urn:mbid:ann'
const whole = ['LIST', 'TIME', 'QUICK']
const labels = ['Red', 'Blue', 'Green', 'White', 'Black', 'Amber', 'Coral']
const ask = {
  type: 'ask.choice',
  intentId: 'room',
  prompt: 'Which room?',
  options: labels.map((label) => ({ id: label.toLowerCase(), label })),
}
const choice = { spec: 'amf/1', parts: [ask] }
const asList = 'Which room?'
const asNumbers = [asList, ...labels.map((label, at) => `${at + 1}. ${label}`), 'Reply with a number to choose.'].join(
  '\n',
)

/** A house on whose channel devices are told of; none is until one is taken up. */
async function opened(t: Parameters<typeof openHouse>[0]) {
  const house = await openHouse(t, { channels: [channel] })
  let device: readonly string[] | undefined
  const adapter = house.adapters[0]!
  const { receive } = adapter
  const telling: Partial<Adapter> = {
    traitsWith: (abilities) => appleAdapter.traitsWith!(abilities),
    receive(request, auth) {
      const received = receive(request, auth)
      if (received.kind !== 'items' || !device) return received
      return { ...received, items: received.items.map((item) => ({ ...item, abilities: device! })) }
    },
  }
  Object.assign(adapter, telling)
  const takesUp = (abilities: readonly string[] | undefined) => {
    device = abilities
  }
  return { house, takesUp }
}

const texts = (house: House) => house.handed.map(({ text }) => text)

/** What the capabilities route says of a choice. */
async function shownChoice(house: House, asid: string): Promise<string> {
  const { json } = await house.inject('GET', `/v4/capabilities?userId=${asid}`, { token: 'agent' })
  return json.parts['ask.choice']
}

/** What the newest envelope says of it. */
function toldChoice(house: House): string | undefined {
  const envelope = house.envelopes().at(-1) as unknown as {
    event: { context: { capabilities: { parts: Record<string, string> } } }
  }
  return envelope.event.context.capabilities.parts['ask.choice']
}

t.test('Whose device loses its lists gets numbers from the next message on, and the agent is told so', async (t) => {
  const { house, takesUp } = await opened(t)
  takesUp(whole)
  const asid = await house.says(ann, 'Hi', channel)
  await house.quiet()
  t.equal(toldChoice(house), 'native')
  t.equal(await shownChoice(house, asid), 'native')
  await house.send(asid, [choice])
  await until(() => house.handed.length === 1)
  takesUp(['TIME', 'AUTH'])
  await house.says(ann, 'My other phone', channel)
  await house.quiet()
  t.equal(toldChoice(house), 'text')
  t.equal(await shownChoice(house, asid), 'text')
  await house.send(asid, [choice])
  await until(() => house.handed.length === 2)
  t.same(texts(house), [asList, asNumbers])
  await house.quiet()
  await house.says(ann, '3', channel)
  await house.quiet()
  t.match(house.envelopes().at(-1)?.event.event, { type: 'result', result: { optionIds: ['green'] } })
})

t.test('Of whom nothing is told everything is expected that the channel has', async (t) => {
  const { house, takesUp } = await opened(t)
  const asid = await house.says(ann, 'Hi', channel)
  t.equal(await shownChoice(house, asid), 'native')
  takesUp(['AUTH'])
  const ben = await house.says('urn:mbid:ben', 'Hi', channel)
  t.equal(await shownChoice(house, ben), 'text')
  t.equal(await shownChoice(house, asid), 'native', 'and one person is not another')
  takesUp(undefined)
  await house.says('urn:mbid:ben', 'Hi again', channel)
  t.equal(await shownChoice(house, ben), 'text', 'what is not said is not forgotten')
})

t.test('What a device can do is remembered from whatever tells it, even if that is news of nothing else', async (t) => {
  const { house, takesUp } = await opened(t)
  const asid = await house.says(ann, 'Hi', channel)
  takesUp([])
  const items = [{ id: 'back', from: ann, system: 'optIn' }]
  t.equal((await house.ingress(channel, JSON.stringify({ items }))).status, 200)
  t.equal(await shownChoice(house, asid), 'text')
  t.same(
    house.rows(conversationTable).map(({ value }) => value.abilities),
    [[]],
  )
})

t.test('A message that waited is written for the device that there is when it goes out', async (t) => {
  const { house, takesUp } = await opened(t)
  takesUp(whole)
  const asid = await house.says(ann, 'Hi', channel)
  let release = () => {}
  house.providerIs((each) => new Promise((resolve) => (release = () => resolve(takes(each)))))
  await house.send(asid, [said('One moment'), choice])
  await until(() => house.handed.length === 1)
  takesUp(['AUTH'])
  await house.says(ann, 'My other phone', channel)
  house.providerIs(takes)
  release()
  await until(() => house.handed.length === 2)
  t.same(texts(house), ['One moment', asNumbers])
  await house.quiet()
  await house.says(ann, '2', channel)
  await house.quiet()
  t.match(house.envelopes().at(-1)?.event.event, { type: 'result', result: { optionIds: ['blue'] } }, 'and answered so')
})

t.test('A message of which a piece is out goes on as it was begun', async (t) => {
  const { house, takesUp } = await opened(t)
  takesUp(whole)
  const asid = await house.says(ann, 'Hi', channel)
  house.providerIs((each) =>
    each.text === asList ? { kind: 'refused', reason: 'sendFailed', again: 'later' } : takes(each),
  )
  await house.send(asid, [{ spec: 'amf/1', parts: [{ type: 'text', text: 'Welcome.' }, ask] }])
  const isWaiting = () => house.rows(conversationTable)[0]?.value.flight?.againAt !== undefined
  await until(isWaiting)
  takesUp(['AUTH'])
  await house.says(ann, 'My other phone', channel)
  house.providerIs(takes)
  house.clock.advance(limits.sendAgainMs[0]!)
  await until(() => house.handed.length === 3)
  t.same(texts(house), ['Welcome.', asList, asList])
})
