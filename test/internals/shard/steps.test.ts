/** Commands that take long and are decided in steps. */
import t from 'tap'
import { runToEnd, type Steps } from '../../../core/steps.js'
import { systemClock } from '../../../runtime/clock.js'
import { createLog } from '../../../runtime/observe/log.js'
import type { Command, Query, Tx } from '../../../runtime/shard/contract.js'
import { openEmbedded } from '../../../runtime/shard/embedded.js'
import { type Reader, table } from '../../../runtime/store/contract.js'
import { openStore } from '../../../runtime/store/lmdb.js'
import { countTurns } from '../../harness/eventloop.js'
import { tempDir } from '../../harness/tempdir.js'
import { count } from './counter.js'

const { log } = createLog({ destination: { write: () => {} } })
const rows = table<[place: number], string>('test.places')
const writes = 3_000
const steps = 20

interface Long {
  readonly value: string
  readonly throwsAt?: number
}

function* putInSteps(tx: Tx, { value, throwsAt }: Long): Steps<number> {
  for (let step = 0; step < steps; step++) {
    if (step === throwsAt) throw new Error('this step fails')
    for (let index = step; index < writes; index += steps) tx.put(rows, [index], value)
    yield
  }
  return [...tx.range(rows)].length
}

const long: Command<Long, number> = {
  name: 'test.long',
  decide: (tx, input) => runToEnd(putInSteps(tx, input)),
  inSteps: { isFor: ({ value }) => value !== 'short', decide: (tx, input) => putInSteps(tx, input) },
}
const longRead: Query<{ readonly isLong: boolean }, string[]> = {
  name: 'test.longRead',
  read: (reader) => runToEnd(readInSteps(reader)),
  inSteps: { isFor: ({ isLong }) => isLong, read: readInSteps },
}

function* readInSteps(reader: Reader): Steps<string[]> {
  const values = [...new Set([...reader.range(rows)].map(({ value }) => value))]
  for (let step = 0; step < steps; step++) yield
  return values
}

const valuesOf = {
  name: 'test.values',
  read: (reader: Pick<Tx, 'range'>) => [...new Set([...reader.range(rows)].map(({ value }) => value))],
}

async function openEngine(t: Parameters<typeof tempDir>[0] & { teardown: (end: () => unknown) => void }) {
  const store = await openStore({ dir: tempDir(t), shards: 2 })
  let commands = 0
  const engine = openEmbedded({
    store,
    shards: 2,
    clock: systemClock,
    log,
    newCommandId: () => String(commands++),
    handlers: { commands: [long, count] as never, queries: [valuesOf, longRead] as never, effectHandlers: () => ({}) },
  })
  await engine.start()
  t.teardown(async () => {
    await engine.stop()
    await store.close()
  })
  return engine
}

t.test('Everything else has a turn of the loop between two steps of a command that takes long', async (t) => {
  const engine = await openEngine(t)
  const count = countTurns()
  t.equal(await engine.execute('a', long, { value: 'x' }), writes)
  const turns = count.end()
  t.ok(turns > steps, `${turns} turns`)
})

t.test('A command that takes long is decided alone, in its order, and is seen whole or not at all', async (t) => {
  const engine = await openEngine(t)
  const seen: unknown[] = []
  let isOver = false
  async function readWhileRunning(): Promise<void> {
    while (!isOver) {
      seen.push(await engine.query('a', valuesOf as never, null as never))
      await new Promise(setImmediate)
    }
  }
  const looking = readWhileRunning()
  const answers = await Promise.all([
    engine.execute('a', count, null),
    engine.execute('a', long, { value: 'x' }),
    engine.execute('a', count, null),
    engine.execute('a', long, { value: 'short' }),
    engine.execute('a', long, { value: 'y' }),
    engine.execute('a', count, null),
  ])
  isOver = true
  await looking
  t.same(answers, [1, writes, 2, writes, writes, 3])
  t.same(await engine.query('a', valuesOf as never, null as never), ['y'])
  for (const values of seen) t.ok((values as unknown[]).length <= 1, `${values} are seen together`)
})

t.test('One that fails in a later step leaves nothing, and those behind it go on', async (t) => {
  const engine = await openEngine(t)
  const failing = engine.execute('a', long, { value: 'x', throwsAt: 5 })
  const behind = engine.execute('a', count, null)
  await t.rejects(failing, { message: 'this step fails' })
  t.equal(await behind, 1)
  t.same(await engine.query('a', valuesOf as never, null as never), [])
})

t.test('A stop waits for the last step and keeps what it wrote', async (t) => {
  const dir = tempDir(t)
  const open = async () => {
    const store = await openStore({ dir, shards: 1 })
    const engine = openEmbedded({
      store,
      shards: 1,
      clock: systemClock,
      log,
      newCommandId: () => 'one',
      handlers: { commands: [long] as never, queries: [valuesOf] as never, effectHandlers: () => ({}) },
    })
    await engine.start()
    return { store, engine }
  }
  const first = await open()
  const executing = first.engine.execute('a', long, { value: 'x' })
  await new Promise(setImmediate)
  await first.engine.stop()
  t.equal(await executing, writes)
  await first.store.close()
  const second = await open()
  t.same(await second.engine.query('a', valuesOf as never, null as never), ['x'])
  await second.engine.stop()
  await second.store.close()
})

t.test(
  'Everything else has a turn between two steps of a read, which tells what was there when it was asked',
  async (t) => {
    const engine = await openEngine(t)
    await engine.execute('a', long, { value: 'before' })
    const count = countTurns()
    const reading = engine.query('a', longRead, { isLong: true })
    t.equal(engine.queryLocal?.('a', longRead, { isLong: true }), undefined, 'nobody can be told in the same turn')
    const written = engine.execute('a', long, { value: 'after' })
    t.strictSame(await reading, ['before'])
    const turns = count.end()
    t.ok(turns >= steps, `${turns} turns`)
    await written
    t.strictSame(engine.queryLocal?.('a', longRead, { isLong: false }), ['after'])
    t.strictSame((await engine.queryAll(longRead, { isLong: true })) as unknown, [[], ['after']])
  },
)
