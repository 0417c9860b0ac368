/** What a shard decides while its last commit is still on its way to the disk. */
import { setImmediate } from 'node:timers/promises'
import fc from 'fast-check'
import t, { type Test } from 'tap'
import { systemClock } from '../../../runtime/clock.js'
import { openLog } from '../../../runtime/observe/log.js'
import type { Command, Query } from '../../../runtime/shard/contract.js'
import { openEmbedded } from '../../../runtime/shard/embedded.js'
import { type Change, StoreFailed } from '../../../runtime/store/contract.js'
import { openStore } from '../../../runtime/store/lmdb.js'
import { temporary } from '../../harness/webhooknode.js'
import { count, counts } from './counting.js'

const { log } = openLog({ to: { write: () => {} } })

const look: Command<null, number> = { name: 'test.look', decide: (tx) => tx.get(counts, ['a']) ?? 0 }
const known: Query<null, number> = { name: 'test.known', read: (reader) => reader.get(counts, ['a']) ?? 0 }

/** An engine whose commits go to the disk, or fail, when the test says so. */
async function openHeld(t: Test) {
  const store = await openStore({ dir: temporary(t), shards: 1 })
  const held: { go(): void; fail(): void }[] = []
  let isHolding = false
  const space = store.space(0)
  const commit = (changes: readonly Change[]) =>
    isHolding
      ? new Promise<void>((resolve, reject) => {
          held.push({
            go: () => space.commit(changes).then(resolve, reject),
            fail: () => reject(new StoreFailed('no')),
          })
        })
      : space.commit(changes)
  let commands = 0
  const engine = openEmbedded({
    store: { ...store, space: () => ({ ...space, commit }) },
    shards: 1,
    clock: systemClock,
    log,
    newCommandId: () => String(commands++),
    repertoire: { commands: [count, look] as never, queries: [known] as never, performers: () => ({}) },
  })
  await engine.start()
  isHolding = true
  const told: string[] = []
  return {
    held,
    told,
    ask(command: Command<null, number>) {
      void engine.ask('a', command, null).then(
        (answer) => told.push(`${command.name} ${answer}`),
        () => told.push(`${command.name} failed`),
      )
    },
    read: () => engine.read('a', known, null),
    async turns() {
      for (let n = 0; n < 10; n++) await setImmediate()
    },
    /** Answers what is there in the end. */
    async end() {
      isHolding = false
      for (const { go } of held.splice(0)) go()
      const last = await engine.ask('a', look, null)
      await engine.stop()
      await store.close()
      return last
    },
  }
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
      const last = await end()
      const answers = told.filter((each) => /^test.count \d/.test(each))
      t.same(
        answers,
        Array.from({ length: Number(last) }, (_, index) => `test.count ${index + 1}`),
      )
    }),
    { numRuns: 20 },
  )
})
