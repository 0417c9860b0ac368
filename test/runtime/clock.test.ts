/** The system clock: a timer never fires early. */
import t from 'tap'
import { systemClock } from '../../runtime/clock.js'

function stayBusy(ms: number): void {
  for (const ends = systemClock.monotonic() + ms; systemClock.monotonic() < ends; );
}

t.test('A timer that is set late in a busy turn of the event loop waits for its whole time', async (t) => {
  for (const waitMs of [1, 10, 20.7, 40.3]) {
    await new Promise((resolve) => setImmediate(resolve))
    stayBusy(30)
    const setAt = systemClock.monotonic()
    await new Promise<void>((resolve) => systemClock.setTimer(systemClock.now() + waitMs, resolve))
    const waited = systemClock.monotonic() - setAt
    t.ok(waited >= waitMs, `${waited} of ${waitMs} ms`)
  }
})

t.test('A timer for a time in the past fires after its caller has finished', async (t) => {
  let called = false
  const wait = new Promise<void>((resolve) => {
    systemClock.setTimer(systemClock.now() - 1_000, () => {
      called = true
      resolve()
    })
  })
  t.notOk(called)
  await wait
  t.ok(called)
})

t.test('A cancelled timer does not fire', async (t) => {
  let called = false
  const cancel = systemClock.setTimer(systemClock.now() + 5, () => {
    called = true
  })
  cancel()
  await new Promise((resolve) => setTimeout(resolve, 30))
  t.notOk(called)
})
