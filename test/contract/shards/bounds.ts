/** Bounds: a mailbox, a destination, what is held in memory; and that none of them lets anything be forgotten. */
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import type { Test } from 'tap'
import { isRefusal } from '../../../core/errors.js'
import { shard as limits } from '../../../runtime/shard/limits.js'
import { countPendingEffects } from './effects.js'
import { type EngineFixture, eventually, inOneCommit, type OpenEngineFixture } from './fixture.js'
import { act, echo, executeScript, type Step, seenOf, testHandlers } from './handlers.js'

export function boundsSuite(t: Test, openFixture: OpenEngineFixture): void {
  t.test(
    'A full mailbox refuses at once with Retry-After, keeps what it took, and holds nothing of what it refused',
    async (t) => {
      const fixture = await openFixture(t, { handlers: testHandlers() })
      const refusedMore = 50
      let answered = 0
      const whenFull = async (requests: readonly Promise<unknown>[]) => {
        await eventually(fixture, () => answered >= refusedMore)
        const early = await Promise.all(requests.map((each) => Promise.race([each, undefined])))
        const refused = early.filter(isRefusal)
        t.equal(refused.length, refusedMore, 'those beyond the mailbox are answered while the others wait')
        t.same(new Set(refused.map((each) => JSON.stringify(each))).size, 1)
        t.match(refused[0], { refused: 'service.unavailable', headers: { 'retry-after': '1' } })
        t.equal(answered, refusedMore)
        const retained = await refusedInputs(fixture)
        t.equal(retained.filter((input) => input.deref() !== undefined).length, 0, 'what was asked in vain is not held')
      }
      const requests = await inOneCommit(
        fixture,
        () =>
          Array.from({ length: limits.mailboxCommands + refusedMore }, async () => {
            const answer = await executeScript(fixture, 'a', { count: 1 })
            answered++
            return answer
          }),
        () => seenOf(fixture, 'a'),
        whenFull,
      )
      const answers = await Promise.all(requests)
      t.equal(answers.filter((answer) => !isRefusal(answer)).length, limits.mailboxCommands)
      t.equal((await seenOf(fixture, 'a')).counted, limits.mailboxCommands)
      t.match(
        await executeScript(fixture, 'a', { count: 1 }),
        { counted: limits.mailboxCommands + 1 },
        'and it goes on',
      )
    },
  )

  /** Asks in vain with much to carry, and answers with what may still be held of it. */
  async function refusedInputs(fixture: EngineFixture): Promise<WeakRef<object>[]> {
    const retained: WeakRef<object>[] = []
    const inVain = Array.from({ length: 500 }, async (_, n) => {
      const input = { value: Buffer.alloc(10_000, n) }
      retained.push(new WeakRef(input))
      return fixture.shards.execute('a', echo, input)
    })
    const answers = await Promise.all(inVain)
    if (!answers.every(isRefusal)) throw new Error('something was taken into a full mailbox')
    // What a turn has looked at through a weak reference is held until the turn ends, and now and then one for longer.
    for (let turns = 0; turns < 20 && retained.some((input) => input.deref() !== undefined); turns++) {
      await new Promise((resolve) => setImmediate(resolve))
      collectGarbage()
    }
    await new Promise((resolve) => setImmediate(resolve))
    return retained
  }

  t.test('Asks under one id that come while the first still waits take one place and get its answer', async (t) => {
    const fixture = await openFixture(t, { handlers: testHandlers() })
    const commandCount = limits.mailboxCommands + 10
    const answers = await inOneCommit(
      fixture,
      () => {
        const run = [{ count: 1 }]
        return Array.from({ length: commandCount }, () =>
          fixture.shards.execute('a', act, { owner: 'a', run }, { id: 'same' }),
        )
      },
      () => seenOf(fixture, 'a'),
    )
    const all = await Promise.all(answers)
    t.equal(new Set(all.map((answer) => JSON.stringify(answer))).size, 1)
    t.match(all[0], { counted: 1 })
    t.equal((await seenOf(fixture, 'a')).counted, 1)
  })

  t.test('A mailbox that is full for one shard takes commands for the others', async (t) => {
    const fixture = await openFixture(t, { handlers: testHandlers() })
    const owners = ['a', 'b', 'c', 'd', 'e', 'f', 'g']
    const answers = await inOneCommit(
      fixture,
      () => {
        for (let n = 0; n < limits.mailboxCommands; n++) void executeScript(fixture, 'a', { count: 1 })
        return owners.map((owner) => executeScript(fixture, owner, { count: 1 }))
      },
      () => seenOf(fixture, 'a'),
    )
    const refused = (await Promise.all(answers)).map(isRefusal)
    t.equal(refused[0], true)
    t.ok(refused.includes(false))
  })

  t.test(
    'Never more effects of a lane are under way than may be, nor of a shard, and each lane keeps its order',
    async (t) => {
      const lanes = Array.from({ length: 12 }, (_, n) => `lane ${n}`)
      const each = 3 * limits.effectsPerDestination
      const running = new Map<string, number>()
      const maxima = { lane: 0, shard: 0 }
      const began: Record<string, number[]> = Object.fromEntries(lanes.map((lane) => [lane, []]))
      const gates: (() => void)[] = []
      const fixture = await openFixture(t, {
        handlers: testHandlers(() => ({
          async deliver({ lane, n }: { lane: string; n: number }) {
            began[lane]!.push(n)
            running.set(lane, (running.get(lane) ?? 0) + 1)
            maxima.lane = Math.max(maxima.lane, running.get(lane)!)
            maxima.shard = Math.max(
              maxima.shard,
              [...running.values()].reduce((sum, count) => sum + count, 0),
            )
            await new Promise<void>((open) => gates.push(open))
            running.set(lane, running.get(lane)! - 1)
            if (failsFirst(n) && began[lane]!.filter((past) => past === n).length === 1) throw new Error('not now')
          },
        })),
      })
      for (let n = 0; n < each; n++)
        await executeScript(fixture, 'a', ...lanes.map((lane): Step => ({ effect: { lane, n }, to: lane })))
      await eventually(fixture, () => maxima.shard >= limits.effectsInFlight)
      // One after the other and out of order, while time passes for those that failed.
      for (let turn = 0; countPendingEffects(fixture, 'a') > 0; turn++) {
        gates.splice((turn * 7) % Math.max(1, gates.length), 3).forEach((open) => void open())
        await fixture.time.advance(turn % 20 === 0 ? limits.effectRetryMs : 0)
      }
      t.equal(maxima.lane, limits.effectsPerDestination)
      t.equal(maxima.shard, limits.effectsInFlight)
      for (const lane of lanes) {
        const first = began[lane]!.filter((n, at, all) => all.indexOf(n) === at)
        t.same(
          first,
          Array.from({ length: each }, (_, n) => n),
          `${lane} began all of its effects in their order`,
        )
        t.equal(began[lane]!.length, each + first.filter(failsFirst).length, 'and again only those that failed')
      }
    },
  )

  t.test('A destination that does not answer delays no other', async (t) => {
    const done: string[] = []
    const fixture = await openFixture(t, {
      handlers: testHandlers(() => ({
        deliver: (payload: string) =>
          payload.startsWith('dead') ? new Promise<void>(() => {}) : Promise.resolve(void done.push(payload)),
      })),
    })
    const deadOnes = Array.from(
      { length: 4 * limits.effectsPerDestination },
      (_, n): Step => ({ effect: `dead ${n}`, to: 'dead' }),
    )
    await executeScript(fixture, 'a', ...deadOnes)
    const words = Array.from({ length: 100 }, (_, n) => `word ${n}`)
    for (const word of words)
      await executeScript(fixture, 'a', { effect: word, to: 'alive' }, { effect: `dead ${word}`, to: 'dead' })
    await eventually(fixture, () => done.length === words.length)
    t.same(done, words)
  })

  t.test(
    'Destinations that fail again and again keep no place from others, however many lanes may be held',
    async (t) => {
      const done: string[] = []
      const fixture = await openFixture(t, {
        handlers: testHandlers(() => ({
          async deliver(payload: string) {
            if (payload.startsWith('dead')) throw new Error('not now')
            done.push(payload)
          },
        })),
      })
      const dead = limits.activeLanes + 20
      const alive = limits.activeLanes
      await executeScript(
        fixture,
        'a',
        ...Array.from({ length: dead }, (_, n): Step => ({ effect: 'dead', to: `dead ${n}` })),
      )
      await executeScript(
        fixture,
        'a',
        ...Array.from({ length: alive }, (_, n): Step => ({ effect: `word ${n}`, to: `alive ${n}` })),
      )
      await eventually(fixture, () => done.length === alive)
      t.equal(new Set(done).size, alive)
    },
  )

  t.test(
    'More destinations than are served at a time, and more effects than are held, are all performed',
    async (t) => {
      const destinations = limits.activeLanes + 60
      const depth = 5 * limits.loadedEffectsPerLane
      const done = new Map<string, number[]>()
      let dies = true
      const fixtureOptions = () => ({
        limits: { shard: { loadedEffects: 2 * limits.loadedEffectsPerLane } },
        handlers: testHandlers(() => ({
          async deliver({ to, n }: { to: string; n: number }) {
            if (dies) return new Promise<void>(() => {})
            done.set(to, [...(done.get(to) ?? []), n])
          },
        })),
      })
      const first = await openFixture(t, fixtureOptions())
      const wide = (n: number) =>
        Array.from({ length: destinations }, (_, at): Step => ({ effect: { to: `d${at}`, n }, to: `d${at}` }))
      const narrow = (n: number): Step => ({ effect: { to: 'deep', n }, to: 'deep' })
      await executeScript(first, 'a', ...wide(0))
      for (let n = 0; n < depth; n++) await executeScript(first, 'a', narrow(n))
      await executeScript(first, 'a', ...wide(1))
      await first.crash()

      dies = false
      const next = await openFixture(t, { ...fixtureOptions(), after: first })
      for (let n = depth; n < 2 * depth; n++) await executeScript(next, 'a', narrow(n))
      await executeScript(next, 'a', ...wide(2))
      await eventually(next, () => countPendingEffects(next, 'a') === 0)
      t.same(
        done.get('deep'),
        Array.from({ length: 2 * depth }, (_, n) => n),
        'a deep lane in its order, each once',
      )
      const mismatched = Array.from({ length: destinations }, (_, at) => done.get(`d${at}`)).filter(
        (each) => String(each) !== '0,1,2',
      )
      t.same(mismatched, [], 'and every other lane too')
    },
  )
}

/** One in five fails the first time. */
const failsFirst = (n: number) => n % 5 === 2

/** Available only when asked for, and asked for only here. */
function collectGarbage(): void {
  setFlagsFromString('--expose-gc')
  runInNewContext('gc')()
}
