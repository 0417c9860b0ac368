/** Bindings that need their operator or are disabled: they receive, they refuse sends, and what was accepted waits. */
import t from 'tap'
import type { SendOutcome } from '../../../core/channel/adapter.js'
import { conversation as limits } from '../../../core/limits.js'
import { conversationTable } from '../../../runtime/conversation/tables.js'
import { until } from '../../harness/clock.js'
import { type House, openHouse, said, takes } from './house.js'

const ann = '+15550101'
const refused = (reason: string, more: object = {}): SendOutcome => ({
  kind: 'refused',
  reason,
  again: 'elsewhere',
  ...more,
})
const account = refused('sendFailed', { needsOperator: true, detail: 'The token has ended.' })

const flightOf = (house: House, asid: string) =>
  house.rows(conversationTable).find(({ value }) => value.asid === asid)?.value.flight

/** Time passes until it is so. */
const passing = (house: House, isSo: () => boolean) =>
  until(() => {
    house.clock.advance(50)
    return isSo()
  })

/** Waits until the message has failed a try and waits for the next. */
const waitsForTry = (house: House, asid: string) => until(() => flightOf(house, asid)?.againAt !== undefined)

/** The clock goes to the next try of what waits for that person. */
async function nextTry(house: House, asid: string): Promise<void> {
  await waitsForTry(house, asid)
  const { tried, againAt = 0 } = flightOf(house, asid)!
  house.clock.advance(againAt - house.clock.now())
  await until(() => flightOf(house, asid)?.tried !== tried)
}

/** The next try begins and ends while the provider and the binding are as they are now. */
async function nextFailedTry(house: House, asid: string): Promise<void> {
  await nextTry(house, asid)
  await waitsForTry(house, asid)
}

t.test('A binding that is not ready receives: what people say reaches the agent, and STOP counts', async (t) => {
  const house = await openHouse(t)
  house.isReady('sms', false)
  const asid = await house.says(ann, 'Is anyone there?')
  await house.says(ann, 'STOP')
  await house.quiet()
  t.same(house.told(asid), ['conversationStarted', 'Is anyone there?', 'optOut'])
  house.isReady('sms', true)
  t.same(await house.send(asid, [said('Hello')]), [{ messageId: '', accepted: false, reason: 'optedOut' }])
  t.same(house.handed, [])
})

t.test('A binding that is not ready applies the receipts of what went out before', async (t) => {
  const house = await openHouse(t)
  const asid = await house.says(ann, 'hi')
  await house.send(asid, [said('Hello')])
  await until(() => house.told(asid).includes('sent sms'))
  house.isReady('sms', false)
  const receipt = { id: 'r1', from: ann, receipt: { messageId: `p-${house.handed[0]!.id}`, state: 'delivered' } }
  t.equal((await house.ingress('sms', JSON.stringify({ items: [receipt] }))).status, 200)
  await until(() => house.told(asid).includes('delivered sms'))
})

t.test('Sends over a binding that is not ready are refused with bindingNotReady', async (t) => {
  const house = await openHouse(t)
  const asid = await house.says(ann, 'hi')
  house.isReady('sms', false)
  t.same(await house.send(asid, [said('Hello')]), [{ messageId: '', accepted: false, reason: 'bindingNotReady' }])
  house.isReady('sms', true)
  t.match(await house.send(asid, [said('Hello')]), [{ accepted: true }])
})

t.test('One refusal of the account is tried again before anything is concluded about it', async (t) => {
  const house = await openHouse(t)
  const asid = await house.says(ann, 'hi')
  house.providerIs((handed) => (house.handed.length === 1 ? account : takes(handed)))
  await house.send(asid, [said('Hello')])
  await passing(house, () => house.told(asid).includes('sent sms'))
  t.same(house.operatorCalls, [])
  t.equal(house.handed.length, 2)
})

t.test(
  'An account that is refused twice calls its operator, and its message goes out once the binding is ready',
  async (t) => {
    const house = await openHouse(t)
    const asid = await house.says(ann, 'hi')
    house.providerIs(() => account)
    await house.send(asid, [said('One'), said('Two')])
    await passing(house, () => house.operatorCalls.length > 0)
    t.same(house.operatorCalls, [{ bindingId: 'cb_sms', detail: 'The token has ended.' }])
    house.isReady('sms', false)
    for (let tries = 0; tries < 8; tries++) await nextFailedTry(house, asid)
    await house.quiet()
    t.equal(house.handed.length, 2, 'nothing is handed over meanwhile')
    t.same(
      house.told(asid).filter((each) => each.includes('sms')),
      ['queued sms bindingNotReady'],
    )
    house.isReady('sms', true)
    house.providerIs(takes)
    await nextTry(house, asid)
    await until(() => house.told(asid).filter((each) => each === 'sent sms').length === 2)
    t.same(
      house.handed.slice(2).map(({ text }) => text),
      ['One', 'Two'],
    )
  },
)

t.test('What waits for another try when its binding stops being ready is kept, with all its tries', async (t) => {
  const house = await openHouse(t)
  const asid = await house.says(ann, 'hi')
  house.providerIs(() => refused('sendFailed', { again: 'later' }))
  await house.send(asid, [said('Hello')])
  await waitsForTry(house, asid)
  house.isReady('sms', false)
  for (let tries = 0; tries < 6; tries++) await nextFailedTry(house, asid)
  house.isReady('sms', true)
  for (const _each of limits.sendAgainMs.slice(1)) await nextFailedTry(house, asid)
  await house.quiet()
  t.notOk(house.told(asid).some((each) => each.startsWith('failed')))
  house.providerIs(takes)
  await nextTry(house, asid)
  await until(() => house.told(asid).includes('sent sms'))
})

t.test('What waits for its binding for a day has failed with bindingNotReady', async (t) => {
  const house = await openHouse(t)
  const asid = await house.says(ann, 'hi')
  house.providerIs(() => refused('sendFailed', { again: 'later' }))
  await house.send(asid, [said('Hello')])
  await waitsForTry(house, asid)
  house.isReady('sms', false)
  await nextFailedTry(house, asid)
  house.clock.advance(limits.heldMs)
  await until(() => flightOf(house, asid) === undefined)
  t.equal(house.handed.length, 1)
})

t.test('A message with another channel to go to does not wait for a binding that is not ready', async (t) => {
  const house = await openHouse(t)
  const asid = await house.says(ann, 'hi', 'rcs')
  house.providerIs((handed) => (handed.channel === 'rcs' ? account : takes(handed)))
  await house.send(asid, [said('Hello', { delivery: { channels: ['rcs', 'sms'] } })])
  await passing(house, () => house.told(asid).includes('sent sms'))
})
