/** Bindings that need their operator or are disabled: they receive, they refuse sends, and what was accepted waits. */
import t from 'tap'
import type { SendOutcome } from '../../../core/channel/adapter.js'
import { conversation as limits } from '../../../core/limits/index.js'
import { conversationTable } from '../../../runtime/conversation/tables.js'
import { waitUntil } from '../../harness/clock.js'
import { acceptAll, type GatewayFixture, openGatewayFixture, textMessage } from '../conversation/fixture.js'

const ann = '+15550101'
const refusal = (reason: string, more: object = {}): SendOutcome => ({
  kind: 'refused',
  reason,
  retry: 'otherChannel',
  ...more,
})
const account = refusal('sendFailed', { needsOperator: true, detail: 'The token has ended.' })

const flightOf = (fixture: GatewayFixture, asid: string) =>
  fixture.rows(conversationTable).find(({ value }) => value.asid === asid)?.value.inFlight

/** Time passes until it is so. */
const advanceUntil = (fixture: GatewayFixture, isSo: () => boolean) =>
  waitUntil(() => {
    fixture.clock.advance(50)
    return isSo()
  })

/** Waits until the message has failed a try and waits for the next. */
const waitsForTry = (fixture: GatewayFixture, asid: string) =>
  waitUntil(() => flightOf(fixture, asid)?.retryAt !== undefined)

/** The clock goes to the next try of what waits for that person. */
async function nextTry(fixture: GatewayFixture, asid: string): Promise<void> {
  await waitsForTry(fixture, asid)
  const { attempt: tried, retryAt: nextRetryAt = 0 } = flightOf(fixture, asid)!
  fixture.clock.advance(nextRetryAt - fixture.clock.now())
  await waitUntil(() => flightOf(fixture, asid)?.attempt !== tried)
}

/** The next try begins and ends while the provider and the binding are as they are now. */
async function nextFailedTry(fixture: GatewayFixture, asid: string): Promise<void> {
  await nextTry(fixture, asid)
  await waitsForTry(fixture, asid)
}

t.test('A binding that is not ready receives: what people say reaches the agent, and STOP counts', async (t) => {
  const fixture = await openGatewayFixture(t)
  await fixture.setReady('sms', false)
  const asid = await fixture.receiveText(ann, 'Is anyone there?')
  await fixture.receiveText(ann, 'STOP')
  await fixture.waitForWebhook()
  t.same(fixture.eventTexts(asid), ['conversationStarted', 'Is anyone there?', 'optOut'])
  await fixture.setReady('sms', true)
  t.same(await fixture.send(asid, [textMessage('Hello')]), [{ messageId: '', accepted: false, reason: 'optedOut' }])
  t.same(fixture.providerRequests, [])
})

t.test('A binding that is not ready applies the receipts of what went out before', async (t) => {
  const fixture = await openGatewayFixture(t)
  const asid = await fixture.receiveText(ann, 'hi')
  await fixture.send(asid, [textMessage('Hello')])
  await waitUntil(() => fixture.eventTexts(asid).includes('sent sms'))
  await fixture.setReady('sms', false)
  const receipt = {
    id: 'r1',
    from: ann,
    receipt: { messageId: `p-${fixture.providerRequests[0]!.id}`, state: 'delivered' },
  }
  t.equal((await fixture.ingress('sms', JSON.stringify({ items: [receipt] }))).status, 200)
  await waitUntil(() => fixture.eventTexts(asid).includes('delivered sms'))
})

t.test('Sends over a binding that is not ready are refused with bindingNotReady', async (t) => {
  const fixture = await openGatewayFixture(t)
  const asid = await fixture.receiveText(ann, 'hi')
  await fixture.setReady('sms', false)
  t.same(await fixture.send(asid, [textMessage('Hello')]), [
    { messageId: '', accepted: false, reason: 'bindingNotReady' },
  ])
  await fixture.setReady('sms', true)
  t.match(await fixture.send(asid, [textMessage('Hello')]), [{ accepted: true }])
})

t.test('One refusal of the account is tried again before anything is concluded about it', async (t) => {
  const fixture = await openGatewayFixture(t)
  const asid = await fixture.receiveText(ann, 'hi')
  fixture.setProvider((handed) => (fixture.providerRequests.length === 1 ? account : acceptAll(handed)))
  await fixture.send(asid, [textMessage('Hello')])
  await advanceUntil(fixture, () => fixture.eventTexts(asid).includes('sent sms'))
  t.same(fixture.operatorCalls, [])
  t.equal(fixture.providerRequests.length, 2)
})

t.test(
  'An account that is refused twice calls its operator, and its message goes out once the binding is ready',
  async (t) => {
    const fixture = await openGatewayFixture(t)
    const asid = await fixture.receiveText(ann, 'hi')
    fixture.setProvider(() => account)
    await fixture.send(asid, [textMessage('One'), textMessage('Two')])
    await advanceUntil(fixture, () => fixture.operatorCalls.length > 0)
    t.same(fixture.operatorCalls, [{ bindingId: fixture.bindingId('sms'), detail: 'The token has ended.' }])
    await fixture.setReady('sms', false)
    for (let tries = 0; tries < 8; tries++) await nextFailedTry(fixture, asid)
    await fixture.waitForWebhook()
    t.equal(fixture.providerRequests.length, 2, 'nothing is handed over meanwhile')
    t.same(
      fixture.eventTexts(asid).filter((each) => each.includes('sms')),
      ['queued sms bindingNotReady'],
    )
    await fixture.setReady('sms', true)
    fixture.setProvider(acceptAll)
    await nextTry(fixture, asid)
    await waitUntil(() => fixture.eventTexts(asid).filter((each) => each === 'sent sms').length === 2)
    t.same(
      fixture.providerRequests.slice(2).map(({ text }) => text),
      ['One', 'Two'],
    )
  },
)

t.test('What waits for another try when its binding stops being ready is kept, with all its tries', async (t) => {
  const fixture = await openGatewayFixture(t)
  const asid = await fixture.receiveText(ann, 'hi')
  fixture.setProvider(() => refusal('sendFailed', { retry: 'later' }))
  await fixture.send(asid, [textMessage('Hello')])
  await waitsForTry(fixture, asid)
  await fixture.setReady('sms', false)
  for (let tries = 0; tries < 6; tries++) await nextFailedTry(fixture, asid)
  await fixture.setReady('sms', true)
  for (const _each of limits.sendRetryMs.slice(1)) await nextFailedTry(fixture, asid)
  await fixture.waitForWebhook()
  t.notOk(fixture.eventTexts(asid).some((each) => each.startsWith('failed')))
  fixture.setProvider(acceptAll)
  await nextTry(fixture, asid)
  await waitUntil(() => fixture.eventTexts(asid).includes('sent sms'))
})

t.test('What waits for its binding for a day has failed with bindingNotReady', async (t) => {
  const fixture = await openGatewayFixture(t)
  const asid = await fixture.receiveText(ann, 'hi')
  fixture.setProvider(() => refusal('sendFailed', { retry: 'later' }))
  await fixture.send(asid, [textMessage('Hello')])
  await waitsForTry(fixture, asid)
  await fixture.setReady('sms', false)
  await nextFailedTry(fixture, asid)
  fixture.clock.advance(limits.deferredMs)
  await waitUntil(() => flightOf(fixture, asid) === undefined)
  t.equal(fixture.providerRequests.length, 1)
})

t.test('A message with another channel to go to does not wait for a binding that is not ready', async (t) => {
  const fixture = await openGatewayFixture(t)
  const asid = await fixture.receiveText(ann, 'hi', 'rcs')
  fixture.setProvider((handed) => (handed.channel === 'rcs' ? account : acceptAll(handed)))
  await fixture.send(asid, [textMessage('Hello', { delivery: { channels: ['rcs', 'sms'] } })])
  await advanceUntil(fixture, () => fixture.eventTexts(asid).includes('sent sms'))
})
