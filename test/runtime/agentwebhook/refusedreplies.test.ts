/**
 * Replies that are not taken: the agent's operator can see each with its reason, and what its binding rests for waits.
 */
import t from 'tap'
import { deadLetterModule } from '../../../runtime/agentwebhook/deadletters.js'
import { attemptTable, conversationTable, logTable } from '../../../runtime/conversation/tables.js'
import { waitUntil } from '../../harness/clock.js'
import type { Behavior } from '../../harness/receiver.js'
import { type GatewayFixture, openGatewayFixture, textMessage } from '../conversation/fixture.js'

const agentRef = { orgId: 'acme', agentId: 'desk' }
const ann = '+15550101'

/** Answers the event with this text with these messages, and takes every other. */
const answering =
  (fixture: GatewayFixture, text: string, ...messages: readonly object[]): Behavior =>
  (response, nth) => {
    const { event } = fixture.envelopes()[nth - 1]!.event
    if (event.type !== 'message' || event.message.text !== text) return void response.writeHead(204).end()
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ messages }))
  }

const texts = ({ providerRequests: handed }: GatewayFixture) => handed.map(({ text }) => text)
const waitsFor = (fixture: GatewayFixture, asid: string) =>
  fixture.rows(conversationTable).find(({ value }) => value.asid === asid)?.value.inFlight?.retryAt
const failedAttempts = (fixture: GatewayFixture) =>
  fixture.rows(attemptTable).flatMap(({ value }) => (value.outcome === 'failed' ? [value.why] : []))

t.test('A reply whose binding is not ready waits for it, and the agent is told so', async (t) => {
  const fixture = await openGatewayFixture(t)
  fixture.setWebhookBehavior(answering(fixture, 'hi', textMessage('Hello')))
  await fixture.setReady('sms', false)
  const asid = await fixture.receiveText(ann, 'hi')
  await waitUntil(() => fixture.eventTexts(asid).includes('queued sms bindingNotReady'))
  t.same(fixture.providerRequests, [])
  t.same(fixture.deadLetters(), [])
  await fixture.setReady('sms', true)
  fixture.clock.advance(waitsFor(fixture, asid)! - fixture.clock.now())
  await waitUntil(() => fixture.eventTexts(asid).includes('sent sms'))
  t.same(texts(fixture), ['Hello'])
})

t.test('A reply with a failover channel does not wait for a binding that is not ready', async (t) => {
  const fixture = await openGatewayFixture(t)
  fixture.setWebhookBehavior(answering(fixture, 'hi', textMessage('Hello', { delivery: { channels: ['sms', 'rcs'] } })))
  await fixture.setReady('sms', false)
  const asid = await fixture.receiveText(ann, 'hi')
  await waitUntil(() => fixture.eventTexts(asid).includes('sent rcs'))
})

t.test('A reply that is refused is a dead letter and a failed attempt with the reason of each message', async (t) => {
  const fixture = await openGatewayFixture(t, { channels: ['sms', 'rcs'] })
  const unreachable = textMessage('two', { delivery: { channels: ['webchat'] } })
  fixture.setWebhookBehavior(answering(fixture, 'hi', textMessage('one'), unreachable, textMessage('three')))
  const asid = await fixture.receiveText(ann, 'hi')
  await waitUntil(() => fixture.providerRequests.length === 2)
  await fixture.waitForWebhook()
  t.same(texts(fixture), ['one', 'three'])
  t.match(fixture.deadLetters(), [{ asid, why: /^Message 2 of the reply was refused: noBinding\.$/ }])
  t.match(failedAttempts(fixture), [/^Message 2 of the reply was refused: noBinding\.$/])
})

t.test('A refused reply is accepted by a later replay of its event, and nothing else is sent again', async (t) => {
  const fixture = await openGatewayFixture(t)
  fixture.setWebhookBehavior(
    answering(fixture, 'hi', textMessage('one'), textMessage('two', { delivery: { channels: ['rcs'] } })),
  )
  await fixture.setReady('rcs', false)
  const asid = await fixture.receiveText(ann, 'hi')
  await waitUntil(() => fixture.deadLetters().length === 1)
  await fixture.setReady('rcs', true)
  const { at, id } = fixture.deadLetters()[0]!
  const [replay] = deadLetterModule.commands
  const deadLetter = { ...agentRef, asid, positions: [[at, id]] as const }
  t.equal(await fixture.engine.execute(asid, replay!, deadLetter), 1)
  await waitUntil(() => fixture.eventTexts(asid).includes('sent rcs'))
  await fixture.waitForWebhook()
  t.same(texts(fixture), ['one', 'two'])
  t.same(fixture.deadLetters(), [])
})

t.test('A reply that the loop guard refuses is on record, without a dead letter or an event', async (t) => {
  const fixture = await openGatewayFixture(t)
  fixture.setWebhookBehavior((response) => {
    response.writeHead(200, { 'content-type': 'application/json' })
    response.end(JSON.stringify({ messages: [textMessage('Echo')] }))
  })
  const asid = await fixture.receiveText(ann, 'hi')
  await waitUntil(() => failedAttempts(fixture).length > 0)
  await fixture.waitForWebhook()
  t.match(failedAttempts(fixture)[0], /refused: loopDetected/)
  t.same(fixture.deadLetters(), [])
  t.notOk(fixture.eventTexts(asid).some((each) => each.startsWith('failed')))
  t.ok(fixture.rows(logTable).some(({ value }) => value.event === 'message.refused'))
})

t.test('A reply to an opted-out person is on record, without a dead letter', async (t) => {
  const fixture = await openGatewayFixture(t)
  fixture.setWebhookBehavior((response, nth) => {
    const { event } = fixture.envelopes()[nth - 1]!.event
    if (event.type !== 'system' || event.system.kind !== 'optOut') return void response.writeHead(204).end()
    response.writeHead(200, { 'content-type': 'application/json' })
    response.end(JSON.stringify({ messages: [textMessage('Goodbye')] }))
  })
  await fixture.receiveText(ann, 'STOP')
  await waitUntil(() => failedAttempts(fixture).length > 0)
  t.match(failedAttempts(fixture), [/refused: optedOut/])
  t.same(fixture.deadLetters(), [])
})
