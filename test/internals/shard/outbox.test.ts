/**
 * The outbox by itself: whatever comes, fails, settles and is read when, each effect goes out in its turn and within
 * bounds.
 */
import fc from 'fast-check'
import t from 'tap'
import type { Clock } from '../../../runtime/clock.js'
import type { Log } from '../../../runtime/observe/log.js'
import type { EffectContext } from '../../../runtime/shard/contract.js'
import type { PendingEffect } from '../../../runtime/shard/decision.js'
import { type ShardLimits, shard } from '../../../runtime/shard/limits.js'
import { openOutbox } from '../../../runtime/shard/outbox.js'
import type { Reader } from '../../../runtime/store/contract.js'
import { compareKeys } from '../../runtime/store/generated.js'

/** Small, so that a few effects reach every bound. */
const limits: ShardLimits = {
  ...shard,
  effectsInFlight: 4,
  effectsPerDestination: 2,
  releasedEffectsPerLane: 3,
  activeLanes: 2,
  trackedLanes: 4,
  loadedEffectsPerLane: 2,
  loadedEffects: 3,
}

const silent: Log = { debug() {}, info() {}, warn() {}, error() {}, child: () => silent }

const turn = () => new Promise((resolve) => setImmediate(resolve))

interface Attempt {
  readonly lane: string
  readonly id: string
  isAside: boolean
  readonly isOurs: () => boolean
  readonly isRepeat: boolean
  aside(): void
  end(failed: boolean): void
}

/** An outbox on a record in memory; performers, settling and time are in the hands of the test. */
function openBench(over: Partial<ShardLimits> = {}) {
  const record: PendingEffect[] = []
  const running: Attempt[] = []
  const settling: (() => void)[] = []
  const began = new Map<string, string[]>()
  const failures = new Map<string, number>()
  const most = { lane: 0, aside: 0, all: 0 }
  const holder = { isOurs: true }
  let alarms: { at: number; call: () => void }[] = []
  let now = 0
  let commits = 0

  const clock: Clock = {
    now: () => now,
    monotonic: () => now,
    setTimer(at, call) {
      const alarm = { at, call }
      alarms.push(alarm)
      return () => {
        alarms = alarms.filter((each) => each !== alarm)
      }
    },
    nextTick: (call) => void setImmediate(call),
  }
  const reader = {
    get: () => commits,
    *range(
      _table: unknown,
      { prefix, after, limit = record.length }: { prefix?: string[]; after?: never; limit?: number },
    ) {
      const rows = record.filter(({ key }) => !prefix || key[0] === prefix[0])
      const beyond = rows.filter(({ key }) => !after || compareKeys(key, after) > 0)
      for (const { key, effect } of beyond.slice(0, limit)) yield { key, value: effect }
    },
  } as unknown as Reader
  const outbox = openOutbox({
    reader,
    effectHandlers: { deliver: runEffect },
    complete: (key) =>
      new Promise<void>((resolve) => {
        settling.push(() => {
          const at = record.findIndex((pending) => compareKeys(pending.key, key) === 0)
          if (at < 0) throw new Error(`${key} was settled twice`)
          record.splice(at, 1)
          resolve()
        })
      }),
    mayRun: () => holder.isOurs,
    clock,
    log: silent,
    limits: { ...limits, ...over },
  })

  function runEffect(
    lane: string,
    {
      id,
      isStillOwner: isOurs,
      isRepeat,
      releaseSlot: aside,
    }: Pick<EffectContext, 'id' | 'isStillOwner' | 'isRepeat' | 'releaseSlot'>,
  ): Promise<void> {
    began.set(lane, [...(began.get(lane) ?? []), id])
    return new Promise((resolve, reject) => {
      const attempt: Attempt = {
        lane,
        id,
        isAside: false,
        isOurs,
        isRepeat,
        aside() {
          attempt.isAside = true
          most.aside = Math.max(most.aside, running.filter((each) => each.lane === lane && each.isAside).length)
          aside()
        },
        end(failed) {
          running.splice(running.indexOf(attempt), 1)
          if (failed) failures.set(id, (failures.get(id) ?? 0) + 1)
          if (failed) reject(new Error('not now'))
          else resolve()
        },
      }
      running.push(attempt)
      most.all = Math.max(most.all, running.filter(({ isAside }) => !isAside).length)
      most.lane = Math.max(most.lane, running.filter((each) => each.lane === lane && !each.isAside).length)
    })
  }

  return {
    outbox,
    record,
    running,
    settling,
    began,
    failures,
    most,
    holder,
    /** The effects of one more commit, on the record and not yet told to the outbox. */
    commit(lanes: readonly string[]): PendingEffect[] {
      const commit = ++commits
      const pending = lanes.map((lane, index): PendingEffect => {
        const id = `${commit}:${index}`
        return {
          key: [`deliver ${lane}`, commit, index],
          effect: { kind: 'deliver', payload: lane, owner: 'a', id, at: now },
        }
      })
      record.push(...pending)
      record.sort((a, b) => compareKeys(a.key, b.key))
      return pending
    },
    pass(ms: number): void {
      now += ms
      for (const { at, call } of [...alarms]) if (at <= now) call()
      alarms = alarms.filter(({ at }) => at > now)
    },
  }
}

t.test('Whoever performs knows at any moment whether it is still theirs', async (t) => {
  const lost = openBench()
  lost.outbox.enqueue(lost.commit(['a']))
  const [losing] = lost.running
  t.equal(losing!.isOurs(), true)
  lost.holder.isOurs = false
  t.equal(losing!.isOurs(), false, 'not once it was lost by the clock, whoever has noticed')
  const stopped = openBench()
  stopped.outbox.enqueue(stopped.commit(['a']))
  const [stopping] = stopped.running
  const end = stopped.outbox.stop(1)
  t.equal(stopping!.isOurs(), true, 'what is under way may end')
  stopped.pass(1)
  await turn()
  t.equal(stopping!.isOurs(), false, 'in its time')
  stopping!.end(true)
  await end
})

t.test('Whoever stands aside takes no place from others, however many do', async (t) => {
  const { outbox, commit, running, most } = openBench()
  outbox.enqueue(commit(['a', 'b']))
  for (const attempt of running) attempt.aside()
  outbox.enqueue(commit(['c', 'd']))
  t.same(
    running.map(({ lane }) => lane),
    ['a', 'b', 'c', 'd'],
    'two more destinations than are served at a time',
  )
  t.equal(most.all, 2)
})

t.test(
  'Whoever stands aside gives its place with the destination to the next, as long as not too many do',
  async (t) => {
    const { outbox, commit, running, most } = openBench()
    outbox.enqueue(commit(Array(9).fill('a')))
    t.equal(running.length, 2)
    for (const attempt of running) attempt.aside()
    for (const attempt of running) attempt.aside()
    t.equal(running.length, 4, 'three or more wait for somebody else, so no more is begun')
    t.equal(most.lane, 2)
    running[0]!.end(false)
    await turn()
    t.equal(running.length, 3, 'one that waits to be noted counts as well')
  },
)

t.test('Those who failed after they stood aside try again no more at a time than may be', async (t) => {
  const { outbox, commit, running, most, pass } = openBench()
  outbox.enqueue(commit(['a', 'a', 'a']))
  running[0]!.aside()
  t.equal(running.length, 3)
  for (const attempt of [...running]) attempt.end(true)
  await turn()
  pass(limits.effectRetryMaxMs)
  await turn()
  t.equal(running.length, 2)
  t.equal(most.lane, 2)
  for (const attempt of [...running]) attempt.end(false)
  await turn()
  t.equal(running.length, 1, 'and the last one has its turn')
})

t.test(
  'Each effect goes out in its turn, again only when it failed, and never more at a time than may be',
  async (t) => {
    const lane = fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f')
    const step = fc.oneof(
      { weight: 3, arbitrary: fc.array(lane, { minLength: 1, maxLength: 6 }).map((lanes) => ({ lanes })) },
      { weight: 3, arbitrary: fc.record({ end: fc.nat(), failed: fc.constantFrom(false, false, true) }) },
      { weight: 1, arbitrary: fc.record({ aside: fc.nat() }) },
      { weight: 2, arbitrary: fc.record({ settle: fc.integer({ min: 1, max: 4 }) }) },
      { weight: 1, arbitrary: fc.record({ passMs: fc.constantFrom(limits.effectRetryMs, limits.effectRetryMaxMs) }) },
      { weight: 1, arbitrary: fc.constant({ look: true }) },
    )
    let performed = 0
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(lane, { maxLength: 6 }), { maxLength: 4 }),
        fc.array(step, { maxLength: 40 }),
        async (before, steps) => {
          const bench = openBench()
          const { outbox, record, running, settling, began, failures, most } = bench
          const ids: PendingEffect[] = before.flatMap((lanes) => bench.commit(lanes))
          outbox.resume()
          // What was committed last is told to the outbox only when the next commit begins, or later steps say so.
          let untold: PendingEffect[] = []
          const flush = () => {
            outbox.enqueue(untold)
            untold = []
          }
          for (const each of steps) {
            if ('lanes' in each) {
              flush()
              untold = bench.commit(each.lanes)
              ids.push(...untold)
            } else if ('end' in each) running[each.end % Math.max(1, running.length)]?.end(each.failed)
            else if ('aside' in each) running[each.aside % Math.max(1, running.length)]?.aside()
            else if ('settle' in each) {
              // That is a commit too, so the one before it was told.
              flush()
              for (const done of settling.splice(0, each.settle)) done()
            } else if ('passMs' in each) bench.pass(each.passMs)
            else flush()
            await turn()
          }
          flush()
          for (let rounds = 0; record.length > 0; rounds++) {
            if (rounds > 2_000) throw new Error(`${record.length} effects are never performed`)
            for (const attempt of [...running]) attempt.end(false)
            for (const done of settling.splice(0)) done()
            bench.pass(limits.effectRetryMaxMs)
            await turn()
          }
          if (most.lane > limits.effectsPerDestination) throw new Error(`${most.lane} of one lane at a time`)
          // Those who are with the destination when no more is begun may stand aside too.
          const mostAside = limits.releasedEffectsPerLane + limits.effectsPerDestination
          if (most.aside > mostAside) throw new Error(`${most.aside} of one lane stood aside`)
          if (most.all > limits.effectsInFlight) throw new Error(`${most.all} at a time`)
          for (const [name, all] of began) {
            const expected = ids.filter(({ effect }) => effect.payload === name).map(({ effect }) => effect.id)
            const first = all.filter((id, at) => all.indexOf(id) === at)
            if (String(first) !== String(expected)) throw new Error(`${name} began ${first}, not ${expected}`)
            for (const id of expected) {
              const times = all.filter((each) => each === id).length
              if (times !== 1 + (failures.get(id) ?? 0)) throw new Error(`${id} went out ${times} times`)
            }
          }
          performed += ids.length
        },
      ),
      { numRuns: 300 },
    )
    t.ok(performed > 1_000, `${performed} effects`)
  },
)

t.test('An effect that was read from the record before its commit was told is performed once', async (t) => {
  const over = { effectsInFlight: 4, effectsPerDestination: 4, loadedEffectsPerLane: 3, loadedEffects: 3 }
  const { outbox, record, running, settling, began, commit } = openBench(over)
  outbox.enqueue(commit(['a', 'a', 'a', 'a']))
  outbox.enqueue(commit(['c', 'c', 'c', 'c']))
  t.same([...began.keys()], ['a'], 'one lane has all the places')
  const last = commit(['c'])
  for (const attempt of [...running]) attempt.end(false)
  await turn()
  t.equal(began.get('c')?.length, 4, 'the other has gone on with what is on the record')
  outbox.enqueue(last)
  while (record.length > 0) {
    for (const attempt of [...running]) attempt.end(false)
    await turn()
    for (const done of settling.splice(0)) done()
    await turn()
  }
  t.same(began.get('c'), ['2:0', '2:1', '2:2', '2:3', '3:0'])
})

t.test('Lanes that only wait to try again give their places to others', async (t) => {
  const bench = openBench()
  const dead = ['a', 'b', 'c']
  bench.outbox.enqueue(bench.commit([...dead, 'd', 'e']))
  for (let turns = 0; turns < 20; turns++) {
    for (const attempt of [...bench.running]) attempt.end(dead.includes(attempt.lane))
    for (const done of bench.settling.splice(0)) done()
    await turn()
  }
  t.same([...bench.began.keys()].sort(), ['a', 'b', 'c', 'd', 'e'])
})

t.test('What is owed the longest is known', async (t) => {
  const bench = openBench()
  t.equal(bench.outbox.oldestPendingAt(), undefined)
  bench.pass(100)
  bench.outbox.enqueue(bench.commit(['a']))
  bench.pass(50)
  bench.outbox.enqueue(bench.commit(['b']))
  t.equal(bench.outbox.oldestPendingAt(), 100)
  bench.running.find(({ lane }) => lane === 'a')!.end(false)
  await turn()
  for (const done of bench.settling.splice(0)) done()
  await turn()
  t.equal(bench.outbox.oldestPendingAt(), 150)
})

t.test('An effect that may have been performed before is known as a repeat, and no other is', async (t) => {
  const bench = openBench()
  bench.commit(['a'])
  bench.outbox.resume()
  bench.outbox.enqueue(bench.commit(['b']))
  t.same(
    bench.running.map(({ lane, isRepeat }) => [lane, isRepeat]),
    [
      ['a', true],
      ['b', false],
    ],
  )
  bench.running.find(({ lane }) => lane === 'b')!.end(true)
  await turn()
  bench.pass(60_000)
  await turn()
  t.equal(bench.running.find(({ lane }) => lane === 'b')?.isRepeat, true, 'a try that failed may have done it')
})
