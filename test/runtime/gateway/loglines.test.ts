/** Lines of an agent's log about what a channel repeats, shows more simply or turns away, and about how replies are read. */
import t from 'tap'
import type { SendOutcome } from '../../../core/channel/adapter.js'
import { refusedCalls } from '../../../core/ingresslimits.js'
import { conversation as limits } from '../../../core/limits.js'
import { linesOfTraffic } from '../../../core/traffic/loglines.js'
import { agentLineTable } from '../../../runtime/conversation/agentlog.js'
import { logTable, outgoingTable, trafficTable } from '../../../runtime/conversation/tables.js'
import { until } from '../../harness/clock.js'
import { type House, openHouse, said, takes } from './house.js'

const ann = '+15550101'
const picture = 'https://pictures.example/one.png'
const lost = 'https://pictures.example/lost.png'

/** Every line, written or read off a record of traffic. */
function linesOf(house: House): { event: string; data?: Readonly<Record<string, unknown>> }[] {
  const outgoing = new Map(house.rows(outgoingTable).map(({ key, value }) => [key[1], value]))
  const read = house.rows(trafficTable).flatMap(({ value }) => linesOfTraffic(value, outgoing.get(value.messageId)))
  return [...read, ...house.rows(logTable).map(({ value }) => value)]
}
const named = (house: House, event: string) => linesOf(house).filter((line) => line.event === event)

const passing = (house: House, isSo: () => boolean) =>
  until(() => {
    house.clock.advance(50)
    return isSo()
  })

t.test('A message or receipt that a provider repeats is one line, however often it comes', async (t) => {
  const house = await openHouse(t)
  const tell = (item: object) => house.ingress('sms', JSON.stringify({ items: [{ from: ann, ...item }] }))
  for (let times = 0; times < 4; times++) t.equal((await tell({ id: 'in-x', text: 'Hi' })).status, 200)
  t.match(named(house, 'message.duplicate'), [{ level: 'debug', data: { count: 1 } }])
  const asid = house.asid(ann)
  const { messageId } = (await house.send(asid, [said('Hello')]))[0]!
  await until(() => house.told(asid).includes('sent sms'))
  const receipt = { messageId: `p-${house.handed[0]!.id}`, state: 'delivered' }
  t.equal((await tell({ id: 'r1', receipt })).status, 200)
  t.same(named(house, 'receipt.ignored'), [])
  for (let times = 0; times < 3; times++) await tell({ id: 'r1', receipt })
  t.match(named(house, 'receipt.ignored'), [{ data: { count: 1 } }])
  await tell({ id: 'r2', receipt })
  t.match(
    named(house, 'receipt.ignored').find(({ data }) => data?.messageId),
    { data: { messageId, state: 'delivered' } },
  )
  t.equal(named(house, 'message.received').length, 1)
})

t.test(
  'What a channel shows more simply, or cut, is said with the message; words alone have no such line',
  async (t) => {
    const house = await openHouse(t, { channels: ['sms', 'messengerA'] })
    const onSms = await house.says(ann, 'hi')
    const card = { spec: 'amf/1', parts: [{ type: 'card', card: { title: 'Room', mediaUrl: picture } }] }
    await house.send(onSms, [said('Plain words'), card])
    await until(() => named(house, 'message.sent').length === 2)
    t.match(named(house, 'message.degraded'), [{ data: { parts: ['card'] } }])
    t.match(named(house, 'media.fetched'), [{ data: { files: 1 } }])
    t.same(named(house, 'message.truncated'), [])
    const onMessenger = await house.says('15550101', 'hi', 'messengerA')
    const options = [
      { id: 'a', label: 'The large room that faces the harbor and the sea' },
      { id: 'b', label: 'Garden' },
    ]
    await house.send(onMessenger, [
      { spec: 'amf/1', parts: [{ type: 'ask.choice', intentId: 'room', prompt: 'Which?', options }] },
    ])
    await until(() => named(house, 'message.sent').length === 3)
    const [cut] = named(house, 'message.truncated')
    t.match(cut, { data: { labels: [/^The large/] } })
    t.notMatch(JSON.stringify(cut), /Garden/)
  },
)

t.test('A provider that asks to slow down, is away or refuses the account is a line', async (t) => {
  const house = await openHouse(t)
  const asid = await house.says(ann, 'hi')
  const refused = (reason: string, more: object): SendOutcome =>
    ({ kind: 'refused', reason, again: 'later', ...more }) as SendOutcome
  const answers = [
    refused('rateLimited', { retryAfterMs: 10, detail: 'Too many.' }),
    refused('sendFailed', { detail: 'It answered 503.' }),
  ]
  house.providerIs((handed) => answers.shift() ?? takes(handed))
  await house.send(asid, [said('One')])
  await passing(house, () => house.told(asid).includes('sent sms'))
  t.match(named(house, 'provider.throttled'), [{ level: 'warn', data: { retryAfterMs: 10, why: 'Too many.' } }])
  t.match(named(house, 'provider.unreachable'), [{ level: 'error', data: { why: 'It answered 503.' } }])
  house.providerIs(() => refused('sendFailed', { again: 'elsewhere', needsOperator: true, detail: 'The token ended.' }))
  await house.send(asid, [said('Two')])
  await passing(house, () => named(house, 'provider.unreachable').length > 1)
  t.ok(named(house, 'provider.unreachable').some(({ data }) => data?.why === 'The token ended.'))
})

t.test(
  'Warnings and problems of AML, and media of a reply that cannot be fetched, are lines of their event',
  async (t) => {
    const house = await openHouse(t, { unreachable: [lost] })
    const replying = (type: string, body: string) =>
      house.behaves((response) => void response.writeHead(200, { 'content-type': type }).end(body))
    replying('text/svc-aml', 'Take array[[0]] of it.')
    await house.says(ann, 'hi')
    await until(() => named(house, 'aml.warning').length > 0)
    t.match(named(house, 'aml.warning')[0], { level: 'warn', data: { line: 1, column: 11, code: 'unknownMarker' } })
    await house.quiet()
    replying('text/svc-aml', 'Hi\n[[chips: Yes')
    await house.says(ann, 'again')
    await until(() => named(house, 'aml.problem').length > 0)
    t.match(named(house, 'aml.problem')[0], { level: 'error', data: { line: 2, code: 'unclosedMarker' } })
    await house.quiet()
    const message = { spec: 'amf/1', parts: [{ type: 'media', mediaUrl: lost, kind: 'image' }] }
    replying('application/json', JSON.stringify({ messages: [message] }))
    await house.says(ann, 'once more')
    await until(() => named(house, 'media.unreachable').length > 0)
    t.match(named(house, 'media.unreachable')[0], { level: 'warn', data: { detail: 'away' } })
  },
)

t.test('However many calls are refused, each binding has one line a minute that counts them', async (t) => {
  const house = await openHouse(t)
  const refuse = async (times: number) => {
    for (let call = 0; call < times; call++) t.equal((await house.ingress('sms', '{}', 'wrong')).status, 401)
  }
  const lines = () => house.rows(agentLineTable).map(({ value }) => value)
  await refuse(30)
  await until(() => lines().length === 1)
  t.match(lines(), [
    { event: 'ingress.signature_refused', level: 'warn', channel: 'sms', data: { bindingId: 'cb_sms' } },
  ])
  t.equal((await house.ingress('rcs', '{}', 'wrong')).status, 401)
  await until(() => lines().length === 2)
  for (const count of [29, 7]) {
    const before = lines().length
    house.clock.advance(refusedCalls.windowMs)
    await until(() => lines().length === before + 1)
    t.equal(lines().filter(({ data }) => data?.count === count).length, 1)
    await refuse(7)
  }
  house.clock.advance(refusedCalls.windowMs)
  await until(() => lines().length === 5)
  house.clock.advance(refusedCalls.windowMs)
  await refuse(1)
  await until(() => lines().length === 6)
  t.equal(
    lines().filter(({ data }) => data?.count === undefined).length,
    3,
    'calls that begin again are a line at once',
  )
  t.equal((await house.ingress('sms', '{"items":[{}]}')).status, 422)
  await until(() => lines().length === 7)
  t.match(lines().find(({ event }) => event === 'ingress.malformed')?.data, { bindingId: 'cb_sms', problem: /./ })

  house.clock.advance(limits.keptMs)
  await passing(house, () => lines().length === 0)
  t.pass('they are gone when their time is over')
})
