/**
 * What watchers read while they are told of a commit: all of it, and nothing of the next one beside what they are told.
 */
import { setImmediate } from 'node:timers/promises'
import t from 'tap'
import { systemClock } from '../../../runtime/clock.js'
import { createLog } from '../../../runtime/observe/log.js'
import type { Command, Query } from '../../../runtime/shard/contract.js'
import { openEmbedded } from '../../../runtime/shard/embedded.js'
import { groupCommits } from '../../../runtime/store/commits.js'
import { table } from '../../../runtime/store/contract.js'
import { createRows } from '../../sim/world/rows.js'
import { spaceOver } from '../../sim/world/space.js'

const { log } = createLog({ destination: { write: () => {} } })

interface Written {
  readonly n: number
}
const left = table<[string], Written>('left')
const right = table<[string], Written>('right')
const lines = table<[string, number], Written>('lines')

/** Writes both sides and a line; every other time the right side comes from an earlier commit. */
const write: Command<number, number> = {
  name: 'test.write',
  decide(tx, n) {
    tx.put(left, ['a'], { n })
    if (n % 2 === 0) tx.put(right, ['a'], { n })
    tx.put(lines, ['a', n], { n })
    return n
  },
}
interface Seen {
  readonly left?: Written
  readonly right?: Written
  readonly lines: readonly number[]
}
const see: Query<null, Seen> = {
  name: 'test.see',
  read: (reader) => ({
    left: reader.get(left, ['a']),
    right: reader.get(right, ['a']),
    lines: Array.from(reader.range(lines, { prefix: ['a'] }), ({ value }) => value.n),
  }),
}

/**
 * A space shows a commit before anybody is told of it: here it does as soon as it can, in the middle of telling the
 * last.
 */
async function openWatched() {
  const rows = createRows()
  const commits = groupCommits({
    async write(group) {
      for (const { changes } of group) rows.apply(changes)
      await setImmediate()
    },
    refusal: () => undefined,
    errorFrom: (cause) => cause as Error,
  })
  const space = spaceOver(
    () => rows,
    (late) => commits.add(0, late),
  )
  let commands = 0
  const engine = openEmbedded({
    store: { space: () => space, failure: () => undefined } as never,
    shards: 1,
    clock: systemClock,
    log,
    newCommandId: () => String(commands++),
    handlers: { commands: [write] as never, queries: [see] as never, effectHandlers: () => ({}) },
  })
  await engine.start()
  const seen: (Seen & { readonly notified: Written })[] = []
  engine.watch(left, (_key, notified) => {
    seen.push({ notified: notified!, ...(engine.queryLocal!('a', see, null) as Seen) })
  })
  return { engine, seen }
}

t.test('Whoever is told of a commit reads what it wrote, as it was written', async (t) => {
  const { engine, seen } = await openWatched()
  for (let n = 0; n < 4; n++) await engine.execute('a', write, n)
  t.equal(seen.length, 4)
  for (const [n, { notified, left, lines }] of seen.entries()) {
    t.equal(left, notified, 'the very record')
    t.same(
      lines,
      Array.from({ length: n + 1 }, (_, line) => line),
    )
  }
  t.not(
    (engine.queryLocal!('a', see, null) as Seen).left,
    seen[3]!.notified,
    'and what is read later comes from the store',
  )
})

t.test('What is read while the next commits are on their way is of one moment', async (t) => {
  const { engine, seen } = await openWatched()
  const executing: Promise<unknown>[] = []
  for (let n = 0; n < 400; n++) {
    executing.push(engine.execute('a', write, n))
    if (n % 3 === 0) await setImmediate()
  }
  await Promise.all(executing)
  t.ok(seen.length > 20, 'in many commits')
  for (const { notified, left, right, lines } of seen) {
    const newest = left!.n
    t.ok(newest >= notified.n, 'nothing older than what was told')
    t.equal(right!.n, newest - (newest % 2))
    t.equal(lines.length, newest + 1)
    t.equal(lines.at(-1), newest)
  }
})
