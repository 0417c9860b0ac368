/** Replies that are not taken: the agent's operator can see each with its reason, and what its binding rests for waits. */
import t from 'tap'
import { deadLetterRepertoire } from '../../../runtime/agentwebhook/deadletters.js'
import { attemptTable, conversationTable, logTable } from '../../../runtime/conversation/tables.js'
import { until } from '../../harness/clock.js'
import type { Behave } from '../../harness/receiver.js'
import { type House, openHouse, said } from './house.js'

const place = { orgId: 'acme', agentId: 'desk' }
const ann = '+15550101'

/** Answers the event with this text with these messages, and takes every other. */
const answering =
  (house: House, text: string, ...messages: readonly object[]): Behave =>
  (response, nth) => {
    const { event } = house.envelopes()[nth - 1]!.event
    if (event.type !== 'message' || event.message.text !== text) return void response.writeHead(204).end()
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ messages }))
  }

const texts = ({ handed }: House) => handed.map(({ text }) => text)
const waitsFor = (house: House, asid: string) =>
  house.rows(conversationTable).find(({ value }) => value.asid === asid)?.value.flight?.againAt
const failedAttempts = (house: House) =>
  house.rows(attemptTable).flatMap(({ value }) => (value.outcome === 'failed' ? [value.why] : []))

t.test('A reply whose binding is not ready waits for it, and the agent is told that it does', async (t) => {
  const house = await openHouse(t)
  house.behaves(answering(house, 'hi', said('Hello')))
  house.isReady('sms', false)
  const asid = await house.says(ann, 'hi')
  await until(() => house.told(asid).includes('queued sms bindingNotReady'))
  t.same(house.handed, [])
  t.same(house.deadLetters(), [])
  house.isReady('sms', true)
  house.clock.advance(waitsFor(house, asid)! - house.clock.now())
  await until(() => house.told(asid).includes('sent sms'))
  t.same(texts(house), ['Hello'])
})

t.test('A reply with another channel to go to does not wait for a binding that is not ready', async (t) => {
  const house = await openHouse(t)
  house.behaves(answering(house, 'hi', said('Hello', { delivery: { channels: ['sms', 'rcs'] } })))
  house.isReady('sms', false)
  const asid = await house.says(ann, 'hi')
  await until(() => house.told(asid).includes('sent rcs'))
})

t.test('A reply that is refused is a dead letter and a failed attempt with the reason of each message', async (t) => {
  const house = await openHouse(t, { channels: ['sms', 'rcs'] })
  const toNobody = said('two', { delivery: { channels: ['webchat'] } })
  house.behaves(answering(house, 'hi', said('one'), toNobody, said('three')))
  const asid = await house.says(ann, 'hi')
  await until(() => house.handed.length === 2)
  await house.quiet()
  t.same(texts(house), ['one', 'three'])
  t.match(house.deadLetters(), [{ asid, why: /^Message 2 of the reply was refused: noBinding\.$/ }])
  t.match(failedAttempts(house), [/^Message 2 of the reply was refused: noBinding\.$/])
})

t.test(
  'A refused reply is taken when its event is replayed and it can be, and nothing else is sent again',
  async (t) => {
    const house = await openHouse(t)
    house.behaves(answering(house, 'hi', said('one'), said('two', { delivery: { channels: ['rcs'] } })))
    house.isReady('rcs', false)
    const asid = await house.says(ann, 'hi')
    await until(() => house.deadLetters().length === 1)
    house.isReady('rcs', true)
    const { at, id } = house.deadLetters()[0]!
    const [replay] = deadLetterRepertoire.commands
    const letter = { ...place, asid, places: [[at, id]] as const }
    t.equal(await house.engine.ask(asid, replay!, letter), 1)
    await until(() => house.told(asid).includes('sent rcs'))
    await house.quiet()
    t.same(texts(house), ['one', 'two'])
    t.same(house.deadLetters(), [])
  },
)

t.test('A reply that the loop breaker refuses is on record, and no dead letter and no event', async (t) => {
  const house = await openHouse(t)
  house.behaves((response) => {
    response.writeHead(200, { 'content-type': 'application/json' })
    response.end(JSON.stringify({ messages: [said('Echo')] }))
  })
  const asid = await house.says(ann, 'hi')
  await until(() => failedAttempts(house).length > 0)
  await house.quiet()
  t.match(failedAttempts(house)[0], /refused: loopDetected/)
  t.same(house.deadLetters(), [])
  t.notOk(house.told(asid).some((each) => each.startsWith('failed')))
  t.ok(house.rows(logTable).some(({ value }) => value.event === 'message.refused'))
})

t.test('A reply to whoever opted out is on record, and no dead letter', async (t) => {
  const house = await openHouse(t)
  house.behaves((response, nth) => {
    const { event } = house.envelopes()[nth - 1]!.event
    if (event.type !== 'system' || event.system.kind !== 'optOut') return void response.writeHead(204).end()
    response.writeHead(200, { 'content-type': 'application/json' })
    response.end(JSON.stringify({ messages: [said('Goodbye')] }))
  })
  await house.says(ann, 'STOP')
  await until(() => failedAttempts(house).length > 0)
  t.match(failedAttempts(house), [/refused: optedOut/])
  t.same(house.deadLetters(), [])
})
