/** What a shard decides while its last commit is still on its way to the disk. */
import { setImmediate } from 'node:timers/promises'
import fc from 'fast-check'
import t, { type Test } from 'tap'
import { systemClock } from '../../../runtime/clock.js'
import { createLog } from '../../../runtime/observe/log.js'
import type { Command, Handlers, Query } from '../../../runtime/shard/contract.js'
import { openEmbedded } from '../../../runtime/shard/embedded.js'
import { NotOwner } from '../../../runtime/shard/errors.js'
import { createRegistry } from '../../../runtime/shard/registry.js'
import { openShard } from '../../../runtime/shard/shard.js'
import { groupCommits } from '../../../runtime/store/commits.js'
import { type Change, type CommitDeferred, StoreFailed } from '../../../runtime/store/contract.js'
import { serialCommits } from '../../../runtime/store/deferredcommit.js'
import { openStore } from '../../../runtime/store/lmdb.js'
import { tempDir } from '../../harness/webhooknode.js'
import { count, counts } from './counting.js'

const { log } = createLog({ destination: { write: () => {} } })

const look: Command<null, number> = { name: 'test.look', decide: (tx) => tx.get(counts, ['a']) ?? 0 }
const known: Query<null, number> = { name: 'test.known', read: (reader) => reader.get(counts, ['a']) ?? 0 }

const besides: Change = { key: Buffer.from([0x20]), value: Buffer.from([1]) }

type Held = { go(): void; fail(): void }[]

/** An engine whose commits go to the disk, or fail, when the test says so: each by itself, or in groups with those of others. */
async function openHeld(t: Test, isGrouped = false) {
  const store = await openStore({ dir: tempDir(t), shards: 2 })
  const held: Held = []
  let isHolding = false
  const space = store.space(0)
  const hold = (write: () => Promise<void>): Promise<void> =>
    isHolding
      ? new Promise<void>((resolve, reject) => {
          held.push({ go: () => write().then(resolve, reject), fail: () => reject(new StoreFailed('no')) })
        })
      : write()
  const refusals: Error[] = []
  const grouped = groupCommits({
    write: (group) =>
      hold(async () => {
        await Promise.all(group.map(({ space, changes }) => store.space(space).commit(changes)))
      }),
    refusal: () => refusals.shift(),
    errorFrom: (cause) => cause as Error,
  })
  const alone = serialCommits((changes) => hold(() => space.commit(changes)))
  const commitDeferred: CommitDeferred = (deferred) => (isGrouped ? grouped.add(0, deferred) : alone(deferred))
  let commands = 0
  const engine = openEmbedded({
    store: { ...store, space: () => ({ ...space, commitDeferred }) },
    shards: 1,
    clock: systemClock,
    log,
    newCommandId: () => String(commands++),
    handlers: { commands: [count, look] as never, queries: [known] as never, effectHandlers: () => ({}) },
  })
  await engine.start()
  isHolding = true
  const told: string[] = []
  return {
    held,
    told,
    /** Something of another shard is written. */
    besides() {
      const { done, flush } = grouped.add(1, { collect: () => [besides], onCommitted() {} })
      done.catch(() => {})
      flush()
    },
    refuse: () => refusals.push(new StoreFailed('no room')),
    ask(command: Command<null, number>) {
      void engine.execute('a', command, null).then(
        (answer) => told.push(`${command.name} ${answer}`),
        () => told.push(`${command.name} failed`),
      )
    },
    read: () => engine.query('a', known, null),
    async turns() {
      for (let n = 0; n < 10; n++) await setImmediate()
    },
    /** Answers what is there in the end. */
    async end() {
      isHolding = false
      refusals.length = 0
      for (const { go } of held.splice(0)) go()
      const last = await engine.execute('a', look, null)
      await engine.stop()
      await store.close()
      return last
    },
  }
}

function addUp(t: Test, told: readonly string[], last: unknown): void {
  const answers = told.filter((each) => /^test.count \d/.test(each))
  const counted = Array.from({ length: Number(last) }, (_, index) => `test.count ${index + 1}`)
  t.same(answers, counted)
}

t.test('What is decided behind a commit on its way sees it, and is answered after it and after its own', async (t) => {
  const { held, told, ask, read, turns, end } = await openHeld(t)
  ask(count)
  await turns()
  ask(count)
  ask(look)
  await turns()
  t.same([held.length, told, await read()], [1, [], 0], 'one commit at a time, and nobody is told of it yet')
  held.shift()!.go()
  while (held.length === 0) await turns()
  t.same([told, await read()], [['test.count 1'], 1])
  held.shift()!.go()
  while (told.length < 3) await turns()
  t.same(told, ['test.count 1', 'test.count 2', 'test.look 2'])
  ask(count)
  await turns()
  ask(look)
  await turns()
  t.same([held.length, told.length], [1, 3], 'what is to be seen only when the commit is there waits for it')
  held.shift()!.go()
  while (told.length < 5) await turns()
  t.same(told.slice(3), ['test.count 3', 'test.look 3'])
  await end()
})

t.test('What was decided over a commit that failed fails with it, and leaves nothing', async (t) => {
  const { held, told, ask, turns, end } = await openHeld(t)
  ask(count)
  await turns()
  ask(count)
  ask(look)
  await turns()
  held.shift()!.fail()
  await turns()
  t.same(told, ['test.count failed', 'test.count failed', 'test.look failed'])
  ask(count)
  await turns()
  held.shift()!.go()
  while (told.length < 4) await turns()
  t.equal(told.at(-1), 'test.count 1')
  await end()
})

t.test('What comes while others are written, or the last of their own, goes in the very next write', async (t) => {
  const { held, told, ask, besides, turns, end } = await openHeld(t, true)
  besides()
  await turns()
  ask(count)
  await turns()
  ask(count)
  await turns()
  held.shift()!.go()
  while (held.length === 0) await turns()
  ask(count)
  await turns()
  besides()
  await turns()
  held.shift()!.go()
  while (held.length === 0) await turns()
  t.same(told, ['test.count 1', 'test.count 2'], 'two came while others were written')
  held.shift()!.go()
  while (told.length < 3) await turns()
  t.same([told.at(-1), held.length], ['test.count 3', 0], 'one came behind them and went along with others')
  await end()
})

t.test('The next write begins before anybody hears of the end of the last', async (t) => {
  const { held, told, ask, turns, end } = await openHeld(t, true)
  ask(count)
  await turns()
  ask(count)
  await turns()
  held.shift()!.go()
  while (told.length === 0) await setImmediate()
  t.same([told, held.length], [['test.count 1'], 1])
  await end()
})

t.test('However groups come and are refused, every answer is what the commits that held add up to', async (t) => {
  const step = fc.constantFrom('ask', 'ask', 'look', 'turn', 'turn', 'go', 'go', 'besides', 'refuse')
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
      const { held, told, ask, besides, refuse, turns, end } = await openHeld(t, true)
      for (const each of steps) {
        if (each === 'ask') ask(count)
        else if (each === 'look') ask(look)
        else if (each === 'turn') await turns()
        else if (each === 'besides') besides()
        else if (each === 'refuse') refuse()
        else held.shift()?.go()
      }
      addUp(t, told, await end())
    }),
    { numRuns: 40 },
  )
})

t.test('However commits come and fail, every answer is what the commits that held add up to', async (t) => {
  const step = fc.constantFrom('ask', 'look', 'turn', 'go', 'fail')
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
      const { held, told, ask, turns, end } = await openHeld(t)
      for (const each of steps) {
        if (each === 'ask') ask(count)
        else if (each === 'look') ask(look)
        else if (each === 'turn') await turns()
        else held.shift()?.[each]()
      }
      addUp(t, told, await end())
    }),
    { numRuns: 20 },
  )
})

t.test('A shard that is lost while it finishes what was asked waits for nothing more', async (t) => {
  const store = await openStore({ dir: tempDir(t), shards: 1 })
  const repertoire: Handlers = { commands: [count] as never, queries: [], effectHandlers: () => ({}) }
  const shard = openShard({
    number: 0,
    space: store.space(0),
    registry: createRegistry(repertoire),
    effectHandlers: {},
    isSkippable: () => true,
    commit: () => ({ done: new Promise(() => {}), flush() {} }),
    isStillOwner: () => true,
    onCommit() {},
    clock: systemClock,
    log,
    newCommandId: () => '1',
  })
  const asked = t.rejects(shard.execute({ owner: 'a', command: count as never, input: null, commandId: '0' }), NotOwner)
  await setImmediate()
  const closed = shard.close()
  shard.lose()
  await Promise.all([asked, closed])
  await store.close()
})
