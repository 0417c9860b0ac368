/** People whose devices can show different things: rendering, numbers, webhook and capabilities all agree. */
import t from 'tap'
import { appleAdapter } from '../../../adapters/vendor/apple/adapter.js'
import type { Adapter } from '../../../core/channel/adapter.js'
import { conversation as limits } from '../../../core/limits/index.js'
import { conversationTable } from '../../../runtime/conversation/tables.js'
import { waitUntil } from '../../harness/clock.js'
import { acceptAll, type GatewayFixture, openGatewayFixture, textMessage } from './fixture.js'

const channel = 'vendorMessages'
const ann = 'urn:mbid:ann'
const allAbilities = ['LIST', 'TIME', 'QUICK']
const labels = ['Red', 'Blue', 'Green', 'White', 'Black', 'Amber', 'Coral']
const question = {
  type: 'ask.choice',
  intentId: 'room',
  prompt: 'Which room?',
  options: labels.map((label) => ({ id: label.toLowerCase(), label })),
}
const choice = { spec: 'amf/1', parts: [question] }
const asList = 'Which room?'
const asNumbers = [asList, ...labels.map((label, at) => `${at + 1}. ${label}`), 'Reply with a number to choose.'].join(
  '\n',
)

/** A node whose channel reports devices; it reports none until one is set. */
async function openFixture(t: Parameters<typeof openGatewayFixture>[0]) {
  const fixture = await openGatewayFixture(t, { channels: [channel] })
  let device: readonly string[] | undefined
  const adapter = fixture.adapters[0]!
  const { receive } = adapter
  const adapterParts: Partial<Adapter> = {
    traitsForDevice: (abilities) => appleAdapter.traitsForDevice!(abilities),
    receive(request, auth) {
      const received = receive(request, auth)
      if (received.kind !== 'items' || !device) return received
      return { ...received, items: received.items.map((item) => ({ ...item, deviceCapabilities: device! })) }
    },
  }
  Object.assign(adapter, adapterParts)
  const setDevice = (abilities: readonly string[] | undefined) => {
    device = abilities
  }
  return { fixture, setDevice }
}

const texts = (fixture: GatewayFixture) => fixture.providerRequests.map(({ text }) => text)

/** What the capabilities route says of a choice. */
async function shownLevel(fixture: GatewayFixture, asid: string): Promise<string> {
  const { json } = await fixture.call('GET', `/capabilities?userId=${asid}`)
  return json.parts['ask.choice']
}

/** What the newest envelope says of it. */
function reportedLevel(fixture: GatewayFixture): string | undefined {
  const envelope = fixture.envelopes().at(-1) as unknown as {
    event: { context: { capabilities: { parts: Record<string, string> } } }
  }
  return envelope.event.context.capabilities.parts['ask.choice']
}

t.test('Whose device loses its lists gets numbers from the next message on, and the agent is told so', async (t) => {
  const { fixture, setDevice } = await openFixture(t)
  setDevice(allAbilities)
  const asid = await fixture.receiveText(ann, 'Hi', channel)
  await fixture.waitForWebhook()
  t.equal(reportedLevel(fixture), 'native')
  t.equal(await shownLevel(fixture, asid), 'native')
  await fixture.send(asid, [choice])
  await waitUntil(() => fixture.providerRequests.length === 1)
  setDevice(['TIME', 'AUTH'])
  await fixture.receiveText(ann, 'My other phone', channel)
  await fixture.waitForWebhook()
  t.equal(reportedLevel(fixture), 'text')
  t.equal(await shownLevel(fixture, asid), 'text')
  await fixture.send(asid, [choice])
  await waitUntil(() => fixture.providerRequests.length === 2)
  t.same(texts(fixture), [asList, asNumbers])
  await fixture.waitForWebhook()
  await fixture.receiveText(ann, '3', channel)
  await fixture.waitForWebhook()
  t.match(fixture.envelopes().at(-1)?.event.event, { type: 'result', result: { optionIds: ['green'] } })
})

t.test('Of whom nothing is told everything is expected that the channel has', async (t) => {
  const { fixture, setDevice } = await openFixture(t)
  const asid = await fixture.receiveText(ann, 'Hi', channel)
  t.equal(await shownLevel(fixture, asid), 'native')
  setDevice(['AUTH'])
  const ben = await fixture.receiveText('urn:mbid:ben', 'Hi', channel)
  t.equal(await shownLevel(fixture, ben), 'text')
  t.equal(await shownLevel(fixture, asid), 'native', 'and one person is not another')
  setDevice(undefined)
  await fixture.receiveText('urn:mbid:ben', 'Hi again', channel)
  t.equal(await shownLevel(fixture, ben), 'text', 'what is not said is not forgotten')
})

t.test('What a device can do is remembered from whatever tells it, even if that is news of nothing else', async (t) => {
  const { fixture, setDevice } = await openFixture(t)
  const asid = await fixture.receiveText(ann, 'Hi', channel)
  setDevice([])
  const items = [{ id: 'back', from: ann, system: 'optIn' }]
  t.equal((await fixture.ingress(channel, JSON.stringify({ items }))).status, 200)
  t.equal(await shownLevel(fixture, asid), 'text')
  t.same(
    fixture.rows(conversationTable).map(({ value }) => value.deviceCapabilities),
    [[]],
  )
})

t.test('A message that waited is written for the device that there is when it goes out', async (t) => {
  const { fixture, setDevice } = await openFixture(t)
  setDevice(allAbilities)
  const asid = await fixture.receiveText(ann, 'Hi', channel)
  let release = () => {}
  fixture.setProvider((each) => new Promise((resolve) => (release = () => resolve(acceptAll(each)))))
  await fixture.send(asid, [textMessage('One moment'), choice])
  await waitUntil(() => fixture.providerRequests.length === 1)
  setDevice(['AUTH'])
  await fixture.receiveText(ann, 'My other phone', channel)
  fixture.setProvider(acceptAll)
  release()
  await waitUntil(() => fixture.providerRequests.length === 2)
  t.same(texts(fixture), ['One moment', asNumbers])
  await fixture.waitForWebhook()
  await fixture.receiveText(ann, '2', channel)
  await fixture.waitForWebhook()
  t.match(
    fixture.envelopes().at(-1)?.event.event,
    { type: 'result', result: { optionIds: ['blue'] } },
    'and answered so',
  )
})

t.test('A message of which a piece is out goes on as it was begun', async (t) => {
  const { fixture, setDevice } = await openFixture(t)
  setDevice(allAbilities)
  const asid = await fixture.receiveText(ann, 'Hi', channel)
  fixture.setProvider((each) =>
    each.text === asList ? { kind: 'refused', reason: 'sendFailed', retry: 'later' } : acceptAll(each),
  )
  await fixture.send(asid, [{ spec: 'amf/1', parts: [{ type: 'text', text: 'Welcome.' }, question] }])
  const isWaiting = () => fixture.rows(conversationTable)[0]?.value.inFlight?.retryAt !== undefined
  await waitUntil(isWaiting)
  setDevice(['AUTH'])
  await fixture.receiveText(ann, 'My other phone', channel)
  fixture.setProvider(acceptAll)
  fixture.clock.advance(limits.sendRetryMs[0]!)
  await waitUntil(() => fixture.providerRequests.length === 3)
  t.same(texts(fixture), ['Welcome.', asList, asList])
})
