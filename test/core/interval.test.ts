/** Intervals: what is in their sum, their difference and their overlap. */
import fc from 'fast-check'
import t from 'tap'
import { clipIntervals, type Interval, isWithin, mergeIntervals, subtractIntervals } from '../../core/interval.js'

const interval = fc.tuple(fc.integer({ min: 0, max: 40 }), fc.integer({ min: 0, max: 12 })).map(([from, length]) => ({
  from,
  to: from + length,
}))
const intervals = fc.array(interval, { maxLength: 8 })
const momentsOf = (all: readonly Interval[]) => {
  const moments = Array.from({ length: 60 }, (_, at) => at)
  return moments.filter((at) => all.some(({ from, to }) => at >= from && at < to))
}

t.test('Merged intervals have the same moments, in order and with a gap between any two', async (t) => {
  fc.assert(
    fc.property(intervals, (all) => {
      const merged = mergeIntervals(all)
      t.same(momentsOf(merged), momentsOf(all))
      for (const [index, { from, to }] of merged.entries()) {
        if (from >= to || (index > 0 && merged[index - 1]!.to >= from)) throw new Error(JSON.stringify(merged))
      }
    }),
  )
})

t.test('Clipped intervals have the moments in the window, and none is empty', async (t) => {
  fc.assert(
    fc.property(intervals, interval, (all, { from, to }) => {
      const clipped = clipIntervals(all, from, to)
      t.same(
        momentsOf(clipped),
        momentsOf(all).filter((at) => at >= from && at < to),
      )
      t.ok(clipped.every((each) => each.from < each.to))
    }),
  )
})

t.test('What remains is what was there and was not removed', async (t) => {
  fc.assert(
    fc.property(intervals, intervals, (all, removed) => {
      const without = new Set(momentsOf(removed))
      const remaining = subtractIntervals(mergeIntervals(all), mergeIntervals(removed))
      t.same(
        momentsOf(remaining),
        momentsOf(all).filter((at) => !without.has(at)),
      )
    }),
  )
})

t.test('An interval is within merged ones when they have all its moments', async (t) => {
  fc.assert(
    fc.property(
      intervals,
      interval.filter(({ from, to }) => from < to),
      (all, one) => {
        const merged = mergeIntervals(all)
        const [moments, shared] = [momentsOf([one]), new Set(momentsOf(all))]
        t.equal(
          isWithin(merged, one),
          moments.every((at) => shared.has(at)),
        )
      },
    ),
  )
})
