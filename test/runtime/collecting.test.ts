/** Young garbage is collected early, by whoever may, while there is time for it. */
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import t from 'tap'
import { collecting as limits } from '../../core/limits.js'
import { collectEarly, youngSpace } from '../../runtime/collecting.js'
import { manualClock } from '../harness/clock.js'

function openCollecting() {
  const clock = manualClock()
  const now = { busy: 0, used: 0, collected: 0 }
  const space = { usedBytes: () => now.used, collect: () => void now.collected++ }
  const stop = collectEarly(clock, space, () => now.busy)
  return { clock, now, stop }
}

t.test('Much garbage is collected while the process has time, look after look, until it is stopped', async (t) => {
  const { clock, now, stop } = openCollecting()
  now.used = limits.youngBytes
  await clock.advance(limits.everyMs)
  t.equal(now.collected, 1)
  await clock.advance(2 * limits.everyMs)
  t.equal(now.collected, 3)
  stop()
  await clock.advance(5 * limits.everyMs)
  t.equal(now.collected, 3)
})

t.test('Little garbage waits, and a busy process is left alone', async (t) => {
  const { clock, now } = openCollecting()
  now.used = limits.youngBytes - 1
  await clock.advance(limits.everyMs)
  now.used = 10 * limits.youngBytes
  now.busy = limits.busyShare + 0.01
  await clock.advance(limits.everyMs)
  t.equal(now.collected, 0)
})

t.test('Where Node lets us, what is young and dead is gone after a collection', async (t) => {
  t.equal(youngSpace(), undefined, 'nothing is done where it does not')
  setFlagsFromString('--expose-gc')
  globalThis.gc = runInNewContext('gc')
  t.teardown(() => {
    globalThis.gc = undefined
  })
  const space = youngSpace()!
  const garbage = Array.from({ length: 1_000 }, (_, n) => ({ n }))
  garbage.length = 0
  const filled = space.usedBytes()
  space.collect()
  t.ok(space.usedBytes() < filled)
})
