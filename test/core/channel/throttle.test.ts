/** How fast messages in bulk leave over a binding. */
import fc from 'fast-check'
import t from 'tap'
import { bulkRate, drawBudget, type SendBudget } from '../../../core/channel/throttle.js'
import { bulk as limits } from '../../../core/limits/index.js'

t.test(
  'A provider without a rate gets the default, one with a rate that rate, one without a limit no throttle',
  async (t) => {
    t.equal(bulkRate({}), limits.perSecond)
    t.equal(bulkRate({ bulkPerSecond: 80 }), 80)
    t.equal(bulkRate({ bulkPerSecond: 'unlimited' }), undefined)
  },
)

const start = 1_800_000_000_000

/** Draws so many messages each time, so long after the time before. */
const draws = fc.array(fc.record({ afterMs: fc.nat(5_000), count: fc.integer({ min: 1, max: 40 }) }), { maxLength: 30 })

t.test('Messages leave in the order of the draws and never faster than the rate, for any senders', async () => {
  fc.assert(
    fc.property(fc.double({ min: 0.1, max: 2_000, noNaN: true }), draws, (perSecond, all) => {
      let at = start
      let budget: SendBudget | undefined
      const times: number[] = []
      for (const { afterMs, count } of all) {
        at += afterMs
        const drawn = drawBudget(budget, { perSecond, at, count })
        budget = drawn.budget
        if (drawn.leaveAt.some((each) => each < at)) return false
        times.push(...drawn.leaveAt)
      }
      const isInOrder = times.every((each, nth) => nth === 0 || each >= times[nth - 1]! - limits.everyMs)
      const sorted = [...times].sort((a, b) => a - b)
      const isPaced = sorted.every((each, nth) => {
        const within = sorted.filter((other) => other >= each && other < each + 1_000).length
        return nth >= sorted.length || within <= Math.ceil(perSecond * (1 + limits.everyMs / 1_000)) + 1
      })
      return isInOrder && isPaced
    }),
    { numRuns: 60 },
  )
})

t.test('An idle budget lets the next message leave at once, and saves up nothing', async (t) => {
  const first = drawBudget(undefined, { perSecond: 10, at: start, count: 3 })
  t.same(first.leaveAt, [start, start + 100, start + 200])
  t.same(drawBudget(first.budget, { perSecond: 10, at: start + 60_000, count: 2 }).leaveAt, [
    start + 60_000,
    start + 60_100,
  ])
})

t.test('A draw takes as many messages as may leave by a time, and the next draw continues behind them', async (t) => {
  const { budget, leaveAt } = drawBudget(undefined, { perSecond: 2, at: start, count: 100, until: start + 1_000 })
  t.same(leaveAt, [start, start + 500, start + 1_000])
  t.same(drawBudget(budget, { perSecond: 2, at: start, count: 1 }).leaveAt, [start + 1_500])
  t.same(drawBudget(budget, { perSecond: 2, at: start, count: 1, until: start + 1_000 }).leaveAt, [])
})

t.test('After the clock is set back a backlog lasts as long as before, counted from now', async () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 48 * 3_600_000 }), fc.integer({ min: 1, max: 100 }), (backMs, backlog) => {
      const { budget } = drawBudget(undefined, { perSecond: 10, at: start, count: backlog })
      const [next] = drawBudget(budget, { perSecond: 10, at: start - backMs, count: 1 }).leaveAt
      return next === start - backMs + backlog * 100
    }),
  )
})
