/** The embedded engine keeps the contract of shards: order, atomicity, effects at least once, timers, bounds. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import t from 'tap'
import { isRefusal, refuse } from '../../core/errors.js'
import { shard } from '../../core/limits.js'
import { openLog } from '../../runtime/observe/log.js'
import type { Command, Performer } from '../../runtime/shard/contract.js'
import { type Engine, openShards } from '../../runtime/shard/embedded.js'
import { compareKeys, layerOver } from '../../runtime/shard/layer.js'
import { type Key, type RangeOptions, type Store, table } from '../../runtime/store/contract.js'
import { openStore } from '../../runtime/store/lmdb.js'
import { type ManualClock, manualClock, settle, until } from '../harness/clock.js'

const counters = table<[owner: string], number>('test.counter')
const notes = table<[owner: string, note: string], string>('test.note')

const add: Command<{ owner: string; by: number }, number> = {
  name: 'test.add',
  decide(tx, { owner, by }) {
    const sum = (tx.get(counters, [owner]) ?? 0) + by
    tx.put(counters, [owner], sum)
    return sum
  },
}
const poison: Command<{ owner: string; how: 'throw' | 'refuse' }, number> = {
  name: 'test.poison',
  decide(tx, { owner, how }) {
    tx.put(counters, [owner], -1)
    tx.effect({ kind: 'tell', payload: 'never' })
    tx.schedule({ name: 'never', dueAt: 0, command: 'test.note', input: { owner, note: 'never' } })
    if (how === 'throw') throw new Error('a bug')
    return refuse('resource.not_found')
  },
}
const tell: Command<{ owner: string; words: string[] }, string> = {
  name: 'test.tell',
  decide(tx, { owner, words }, told) {
    tx.put(notes, [owner, 'told'], words.join(' '))
    for (const word of words) tx.effect({ kind: 'tell', payload: word })
    return told.mint('id')
  },
}
const note: Command<{ owner: string; note: string }, true> = {
  name: 'test.note',
  decide(tx, input, told) {
    tx.put(notes, [input.owner, input.note], String(told.at))
    return true
  },
}
const later: Command<{ owner: string; note: string; inMs: number }, true> = {
  name: 'test.later',
  decide(tx, { owner, note, inMs }, told) {
    if (inMs < 0) tx.unschedule(note)
    else tx.schedule({ name: note, dueAt: told.at + inMs, command: 'test.note', input: { owner, note } })
    return true
  },
}

interface House {
  engine: Engine
  store: Store
  clock: ManualClock
  dir: string
  logged: string[]
  close(): Promise<void>
}

async function open(
  options: { dir?: string; clock?: ManualClock; tell?: Performer; commands?: Command<never, unknown>[] } = {},
): Promise<House> {
  const dir = options.dir ?? (await mkdtemp(join(tmpdir(), 'parley-')))
  const clock = options.clock ?? manualClock()
  const logged: string[] = []
  const { log } = openLog({ to: { write: (line) => logged.push(line) } })
  const store = await openStore({ dir, shards: 16 })
  let ids = 0
  const engine = openShards({
    store,
    commands: (options.commands ?? [note]) as Command<never, unknown>[],
    performers: () => ({ tell: options.tell ?? (async () => {}) }),
    clock,
    newCommandId: () => `cmd-${ids++}`,
    log,
  })
  return {
    engine,
    store,
    clock,
    dir,
    logged,
    async close() {
      await engine.stop()
      await store.close()
    },
  }
}

t.test('Commands of an owner are decided one after another in the order they were asked', async (t) => {
  const house = await open()
  t.teardown(() => house.close())
  const answers = await Promise.all(
    Array.from({ length: 500 }, () => house.engine.ask('a', add, { owner: 'a', by: 1 })),
  )
  t.same(
    answers,
    Array.from({ length: 500 }, (_, index) => index + 1),
  )
  t.equal(house.engine.view('a').get(counters, ['a']), 500)
})

t.test(
  'A command that throws or refuses leaves no trace, and its neighbours in the same commit are not touched',
  async (t) => {
    const performed: unknown[] = []
    const house = await open({ tell: async (word) => void performed.push(word) })
    t.teardown(() => house.close())
    house.engine.start()
    const [one, thrown, refused, two] = await Promise.allSettled([
      house.engine.ask('a', add, { owner: 'a', by: 1 }),
      house.engine.ask('a', poison, { owner: 'a', how: 'throw' }),
      house.engine.ask('a', poison, { owner: 'a', how: 'refuse' }),
      house.engine.ask('a', add, { owner: 'a', by: 1 }),
    ])
    t.match([one, two], [{ value: 1 }, { value: 2 }])
    t.match(thrown, { status: 'rejected', reason: { message: 'a bug' } })
    t.match(refused, { value: { refused: 'resource.not_found' } })
    await house.clock.advance(1_000)
    t.same(performed, [])
    t.equal(house.store.get(notes, ['a', 'never']), undefined)
  },
)

t.test('A command that writes what cannot be stored fails alone', async (t) => {
  const house = await open()
  t.teardown(() => house.close())
  const unstorable: Command<null, true> = {
    name: 'test.unstorable',
    decide(tx) {
      tx.put(notes, ['a', 'x'.repeat(5_000)], 'a key that is too long')
      return true
    },
  }
  const [one, bad, two] = await Promise.allSettled([
    house.engine.ask('a', add, { owner: 'a', by: 1 }),
    house.engine.ask('a', unstorable, null),
    house.engine.ask('a', add, { owner: 'a', by: 1 }),
  ])
  t.match([one, two], [{ value: 1 }, { value: 2 }])
  t.equal(bad.status, 'rejected')
  t.equal(house.store.failure(), undefined)
})

t.test('A second ask under the same id returns the first answer and changes nothing, for a day', async (t) => {
  const performed: unknown[] = []
  const house = await open({ tell: async (word) => void performed.push(word) })
  t.teardown(() => house.close())
  const ask = () => house.engine.ask('a', tell, { owner: 'a', words: ['hello'] }, { id: 'once' })
  const together = await Promise.all([ask(), ask(), ask()])
  t.equal(new Set(together).size, 1)
  t.match(together[0], /^id_[0-9a-z]{26}$/)
  await settle()
  t.same(performed, ['hello'])
  await house.clock.advance(shard.rememberedCommandMs - 1)
  await ask()
  await settle()
  t.equal(performed.length, 1)
  await house.clock.advance(2)
  await house.engine.ask('a', add, { owner: 'a', by: 1 })
  await ask()
  await settle()
  t.equal(performed.length, 2, 'after a day the id is forgotten')
})

t.test('An effect is performed after its commit, again until it succeeds, always under the same id', async (t) => {
  const seen: string[] = []
  let failures = 3
  const house = await open({
    tell: async (word, id) => {
      seen.push(`${word} ${id} ${house.store.get(notes, ['a', 'told'])}`)
      if (failures-- > 0) throw new Error('not now')
    },
  })
  t.teardown(() => house.close())
  await house.engine.ask('a', tell, { owner: 'a', words: ['hello'] })
  await settle()
  await house.clock.advance(60_000)
  await until(() => seen.length >= 4, house.clock)
  t.same(seen, Array(4).fill('hello a:cmd-0:0 hello'))
  await house.clock.advance(600_000)
  t.equal(seen.length, 4, 'and no more once it is done')
})

t.test('What an earlier process still owed is performed by the next', async (t) => {
  const never = new Promise<void>(() => {})
  const first = await open({ tell: () => never })
  await first.engine.ask('a', tell, { owner: 'a', words: ['one', 'two'] })
  await first.store.close()
  const performed: unknown[] = []
  const second = await open({ dir: first.dir, tell: async (word, id) => void performed.push([word, id]) })
  t.teardown(() => second.close())
  t.same(performed, [])
  second.engine.start()
  await settle()
  t.same(performed, [
    ['one', 'a:cmd-0:0'],
    ['two', 'a:cmd-0:1'],
  ])
})

t.test('A timer fires at its time and not before, survives a restart, can be moved and taken back', async (t) => {
  const first = await open()
  first.engine.start()
  const ask = (engine: Engine, name: string, inMs: number) => engine.ask('a', later, { owner: 'a', note: name, inMs })
  await ask(first.engine, 'kept', 10_000)
  await ask(first.engine, 'moved', 1_000)
  await ask(first.engine, 'moved', 20_000)
  await ask(first.engine, 'gone', 3_000)
  await ask(first.engine, 'gone', -1)
  const at = (house: House, name: string) => house.store.get(notes, ['a', name])
  const began = first.clock.now()
  await first.clock.advance(9_999)
  t.same(
    ['kept', 'moved', 'gone'].map((name) => at(first, name)),
    [undefined, undefined, undefined],
  )
  await first.close()

  const second = await open({ dir: first.dir, clock: manualClock(began + 15_000) })
  t.teardown(() => second.close())
  second.engine.start()
  await until(() => at(second, 'kept') !== undefined, second.clock)
  t.equal(at(second, 'kept'), String(began + 15_000), 'what fell due while nobody ran fires at the start')
  await second.clock.advance(5_000)
  await until(() => at(second, 'moved') !== undefined, second.clock)
  t.equal(at(second, 'moved'), String(began + 20_000))
  t.equal(at(second, 'gone'), undefined)
})

t.test('A thousand timers that fall due together all fire, once each', async (t) => {
  let fired = 0
  const count: Command<{ owner: string; note: string }, true> = {
    name: 'test.note',
    decide() {
      fired++
      return true
    },
  }
  const house = await open({ commands: [count as Command<never, unknown>] })
  t.teardown(() => house.close())
  house.engine.start()
  await Promise.all(
    Array.from({ length: 1_200 }, (_, index) =>
      house.engine.ask('a', later, { owner: 'a', note: `n${index}`, inMs: 5 }),
    ),
  )
  await house.clock.advance(100)
  await until(() => fired >= 1_200, house.clock)
  t.equal(fired, 1_200)
  await house.clock.advance(10_000)
  t.equal(fired, 1_200)
})

t.test(
  'A timer whose command fails is dropped and said so; one of an unknown command is kept for a version that knows it',
  async (t) => {
    const broken: Command<unknown, never> = {
      name: 'test.note',
      decide() {
        throw new Error('a bug')
      },
    }
    const house = await open({ commands: [broken as Command<never, unknown>] })
    house.engine.start()
    await house.engine.ask('a', later, { owner: 'a', note: 'x', inMs: 1 })
    await house.clock.advance(10_000)
    await until(() => house.logged.some((line) => line.includes('shard.command.failed')), house.clock)
    t.equal(house.logged.filter((line) => line.includes('shard.command.failed')).length, 1)
    await house.close()

    const without = await open({ dir: house.dir, clock: house.clock, commands: [] })
    without.engine.start()
    await without.engine.ask('a', later, { owner: 'a', note: 'y', inMs: 1 })
    await without.clock.advance(10)
    await until(() => without.logged.some((line) => line.includes('shard.timer.unknown')), without.clock)
    t.ok(without.logged.some((line) => line.includes('shard.timer.unknown')))
    await without.close()
    const again = await open({ dir: house.dir, clock: house.clock })
    t.teardown(() => again.close())
    again.engine.start()
    await again.clock.advance(shard.effectRetryMaxMs)
    await until(() => again.store.get(notes, ['a', 'y']) !== undefined, again.clock)
    t.ok(again.store.get(notes, ['a', 'y']))
  },
)

t.test('A full mailbox refuses at once with Retry-After and keeps what it took', async (t) => {
  const house = await open()
  t.teardown(() => house.close())
  const asked = Array.from({ length: shard.mailboxCommands + 50 }, () =>
    house.engine.ask('a', add, { owner: 'a', by: 1 }),
  )
  const answers = await Promise.all(asked)
  const refused = answers.filter(isRefusal)
  t.equal(refused.length, 50)
  t.match(refused[0], { refused: 'service.unavailable', headers: { 'retry-after': '1' } })
  t.equal(house.store.get(counters, ['a']), shard.mailboxCommands)
})

t.test('Whoever watches a table hears of a change before the one who made it is answered', async (t) => {
  const house = await open()
  t.teardown(() => house.close())
  const heard: unknown[] = []
  house.engine.watch(counters, (key, value) => heard.push([key, value]))
  await house.engine.ask('a', add, { owner: 'a', by: 5 })
  t.same(heard, [[['a'], 5]])
})

t.test('A layer reads as if its writes were in the store already, for any writes and any range', async (t) => {
  const dir = await mkdtemp(join(tmpdir(), 'parley-'))
  const store = await openStore({ dir, shards: 16 })
  t.teardown(async () => {
    await store.close()
    await rm(dir, { recursive: true, force: true })
  })
  const rows = table<Key, number>('test.rows')
  const key = fc.array(fc.oneof(fc.integer({ min: -3, max: 3 }), fc.constantFrom('', 'a', 'ab', 'b', 'é', '😀')), {
    minLength: 1,
    maxLength: 3,
  })
  const write = fc.record({ key, value: fc.option(fc.integer(), { nil: undefined }) })
  const range = fc.record(
    {
      prefix: fc.array(fc.constantFrom('a', 1), { maxLength: 1 }),
      after: key,
      before: key,
      reverse: fc.boolean(),
      limit: fc.integer({ min: 0, max: 6 }),
    },
    { requiredKeys: [] },
  )
  let round = 0
  await fc.assert(
    fc.asyncProperty(fc.array(write), fc.array(write), range, async (stored, layered, options) => {
      const own = table<Key, number>(`${rows.name}.${round++}`)
      await store.commit(stored.map((each) => ({ table: own as never, ...each })))
      const layer = layerOver(store)
      const model = new Map<string, { key: Key; value: number }>()
      for (const each of [...stored, ...layered]) {
        if (each.value === undefined) model.delete(JSON.stringify(each.key))
        else model.set(JSON.stringify(each.key), { key: each.key, value: each.value })
      }
      for (const each of layered)
        each.value === undefined ? layer.remove(own, each.key) : layer.put(own, each.key, each.value)
      const asked = { ...options, before: options.reverse ? undefined : options.before } as RangeOptions
      const expected = [...model.values()]
        .sort((a, b) => compareKeys(a.key, b.key) * (asked.reverse ? -1 : 1))
        .filter(({ key }) => (asked.prefix ?? []).every((part, at) => key[at] === part))
        .filter(({ key }) => !asked.after || compareKeys(key, asked.after) * (asked.reverse ? -1 : 1) > 0)
        .filter(({ key }) => !asked.before || compareKeys(key, asked.before) < 0)
        .slice(0, asked.limit)
      return JSON.stringify([...layer.range(own, asked)]) === JSON.stringify(expected)
    }),
    { numRuns: 150 },
  )
})
