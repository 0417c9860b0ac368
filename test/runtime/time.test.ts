/** Waiting on a clock: how a sleep ends, and what comes of work that takes too long. */
import { getEventListeners } from 'node:events'
import t from 'tap'
import { sleep, withTimeout } from '../../runtime/time.js'
import { manualClock } from '../harness/clock.js'

/** What a promise has come to so far. */
function watchPromise<T>(promise: Promise<T>): { value?: T; error?: unknown } {
  const seen: { value?: T; error?: unknown } = {}
  promise.then(
    (value) => Object.assign(seen, { value }),
    (error: unknown) => Object.assign(seen, { error }),
  )
  return seen
}

t.test('A sleep ends after its time and not before', async (t) => {
  const clock = manualClock()
  const seen = watchPromise(sleep(clock, 100).then(() => 'over'))
  await clock.advance(99)
  t.same(seen, {})
  await clock.advance(1)
  t.same(seen, { value: 'over' })
})

t.test('A signal ends a sleep, even one sent before it, and leaves no timer', async (t) => {
  const clock = manualClock()
  const end = new AbortController()
  const seen = watchPromise(sleep(clock, 100, end.signal).then(() => 'over'))
  const left = sleep(clock, 10, end.signal)
  await clock.advance(10)
  await left
  t.equal(getEventListeners(end.signal, 'abort').length, 1)
  end.abort()
  await clock.advance(0)
  t.same(seen, { value: 'over' })
  t.equal(getEventListeners(end.signal, 'abort').length, 0)
  await sleep(clock, 100, end.signal)
})

t.test('Work within its time returns its result, and a timeout after it', async (t) => {
  const clock = manualClock()
  t.equal(await withTimeout(clock, 10, Promise.resolve('done'), 'late'), 'done')
  await t.rejects(withTimeout(clock, 10, Promise.reject(new Error('broken')), 'late'), /broken/)
  const fails = sleep(clock, 20).then(() => Promise.reject(new Error('nobody hears this')))
  const seen = watchPromise(withTimeout(clock, 10, fails, 'late'))
  await clock.advance(10)
  t.same(seen, { value: 'late' })
  await clock.advance(20)
})
