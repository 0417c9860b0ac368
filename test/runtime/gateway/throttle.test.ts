/** The throttle of a binding: who draws from its budget, and what becomes of a clock that is set back. */
import fc from 'fast-check'
import t, { type Test } from 'tap'
import { bulk as limits } from '../../../core/limits.js'
import { outgoingTable } from '../../../runtime/conversation/tables.js'
import { until } from '../../harness/clock.js'
import { bulkPerSecond, openHouse, said } from './house.js'

const stepMs = 1_000 / bulkPerSecond
const binding = { orgId: 'acme', agentId: 'desk', channel: 'sms' } as const

async function timesOf(house: Awaited<ReturnType<typeof openHouse>>, count: number): Promise<readonly number[]> {
  const times = await house.deps.throttle.draw(binding, bulkPerSecond, count)
  if ('refused' in times) throw new Error(times.refused)
  return times
}

t.test('Messages in bulk of every sender share the budget of their binding', async (t) => {
  const house = await openHouse(t)
  const begun = house.clock.now()
  const drawn = [...(await timesOf(house, 10)), ...(await timesOf(house, 10))]
  t.ok(drawn.at(-1)! >= begun + 19 * stepMs, 'the second draw goes on behind the first')
  const asid = await house.says('+15550100', 'hi')
  await house.send(asid, [said('in bulk')], { priority: 'batch' })
  const [message] = house.rows(outgoingTable).flatMap(({ value }) => (value.isBatch ? [value] : []))
  t.ok(message!.leaveAt! >= begun + 20 * stepMs)
  house.clock.advance(limits.soonMs)
  await until(() => house.handed.length === 1)
})

t.test('While bulk is under way, it waits for replies and direct sends; they wait for nothing', async (t) => {
  const house = await openHouse(t)
  const asid = await house.says('+15550100', 'hi')
  const before = await timesOf(house, 100)
  for (let n = 0; n < 4; n++) await house.send(asid, [said(`direct ${n}`)])
  await until(() => house.handed.length === 4)
  house.clock.advance(limits.reportEveryMs)
  await until(async () => (await timesOf(house, 1))[0]! >= before.at(-1)! + 4 * stepMs)
  t.equal(house.handed.length, 4)
})

t.test('However far the clock is set back, messages in bulk go on by themselves', async (t: Test) => {
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 1, max: 48 * 3_600_000 }), async (backMs) => {
      const house = await openHouse(t)
      const asid = await house.says('+15550100', 'hi')
      await timesOf(house, 2 * bulkPerSecond)
      for (const word of ['one', 'two']) await house.send(asid, [said(word)], { priority: 'batch' })
      house.clock.setBack(backMs)
      await until(() => {
        house.clock.advance(limits.soonMs)
        return house.handed.length === 2
      })
      t.same(
        house.handed.map(({ text }) => text),
        ['one', 'two'],
      )
    }),
    { numRuns: 5 },
  )
})
