/** Bounds on how much goes on at a time: how many slots there are, whose turn it is, and who gives up. */
import fc from 'fast-check'
import t from 'tap'
import { systemClock } from '../../runtime/clock.js'
import { acquireWithin, createSemaphore } from '../../runtime/semaphore.js'

t.test('The semaphore never exceeds its slots, in all and per key, and every waiter gets one', async () => {
  const step = fc.record({ key: fc.constantFrom('a', 'b', 'c'), cancels: fc.boolean() })
  const limits = fc.record({ most: fc.integer({ min: 1, max: 6 }), mostPerKey: fc.integer({ min: 1, max: 4 }) })
  await fc.assert(
    fc.asyncProperty(limits, fc.array(step, { maxLength: 40 }), async ({ most, mostPerKey }, steps) => {
      const slots = createSemaphore({ max: most, maxPerKey: mostPerKey })
      const acquired: string[] = []
      let [waiting, served] = [0, 0]
      const enter = (key: string) => {
        acquired.push(key)
        served++
      }
      for (const { key, cancels } of steps) {
        const awaited = slots.acquire(key)
        if (!awaited) enter(key)
        else if (cancels) {
          awaited.cancel()
          served++
        } else {
          waiting++
          void awaited.granted.then(() => {
            waiting--
            enter(key)
          })
        }
      }
      for (;;) {
        await new Promise((resolve) => setImmediate(resolve))
        if (acquired.length > most) return false
        for (const key of acquired) if (acquired.filter((each) => each === key).length > mostPerKey) return false
        const key = acquired.shift()
        if (key === undefined) return waiting === 0 && slots.waiting() === 0 && served === steps.length
        slots.release(key)
      }
    }),
  )
})

t.test('Jobs run up to the limit, in total and per key, and the others in order of arrival', async (t) => {
  const semaphore = createSemaphore({ max: 3, maxPerKey: 2 })
  const acquire = (key: string, signal: AbortSignal, ms: number) =>
    acquireWithin(semaphore, key, { clock: systemClock, ms, signal })
  const never = new AbortController().signal
  const began: string[] = []
  const ends = new Map<string, () => void>()
  const leaving = new AbortController()
  const acquiring = ['a1', 'a2', 'a3', 'b1', 'b2', 'a4'].map(async (name) => {
    const signal = name === 'b2' ? leaving.signal : never
    const end = await acquire(name[0]!, signal, 60_000).catch(() => undefined)
    began.push(end ? name : `${name} left`)
    if (end) ends.set(name, end)
  })
  const nextTurn = () => new Promise((next) => setImmediate(next))
  await nextTurn()
  t.same(began, ['a1', 'a2', 'b1'])
  leaving.abort(new Error('left'))
  await nextTurn()
  ends.get('b1')!()
  ends.get('b1')!()
  await nextTurn()
  t.same(began, ['a1', 'a2', 'b1', 'b2 left'], 'a third of one key waits although there is room')
  ends.get('a1')!()
  await nextTurn()
  t.same(began.slice(4), ['a3'])
  ends.get('a2')!()
  await nextTurn()
  t.same(began.slice(4), ['a3', 'a4'])
  await Promise.all(acquiring)
  t.equal(await acquire('a', never, 1), undefined, 'a waiter whose time is over is refused')
  ends.get('a3')!()
  t.type(await acquire('a', never, 60_000), 'function', 'and it blocks no other')
  await t.rejects(acquire('a', AbortSignal.abort(new Error('before')), 60_000), /before/)
})

t.test('Keys take turns, and a key that just had a slot goes behind all others', async (t) => {
  const slots = createSemaphore({ max: 1, maxPerKey: 1 })
  t.equal(slots.acquire('a'), undefined)
  const granted: string[] = []
  for (const name of ['a2', 'a3', 'b1', 'b2', 'c1']) {
    void slots.acquire(name[0]!)!.granted.then(() => granted.push(name))
  }
  t.equal(slots.waiting(), 5)
  t.equal(slots.waiting('a'), 2)
  for (let last = 'a'; slots.waiting() > 0; last = granted.at(-1)![0]!) {
    slots.release(last)
    await new Promise((resolve) => setImmediate(resolve))
  }
  t.same(granted, ['b1', 'c1', 'a2', 'b2', 'a3'])
})
