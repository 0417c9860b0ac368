/** Long work in pieces: others have their turn in between, and only one piece of it is done in a turn. */
import { MessageChannel } from 'node:worker_threads'
import t from 'tap'
import { systemClock } from '../../runtime/clock.js'
import { runInSlices } from '../../runtime/slices.js'

/** A clock on which each step takes a millisecond, and that calls back when asked to. */
function createSteps() {
  let elapsed = 0
  let waiting: (() => void)[] = []
  const clock = { monotonic: () => elapsed, nextTick: (call: () => void) => void waiting.push(call) }
  const done: string[] = []
  function* steps(name: string, count: number): Generator<undefined, string, void> {
    for (let step = 0; step < count; step++) {
      elapsed++
      done.push(name)
      yield
    }
    return name
  }
  async function nextTurn(): Promise<number> {
    const before = done.length
    for (let putOff = 0; putOff < 2; putOff++) {
      await new Promise((resolve) => setImmediate(resolve))
      const calls = waiting
      waiting = []
      for (const call of calls) call()
    }
    await new Promise((resolve) => setImmediate(resolve))
    return done.length - before
  }
  return { clock, steps, done, nextTurn }
}

t.test('Work that fits into one slice is done at once', async (t) => {
  const { clock, steps } = createSteps()
  t.equal(runInSlices(steps('short', 3), clock, 4), 'short')
})

t.test('Longer work continues in later turns of the loop, one slice in each', async (t) => {
  const { clock, steps, done, nextTurn } = createSteps()
  const long = runInSlices(steps('long', 11), clock, 4)
  t.type(long, Promise)
  t.equal(done.length, 4)
  t.equal(await nextTurn(), 4)
  t.equal(await nextTurn(), 3)
  t.equal(await long, 'long')
})

t.test('A turn of the loop runs one slice of all long work, and none is forgotten', async (t) => {
  const { clock, steps, nextTurn } = createSteps()
  const names = ['a', 'b', 'c', 'd']
  const finished: string[] = []
  const all = names.map(async (name) => finished.push(await runInSlices(steps(name, 20), clock, 4)))
  for (let turns = 0; turns < 40 && finished.length < names.length; turns++) {
    const did = await nextTurn()
    t.ok(did <= 4, `${did} steps`)
  }
  t.same(finished, names)
  await Promise.all(all)
})

t.test('Requests that arrive during a slice are decided before the next one', async (t) => {
  const seen: string[] = []
  const { port1: from, port2: to } = new MessageChannel()
  t.teardown(() => from.close())
  const recordDecision = (request: string) => () => void seen.push(request)
  to.on('message', (request: string) => void setImmediate(recordDecision(request)))
  function* steps(): Generator<undefined, void, void> {
    for (let step = 0; step < 4; step++) {
      seen.push(`step ${step}`)
      from.postMessage(`request ${step}`)
      yield
    }
  }
  await runInSlices(steps(), systemClock, 0)
  t.same(seen.slice(0, 7), ['step 0', 'request 0', 'step 1', 'request 1', 'step 2', 'request 2', 'step 3'])
})

t.test('An error in a step reaches its caller, and other work continues', async (t) => {
  function* failMidway(): Generator<undefined, never, void> {
    yield
    throw new Error('broken')
  }
  await t.rejects(async () => runInSlices(failMidway(), systemClock, 0), /broken/)
  const { steps } = createSteps()
  t.equal(await runInSlices(steps('next', 3), systemClock, 0), 'next')
})
