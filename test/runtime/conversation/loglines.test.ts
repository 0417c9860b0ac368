/**
 * Lines of an agent's log about what a channel repeats, shows more simply or turns away, and about how replies are
 * read.
 */
import t from 'tap'
import type { SendOutcome } from '../../../core/channel/adapter.js'
import { conversation as limits } from '../../../core/limits/index.js'
import { refusedCalls } from '../../../core/limits/ingress.js'
import { trafficLines } from '../../../core/traffic/loglines.js'
import { agentNoteTable } from '../../../runtime/conversation/agentlog.js'
import { logTable, messageTable, trafficTable } from '../../../runtime/conversation/tables.js'
import { waitUntil } from '../../harness/clock.js'
import { acceptAll, type GatewayFixture, openGatewayFixture, textMessage } from './fixture.js'

const ann = '+15550101'
const picture = 'https://pictures.example/one.png'
const lost = 'https://pictures.example/lost.png'

/** Every line, written or read off a record of traffic. */
function linesOf(fixture: GatewayFixture): { event: string; data?: Readonly<Record<string, unknown>> }[] {
  const outgoing = new Map(fixture.rows(messageTable).map(({ key, value }) => [key[1], value]))
  const read = fixture.rows(trafficTable).flatMap(({ value }) => trafficLines(value, outgoing.get(value.messageId)))
  return [...read, ...fixture.rows(logTable).map(({ value }) => value)]
}
const linesNamed = (fixture: GatewayFixture, event: string) => linesOf(fixture).filter((line) => line.event === event)

const advanceUntil = (fixture: GatewayFixture, isSo: () => boolean) =>
  waitUntil(() => {
    fixture.clock.advance(50)
    return isSo()
  })

t.test('A message or receipt that a provider repeats is one line, however often it comes', async (t) => {
  const fixture = await openGatewayFixture(t)
  const receiveItem = (item: object) => fixture.ingress('sms', JSON.stringify({ items: [{ from: ann, ...item }] }))
  for (let times = 0; times < 4; times++) t.equal((await receiveItem({ id: 'in-x', text: 'Hi' })).status, 200)
  t.match(linesNamed(fixture, 'message.duplicate'), [{ level: 'debug', data: { count: 1 } }])
  const asid = fixture.asid(ann)
  const { messageId } = (await fixture.send(asid, [textMessage('Hello')]))[0]!
  await waitUntil(() => fixture.eventTexts(asid).includes('sent sms'))
  const receipt = { messageId: `p-${fixture.providerRequests[0]!.id}`, state: 'delivered' }
  t.equal((await receiveItem({ id: 'r1', receipt })).status, 200)
  t.same(linesNamed(fixture, 'receipt.ignored'), [])
  for (let times = 0; times < 3; times++) await receiveItem({ id: 'r1', receipt })
  t.match(linesNamed(fixture, 'receipt.ignored'), [{ data: { count: 1 } }])
  await receiveItem({ id: 'r2', receipt })
  t.match(
    linesNamed(fixture, 'receipt.ignored').find(({ data }) => data?.messageId),
    { data: { messageId, state: 'delivered' } },
  )
  t.equal(linesNamed(fixture, 'message.received').length, 1)
})

t.test(
  'What a channel shows more simply, or cut, is said with the message; words alone have no such line',
  async (t) => {
    const fixture = await openGatewayFixture(t, { channels: ['sms', 'messengerA'] })
    const onSms = await fixture.receiveText(ann, 'hi')
    const card = { spec: 'amf/1', parts: [{ type: 'card', card: { title: 'Room', mediaUrl: picture } }] }
    await fixture.send(onSms, [textMessage('Plain words'), card])
    await waitUntil(() => linesNamed(fixture, 'message.sent').length === 2)
    t.match(linesNamed(fixture, 'message.degraded'), [{ data: { parts: ['card'] } }])
    t.match(linesNamed(fixture, 'media.fetched'), [{ data: { files: 1 } }])
    t.same(linesNamed(fixture, 'message.truncated'), [])
    const onMessenger = await fixture.receiveText('15550101', 'hi', 'messengerA')
    const options = [
      { id: 'a', label: 'The large room that faces the harbor and the sea' },
      { id: 'b', label: 'Garden' },
    ]
    await fixture.send(onMessenger, [
      { spec: 'amf/1', parts: [{ type: 'ask.choice', intentId: 'room', prompt: 'Which?', options }] },
    ])
    await waitUntil(() => linesNamed(fixture, 'message.sent').length === 3)
    const [cut] = linesNamed(fixture, 'message.truncated')
    t.match(cut, { data: { labels: [/^The large/] } })
    t.notMatch(JSON.stringify(cut), /Garden/)
  },
)

t.test('A provider that asks to slow down, is away or refuses the account is a line', async (t) => {
  const fixture = await openGatewayFixture(t)
  const asid = await fixture.receiveText(ann, 'hi')
  const refusal = (reason: string, more: object): SendOutcome =>
    ({ kind: 'refused', reason, retry: 'later', ...more }) as SendOutcome
  const answers = [
    refusal('rateLimited', { retryAfterMs: 10, detail: 'Too many.' }),
    refusal('sendFailed', { detail: 'It answered 503.' }),
  ]
  fixture.setProvider((handed) => answers.shift() ?? acceptAll(handed))
  await fixture.send(asid, [textMessage('One')])
  await advanceUntil(fixture, () => fixture.eventTexts(asid).includes('sent sms'))
  t.match(linesNamed(fixture, 'provider.throttled'), [{ level: 'warn', data: { retryAfterMs: 10, why: 'Too many.' } }])
  t.match(linesNamed(fixture, 'provider.unreachable'), [{ level: 'error', data: { why: 'It answered 503.' } }])
  fixture.setProvider(() =>
    refusal('sendFailed', { retry: 'otherChannel', needsOperator: true, detail: 'The token ended.' }),
  )
  await fixture.send(asid, [textMessage('Two')])
  await advanceUntil(fixture, () => linesNamed(fixture, 'provider.unreachable').length > 1)
  t.ok(linesNamed(fixture, 'provider.unreachable').some(({ data }) => data?.why === 'The token ended.'))
})

t.test(
  'Warnings and problems of AML, and media of a reply that cannot be fetched, are lines of their event',
  async (t) => {
    const fixture = await openGatewayFixture(t, { unreachable: [lost] })
    const replyWith = (type: string, body: string) =>
      fixture.setWebhookBehavior((response) => void response.writeHead(200, { 'content-type': type }).end(body))
    replyWith('text/svc-aml', 'Take array[[0]] of it.')
    await fixture.receiveText(ann, 'hi')
    await waitUntil(() => linesNamed(fixture, 'aml.warning').length > 0)
    t.match(linesNamed(fixture, 'aml.warning')[0], {
      level: 'warn',
      data: { line: 1, column: 11, code: 'unknownMarker' },
    })
    await fixture.waitForWebhook()
    replyWith('text/svc-aml', 'Hi\n[[chips: Yes')
    await fixture.receiveText(ann, 'again')
    await waitUntil(() => linesNamed(fixture, 'aml.problem').length > 0)
    t.match(linesNamed(fixture, 'aml.problem')[0], { level: 'error', data: { line: 2, code: 'unclosedMarker' } })
    await fixture.waitForWebhook()
    const message = { spec: 'amf/1', parts: [{ type: 'media', mediaUrl: lost, kind: 'image' }] }
    replyWith('application/json', JSON.stringify({ messages: [message] }))
    await fixture.receiveText(ann, 'once more')
    await waitUntil(() => linesNamed(fixture, 'media.unreachable').length > 0)
    t.match(linesNamed(fixture, 'media.unreachable')[0], { level: 'warn', data: { detail: 'away' } })
  },
)

t.test('However many calls are refused, each binding has one line a minute that counts them', async (t) => {
  const fixture = await openGatewayFixture(t)
  const refuse = async (times: number) => {
    for (let call = 0; call < times; call++) t.equal((await fixture.ingress('sms', '{}', 'wrong')).status, 401)
  }
  const lines = () => fixture.rows(agentNoteTable).map(({ value }) => value)
  await refuse(30)
  await waitUntil(() => lines().length === 1)
  t.match(lines(), [
    {
      event: 'ingress.signature_refused',
      level: 'warn',
      channel: 'sms',
      data: { bindingId: fixture.bindingId('sms') },
    },
  ])
  t.equal((await fixture.ingress('rcs', '{}', 'wrong')).status, 401)
  await waitUntil(() => lines().length === 2)
  for (const count of [29, 7]) {
    const before = lines().length
    fixture.clock.advance(refusedCalls.windowMs)
    await waitUntil(() => lines().length === before + 1)
    t.equal(lines().filter(({ data }) => data?.count === count).length, 1)
    await refuse(7)
  }
  fixture.clock.advance(refusedCalls.windowMs)
  await waitUntil(() => lines().length === 5)
  fixture.clock.advance(refusedCalls.windowMs)
  await refuse(1)
  await waitUntil(() => lines().length === 6)
  t.equal(
    lines().filter(({ data }) => data?.count === undefined).length,
    3,
    'calls that begin again are a line at once',
  )
  t.equal((await fixture.ingress('sms', '{"items":[{}]}')).status, 422)
  await waitUntil(() => lines().length === 7)
  t.match(lines().find(({ event }) => event === 'ingress.malformed')?.data, {
    bindingId: fixture.bindingId('sms'),
    problem: /./,
  })

  fixture.clock.advance(limits.retentionMs)
  await advanceUntil(fixture, () => lines().length === 0)
  t.pass('they are gone when their time is over')
})
