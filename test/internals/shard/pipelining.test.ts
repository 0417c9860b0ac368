/** What a shard decides while its last commit is still on its way to the disk. */
import { setImmediate } from 'node:timers/promises'
import fc from 'fast-check'
import t, { type Test } from 'tap'
import { systemClock } from '../../../runtime/clock.js'
import { createLog } from '../../../runtime/observe/log.js'
import type { Command, Handlers, Query } from '../../../runtime/shard/contract.js'
import { openEmbedded } from '../../../runtime/shard/embedded.js'
import { NotOwner } from '../../../runtime/shard/errors.js'
import { shard as limits } from '../../../runtime/shard/limits.js'
import { createRegistry } from '../../../runtime/shard/registry.js'
import { openShard } from '../../../runtime/shard/shard.js'
import { groupCommits } from '../../../runtime/store/commits.js'
import { type Change, type CommitDeferred, StoreFailed } from '../../../runtime/store/contract.js'
import { serialCommits } from '../../../runtime/store/deferredcommit.js'
import { openStore } from '../../../runtime/store/lmdb.js'
import { tempDir } from '../../harness/tempdir.js'
import { count, counts } from './counter.js'

const { log } = createLog({ destination: { write: () => {} } })

const getCount: Command<null, number> = { name: 'test.look', decide: (tx) => tx.get(counts, ['a']) ?? 0 }
const readCount: Query<null, number> = { name: 'test.known', read: (reader) => reader.get(counts, ['a']) ?? 0 }

const otherChange: Change = { key: Buffer.from([0x20]), value: Buffer.from([1]) }

type PendingWrites = { go(): void; fail(): void }[]

/**
 * An engine whose commits go to the disk, or fail, when the test says so: each by itself, or in groups with those of
 * others.
 */
async function openDelayedEngine(t: Test, isGrouped = false) {
  const store = await openStore({ dir: tempDir(t), shards: 2 })
  const pendingWrites: PendingWrites = []
  let isDelaying = false
  const space = store.space(0)
  const delayWrite = (write: () => Promise<void>): Promise<void> =>
    isDelaying
      ? new Promise<void>((resolve, reject) => {
          pendingWrites.push({ go: () => write().then(resolve, reject), fail: () => reject(new StoreFailed('no')) })
        })
      : write()
  const refusals: Error[] = []
  const grouped = groupCommits({
    write: (group) =>
      delayWrite(async () => {
        await Promise.all(group.map(({ space, changes }) => store.space(space).commit(changes)))
      }),
    refusal: () => refusals.shift(),
    errorFrom: (cause) => cause as Error,
  })
  const alone = serialCommits((changes) => delayWrite(() => space.commit(changes)))
  const commitDeferred: CommitDeferred = (deferred) => (isGrouped ? grouped.add(0, deferred) : alone(deferred))
  let commands = 0
  const engine = openEmbedded({
    store: { ...store, space: () => ({ ...space, commitDeferred }) },
    shards: 1,
    clock: systemClock,
    log,
    newCommandId: () => String(commands++),
    handlers: { commands: [count, getCount] as never, queries: [readCount] as never, effectHandlers: () => ({}) },
  })
  await engine.start()
  isDelaying = true
  const outcomes: string[] = []
  return {
    pendingWrites,
    outcomes,
    /** Something of another shard is written. */
    writeOtherShard() {
      const { done, flush } = grouped.add(1, { collect: () => [otherChange], onCommitted() {} })
      done.catch(() => {})
      flush()
    },
    refuse: () => refusals.push(new StoreFailed('no room')),
    execute(command: Command<null, number>) {
      void engine.execute('a', command, null).then(
        (answer) => outcomes.push(`${command.name} ${answer}`),
        () => outcomes.push(`${command.name} failed`),
      )
    },
    read: () => engine.query('a', readCount, null),
    async turns() {
      for (let n = 0; n < 10; n++) await setImmediate()
    },
    /** Answers what is there in the end. */
    async end() {
      isDelaying = false
      refusals.length = 0
      for (const { go } of pendingWrites.splice(0)) go()
      const last = await engine.execute('a', getCount, null)
      await engine.stop()
      await store.close()
      return last
    },
  }
}

function addUp(t: Test, outcomes: readonly string[], last: unknown): void {
  const answers = outcomes.filter((each) => /^test.count \d/.test(each))
  const counted = Array.from({ length: Number(last) }, (_, index) => `test.count ${index + 1}`)
  t.same(answers, counted)
}

t.test('What is decided behind a commit on its way sees it, and is answered after it and after its own', async (t) => {
  const { pendingWrites, outcomes, execute, read, turns, end } = await openDelayedEngine(t)
  execute(count)
  await turns()
  execute(count)
  execute(getCount)
  await turns()
  t.same(
    [pendingWrites.length, outcomes, await read()],
    [1, [], 0],
    'one commit at a time, and nobody is told of it yet',
  )
  pendingWrites.shift()!.go()
  while (pendingWrites.length === 0) await turns()
  t.same([outcomes, await read()], [['test.count 1'], 1])
  pendingWrites.shift()!.go()
  while (outcomes.length < 3) await turns()
  t.same(outcomes, ['test.count 1', 'test.count 2', 'test.look 2'])
  execute(count)
  await turns()
  execute(getCount)
  await turns()
  t.same(
    [pendingWrites.length, outcomes.length],
    [1, 3],
    'what is to be seen only when the commit is there waits for it',
  )
  pendingWrites.shift()!.go()
  while (outcomes.length < 5) await turns()
  t.same(outcomes.slice(3), ['test.count 3', 'test.look 3'])
  await end()
})

t.test('What was decided over a commit that failed fails with it, and leaves nothing', async (t) => {
  const { pendingWrites, outcomes, execute, turns, end } = await openDelayedEngine(t)
  execute(count)
  await turns()
  execute(count)
  execute(getCount)
  await turns()
  pendingWrites.shift()!.fail()
  await turns()
  t.same(outcomes, ['test.count failed', 'test.count failed', 'test.look failed'])
  execute(count)
  await turns()
  pendingWrites.shift()!.go()
  while (outcomes.length < 4) await turns()
  t.equal(outcomes.at(-1), 'test.count 1')
  await end()
})

t.test('What comes while others are written, or the last of their own, goes in the very next write', async (t) => {
  const {
    pendingWrites,
    outcomes,
    execute,
    writeOtherShard: otherChange,
    turns,
    end,
  } = await openDelayedEngine(t, true)
  otherChange()
  await turns()
  execute(count)
  await turns()
  execute(count)
  await turns()
  pendingWrites.shift()!.go()
  while (pendingWrites.length === 0) await turns()
  execute(count)
  await turns()
  otherChange()
  await turns()
  pendingWrites.shift()!.go()
  while (pendingWrites.length === 0) await turns()
  t.same(outcomes, ['test.count 1', 'test.count 2'], 'two came while others were written')
  pendingWrites.shift()!.go()
  while (outcomes.length < 3) await turns()
  t.same(
    [outcomes.at(-1), pendingWrites.length],
    ['test.count 3', 0],
    'one came behind them and went along with others',
  )
  await end()
})

t.test('The next write begins before anybody hears of the end of the last', async (t) => {
  const { pendingWrites, outcomes, execute, turns, end } = await openDelayedEngine(t, true)
  execute(count)
  await turns()
  execute(count)
  await turns()
  pendingWrites.shift()!.go()
  while (outcomes.length === 0) await setImmediate()
  t.same([outcomes, pendingWrites.length], [['test.count 1'], 1])
  await end()
})

t.test('However groups come and are refused, every answer is what the commits that held add up to', async (t) => {
  const step = fc.constantFrom('ask', 'ask', 'look', 'turn', 'turn', 'go', 'go', 'besides', 'refuse')
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
      const {
        pendingWrites,
        outcomes,
        execute,
        writeOtherShard: otherChange,
        refuse,
        turns,
        end,
      } = await openDelayedEngine(t, true)
      for (const each of steps) {
        if (each === 'ask') execute(count)
        else if (each === 'look') execute(getCount)
        else if (each === 'turn') await turns()
        else if (each === 'besides') otherChange()
        else if (each === 'refuse') refuse()
        else pendingWrites.shift()?.go()
      }
      addUp(t, outcomes, await end())
    }),
    { numRuns: 40 },
  )
})

t.test('However commits come and fail, every answer is what the commits that held add up to', async (t) => {
  const step = fc.constantFrom('ask', 'look', 'turn', 'go', 'fail')
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
      const { pendingWrites, outcomes, execute, turns, end } = await openDelayedEngine(t)
      for (const each of steps) {
        if (each === 'ask') execute(count)
        else if (each === 'look') execute(getCount)
        else if (each === 'turn') await turns()
        else pendingWrites.shift()?.[each]()
      }
      addUp(t, outcomes, await end())
    }),
    { numRuns: 20 },
  )
})

t.test('A shard that is lost while it finishes what was asked waits for nothing more', async (t) => {
  const store = await openStore({ dir: tempDir(t), shards: 1 })
  const handlers: Handlers = { commands: [count] as never, queries: [], effectHandlers: () => ({}) }
  const shard = openShard({
    number: 0,
    space: store.space(0),
    registry: createRegistry(handlers),
    effectHandlers: {},
    isSkippable: () => true,
    commit: () => ({ done: new Promise(() => {}), flush() {} }),
    isStillOwner: () => true,
    onCommit() {},
    clock: systemClock,
    log,
    limits,
    newCommandId: () => '1',
  })
  const executing = t.rejects(
    shard.execute({ owner: 'a', command: count as never, input: null, commandId: '0' }),
    NotOwner,
  )
  await setImmediate()
  const closed = shard.close()
  shard.lose()
  await Promise.all([executing, closed])
  await store.close()
})
