/** The throttle of a binding: who draws from its budget, and what becomes of a clock that is set back. */
import fc from 'fast-check'
import t, { type Test } from 'tap'
import { bulk as limits } from '../../../core/limits/index.js'
import { messageTable } from '../../../runtime/conversation/tables.js'
import { waitUntil } from '../../harness/clock.js'
import { bulkPerSecond, openGatewayFixture, textMessage } from '../conversation/fixture.js'

const stepMs = 1_000 / bulkPerSecond
const binding = { orgId: 'acme', agentId: 'desk', channel: 'sms' } as const

async function timesOf(
  fixture: Awaited<ReturnType<typeof openGatewayFixture>>,
  count: number,
): Promise<readonly number[]> {
  const times = await fixture.deps.throttle.draw(binding, bulkPerSecond, count)
  if ('refused' in times) throw new Error(times.refused)
  return times
}

t.test('Messages in bulk of every sender share the budget of their binding', async (t) => {
  const fixture = await openGatewayFixture(t)
  const begun = fixture.clock.now()
  const drawn = [...(await timesOf(fixture, 10)), ...(await timesOf(fixture, 10))]
  t.ok(drawn.at(-1)! >= begun + 19 * stepMs, 'the second draw goes on behind the first')
  const asid = await fixture.receiveText('+15550100', 'hi')
  await fixture.send(asid, [textMessage('in bulk')], { priority: 'batch' })
  const [message] = fixture.rows(messageTable).flatMap(({ value }) => (value.isBatch ? [value] : []))
  t.ok(message!.leaveAt! >= begun + 20 * stepMs)
  fixture.clock.advance(limits.sendQueueMs)
  await waitUntil(() => fixture.providerRequests.length === 1)
})

t.test('While bulk is under way, it waits for replies and direct sends; they wait for nothing', async (t) => {
  const fixture = await openGatewayFixture(t)
  const asid = await fixture.receiveText('+15550100', 'hi')
  const before = await timesOf(fixture, 100)
  for (let n = 0; n < 4; n++) await fixture.send(asid, [textMessage(`direct ${n}`)])
  await waitUntil(() => fixture.providerRequests.length === 4)
  fixture.clock.advance(limits.reportEveryMs)
  await waitUntil(async () => (await timesOf(fixture, 1))[0]! >= before.at(-1)! + 4 * stepMs)
  t.equal(fixture.providerRequests.length, 4)
})

t.test('However far the clock is set back, messages in bulk go on by themselves', async (t: Test) => {
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 1, max: 48 * 3_600_000 }), async (backMs) => {
      const fixture = await openGatewayFixture(t)
      const asid = await fixture.receiveText('+15550100', 'hi')
      await timesOf(fixture, 2 * bulkPerSecond)
      for (const word of ['one', 'two']) await fixture.send(asid, [textMessage(word)], { priority: 'batch' })
      fixture.clock.setBack(backMs)
      await waitUntil(() => {
        fixture.clock.advance(limits.sendQueueMs)
        return fixture.providerRequests.length === 2
      })
      t.same(
        fixture.providerRequests.map(({ text }) => text),
        ['one', 'two'],
      )
    }),
    { numRuns: 5 },
  )
})
