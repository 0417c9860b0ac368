/** Lengths of time that are computed. */
import fc from 'fast-check'
import t from 'tap'
import { backoffMs } from '../../core/time.js'

t.test('A wait doubles each time, up to its maximum, and jitter only shortens it', async () => {
  const about = { firstMs: 10, mostMs: 1_000, jitterShare: 0.5 }
  const chance = fc.double({ min: 0, max: 1, noNaN: true })
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 1_000 }), chance, (failures, each) => {
      const whole = Math.min(1_000, 10 * 2 ** (failures - 1))
      const ms = backoffMs(failures, about, each)
      if (ms > whole || ms < whole / 2) throw new Error(`${ms} ms of ${whole}`)
    }),
  )
})

t.test('Without jitter a wait is the same for any random number', async (t) => {
  const waits = [1, 2, 3, 4, 5].map((failures) => backoffMs(failures, { firstMs: 100, mostMs: 1_000 }, 0.7))
  t.same(waits, [100, 200, 400, 800, 1_000])
})
