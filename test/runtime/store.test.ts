/** What the store promises its callers: keys and order, records and versions, commits, and what a bad disk does. */
import { type SpawnSyncOptionsWithStringEncoding, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setImmediate } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import t, { type Test } from 'tap'
import { decodePlain, decodeRecord, encodePlain, encodeRecord } from '../../runtime/store/codec.js'
import { type Commit, groupCommits } from '../../runtime/store/commits.js'
import {
  type Change,
  type Key,
  type RangeOptions,
  type Row,
  type Store,
  StoreFailed,
  table,
} from '../../runtime/store/contract.js'
import { dataFileName } from '../../runtime/store/directory.js'
import { store as limits } from '../../runtime/store/limits.js'
import { openStore } from '../../runtime/store/lmdb.js'
import { anyKey, anyRecord, beginsWith, compareKeys } from './store/generated.js'
import { commit, left, right } from './store/tables.js'

const child = fileURLToPath(new URL('./store/child.js', import.meta.url))
const scratchDir = mkdtempSync(join(tmpdir(), 'parley-store-'))
let made = 0
const newDir = () => join(scratchDir, String(++made))
const store = await openStore({ dir: newDir(), shards: 16 })
const space = store.space(5)
t.teardown(async () => {
  await store.close()
  rmSync(scratchDir, { recursive: true, force: true })
})

/** Each run of a property has a table of its own, so that runs do not see each other's rows. */
let tables = 0
const newTable = () => table<Key, unknown>(`table-${++tables}`)

t.test('A range gives exactly the requested rows, in key order', async (t) => {
  const anyOptions: fc.Arbitrary<RangeOptions> = fc
    .record(
      {
        prefix: anyKey.map((key) => key.slice(0, 2)),
        after: anyKey,
        before: anyKey,
        reverse: fc.boolean(),
        limit: fc.integer({ min: 0, max: 5 }),
      },
      { requiredKeys: [] },
    )
    .map(({ before, ...rest }) => (rest.reverse || !before ? rest : { ...rest, before }))
  const run = fc.tuple(
    fc.array(anyKey, { maxLength: 30 }),
    fc.array(anyOptions, { minLength: 1, maxLength: 8 }),
    fc.nat(),
  )
  await fc.assert(
    fc.asyncProperty(run, async ([keys, queries, seed]) => {
      const of = newTable()
      await commit(
        space,
        keys.map((key) => ({ table: of, key, value: key })),
      )
      const sorted = keys.toSorted(compareKeys).filter((key, i, all) => i === 0 || compareKeys(key, all[i - 1]!) !== 0)
      // Bounds that fall on rows, and prefixes of rows, are where a range is most easily one off.
      const real = sorted[seed % sorted.length] ?? []
      for (const options of [
        ...queries,
        { prefix: real.slice(0, 1) },
        { after: real },
        { after: real, reverse: true },
      ]) {
        const rows = [...space.range(of, options)]
        const expected = modelRange(sorted, options)
        if (
          !isDeepStrictEqual(
            rows,
            expected.map((key) => ({ key, value: key })),
          )
        ) {
          throw new Error(`${JSON.stringify(options)} gave ${JSON.stringify(rows)}, not ${JSON.stringify(expected)}`)
        }
      }
      for (const key of sorted)
        if (!isDeepStrictEqual(space.get(of, key), key)) throw new Error(`no ${JSON.stringify(key)}`)
    }),
    { numRuns: 200 },
  )
  t.pass()
})

function modelRange(sorted: readonly Key[], { prefix = [], after, before, reverse, limit }: RangeOptions): Key[] {
  return (reverse ? sorted.toReversed() : sorted)
    .filter((key) => beginsWith(key, prefix))
    .filter((key) => !after || (reverse ? compareKeys(key, after) < 0 : compareKeys(key, after) > 0))
    .filter((key) => !before || compareKeys(key, before) < 0)
    .slice(0, limit)
}

t.test('A range longer than one read batch misses no row, from either end and with any limit', async (t) => {
  const of = newTable()
  const count = limits.rowsPerSlice * 3
  await commit(
    space,
    Array.from({ length: count }, (_, n) => ({ table: of, key: ['x', n], value: n })),
  )
  await commit(space, [
    { table: of, key: ['w'], value: -1 },
    { table: of, key: ['y'], value: -1 },
  ])
  const all = Array.from({ length: count }, (_, n) => n)
  const values = (options: RangeOptions) => Array.from(space.range(of, options), (row) => row.value)
  t.same(values({ prefix: ['x'] }), all)
  t.same(values({ prefix: ['x'], reverse: true }), all.toReversed())
  for (const limit of [1, limits.rowsPerSlice - 1, limits.rowsPerSlice, limits.rowsPerSlice + 1, count, count + 1]) {
    t.same(values({ prefix: ['x'], limit }), all.slice(0, limit), `${limit} rows`)
    t.same(values({ prefix: ['x'], limit, reverse: true }), all.toReversed().slice(0, limit), `the last ${limit} rows`)
  }
  const twice = space.range(of, { prefix: ['x'], limit: 2 })
  t.same([...twice, ...twice].length, 4, 'a range can be walked again')
})

t.test('A table never shows rows of another, for any two names', async (t) => {
  const names = ['', 'a', 'a\0', 'ab', '\xff', 'a\xff', '_store']
  await commit(
    space,
    names.map((name) => ({ table: table<Key, unknown>(name), key: ['k'], value: name })),
  )
  for (const name of names) {
    const rows = [...space.range(table<Key, unknown>(name), { prefix: ['k'] })]
    t.same(rows, [{ key: ['k'], value: name }], JSON.stringify(name))
  }
})

t.test('A space shows nothing of another, and is the same one on each request', async (t) => {
  const of = newTable()
  const spaces = [store.own, store.space(0), store.space(1), store.space(15)]
  await Promise.all(spaces.map((one, n) => commit(one, [{ table: of, key: ['k'], value: n }])))
  await commit(spaces[1]!, [{ table: of, key: ['only'], value: 1 }])
  for (const [n, one] of spaces.entries()) {
    const own = n === 1 ? [{ key: ['only'], value: 1 }] : []
    t.same([...one.range(of)], [{ key: ['k'], value: n }, ...own])
    t.same([...one.range(of, { reverse: true })], [...own, { key: ['k'], value: n }])
    t.equal(one.get(of, ['only']), n === 1 ? 1 : undefined)
  }
  await commit(spaces[2]!, [{ table: of, key: ['k'] }])
  t.same(
    spaces.map((one) => one.get(of, ['k'])),
    [0, 1, undefined, 3],
  )
  t.equal(store.space(1), store.space(1))
  for (const none of [-1, 16, 0.5, Number.NaN]) t.throws(() => store.space(none), /there is no shard/)
})

t.test('The rows of a space are complete, in order, and recreate the space elsewhere', async (t) => {
  const copies = await openStore({ dir: newDir(), shards: 4_096 })
  const anyRows = fc.array(fc.tuple(fc.constantFrom('a', 'b', '\0', '\uffff'), anyKey, anyRecord), { maxLength: 40 })
  let shard = 0
  await fc.assert(
    fc.asyncProperty(anyRows, fc.integer({ min: 1, max: 9 }), async (rows, step) => {
      const from = copies.space(shard++)
      const to = copies.space(4_095 - shard)
      const tables = new Map(['a', 'b', '\0', '\uffff'].map((name) => [name, table<Key, unknown>(name)]))
      const written = rows.filter(([, , value]) => value !== undefined)
      await commit(
        from,
        written.map(([name, key, value]) => ({ table: tables.get(name)!, key, value })),
      )
      const seen: Change[] = []
      for (let part = from.rows(undefined, step); part.length > 0; part = from.rows(seen.at(-1)!.key, step)) {
        if (part.length > step) throw new Error(`asked for ${step} rows and got ${part.length}`)
        seen.push(...part)
        await to.commit(part)
      }
      for (let n = 1; n < seen.length; n++) {
        if (Buffer.compare(seen[n - 1]!.key, seen[n]!.key) >= 0) throw new Error('rows are out of order')
      }
      let count = 0
      for (const of of tables.values()) {
        const expected = [...from.range(of)]
        count += expected.length
        if (!isDeepStrictEqual([...to.range(of)], expected)) throw new Error(`table ${of.name} differs`)
      }
      return count === seen.length && isDeepStrictEqual(to.rows(undefined, 1_000), seen)
    }),
    { numRuns: 100 },
  )
  t.same(copies.space(2_000).rows(undefined, 10), [], 'an unwritten space has no rows')
  await copies.close()
})

t.test('An invalid request is refused at once, and no part of its call is applied', async (t) => {
  const of = newTable()
  const long = 'x'.repeat(limits.keyBytes)
  const bugs: [string, () => unknown][] = [
    [
      'a key too long',
      () =>
        commit(space, [
          { table: of, key: ['ok'], value: 1 },
          { table: of, key: [long], value: 1 },
        ]),
    ],
    ['a key too long once its characters are bytes', () => space.get(of, ['é'.repeat(limits.keyBytes / 2)])],
    ['NaN in a key', () => space.get(of, [Number.NaN])],
    ['a key part that is neither', () => space.get(of, [true as never])],
    ['a function', () => commit(space, [{ table: of, key: ['ok'], value: { run: () => 1 } }])],
    ['a class instance', () => commit(space, [{ table: of, key: ['ok'], value: [new Date(0)] }])],
    ['a bigint', () => commit(space, [{ table: of, key: ['ok'], value: 1n }])],
    ['a record without end', () => commit(space, [{ table: of, key: ['ok'], value: endless() }])],
    ['a backward range with an end', () => space.range(of, { reverse: true, before: ['a'] })],
    ['a limit below zero', () => space.range(of, { limit: -1 })],
  ]
  for (const [what, ask] of bugs) t.throws(ask, { name: 'Error' }, what)
  const notStored = new RegExp(`of table ${of.name} `)
  t.throws(() => space.encode([{ table: of, key: [long] }]), notStored, 'the table is named')
  t.throws(() => space.encode([{ table: of, key: ['ok'], value: () => 1 }]), notStored)
  const name = of.name.length + 2
  const longest = ['x'.repeat(limits.keyBytes - name - 2)]
  await commit(space, [{ table: of, key: longest, value: 1 }])
  t.same([...space.range(of, { after: [] })], [{ key: longest, value: 1 }], 'only the key that just fits is there')
  t.equal(space.get(of, longest), 1)
  t.throws(() => space.get(of, [`${longest[0]}x`]), /longer than/)
})

function endless(): object {
  const loop: Record<string, unknown> = {}
  loop.loop = loop
  return loop
}

t.test('A record reads back exactly as it was written', (t) => {
  const of = table('records')
  fc.assert(
    fc.property(anyRecord, (value) => {
      const bytes = encodeRecord(of, value)
      // Given as lmdb gives it: the record at the start of memory that goes on and is then used for something else.
      const lent = Buffer.concat([bytes, Buffer.alloc(50, 0xa5)])
      Object.defineProperty(lent, 'length', { value: bytes.length })
      const read = decodeRecord(of, lent)
      Uint8Array.prototype.fill.call(lent, 0x5a)
      return isDeepStrictEqual(read, value)
    }),
    { numRuns: 500 },
  )
  const read = decodeRecord(of, encodeRecord(of, JSON.parse('{"__proto__":{"polluted":true}}'))) as object
  t.equal((read as { polluted?: unknown }).polluted, undefined)
  t.equal(({} as { polluted?: unknown }).polluted, undefined)
  t.same(Object.keys(read), ['__proto__'])
  t.throws(
    () => decodeRecord(of, Buffer.from([0x93, 1, 2])),
    /table records/,
    'bytes that are no record name their table',
  )
  fc.assert(fc.property(anyRecord, (value) => isDeepStrictEqual(decodePlain(encodePlain(value)), value)))
  t.throws(() => encodePlain(new Map()), /a message holds a Map/)
  t.throws(() => decodePlain(Buffer.from([1])), /a message cannot be read/)
  t.end()
})

t.test('An older record is upgraded step by step on read, and a newer one is refused by name', async (t) => {
  const first = table<[string], { name: string }>('people')
  await commit(space, [{ table: first, key: ['p'], value: { name: 'Ada Lovelace' } }])
  const third = table<[string], { given: string; family: string; seen: number }>('people', 3, {
    1: (old: { name: string }) => ({ given: old.name.split(' ')[0], family: old.name.split(' ')[1] }),
    2: (old: { given: string; family: string }) => ({ ...old, seen: 0 }),
  })
  const upgraded = { given: 'Ada', family: 'Lovelace', seen: 0 }
  t.same(space.get(third, ['p']), upgraded)
  t.same([...space.range(third)], [{ key: ['p'], value: upgraded }])
  t.same(space.get(first, ['p']), { name: 'Ada Lovelace' }, 'reading changed nothing')
  await commit(space, [{ table: third, key: ['p'], value: upgraded }])
  t.throws(() => space.get(first, ['p']), /table people has version 3.*only up to 1/)
  t.throws(() => table('gap', 3, { 1: (old) => old }), /no upgrade from version 2/)
})

t.test('Commits leave the same rows as a map with the same writes, even after reopening', async (t) => {
  const dir = newDir()
  let mine = await openStore({ dir, shards: 16 })
  const anyWrite = fc.record({ key: anyKey, value: fc.option(anyRecord, { nil: undefined }) })
  const few = fc.array(anyWrite, { minLength: 1, maxLength: 4 })
  const anyCommits = few.chain((writes) => {
    // Drawn from few keys, so that commits overwrite and remove what others wrote.
    const anyOverwrite = fc.tuple(fc.constantFrom(...writes), anyRecord).map(([{ key }, value]) => ({ key, value }))
    return fc.array(fc.array(fc.oneof(fc.constantFrom(...writes), anyOverwrite), { maxLength: 5 }), { maxLength: 6 })
  })
  await fc.assert(
    fc.asyncProperty(anyCommits, fc.boolean(), async (commits, reopen) => {
      const of = newTable()
      await Promise.all(
        commits.map((writes) =>
          commit(
            mine.space(0),
            writes.map((write) => ({ table: of, ...write })),
          ),
        ),
      )
      const model = new Map<string, Row<Key, unknown>>()
      for (const { key, value } of commits.flat()) {
        if (value === undefined) model.delete(spellKey(key))
        else model.set(spellKey(key), { key, value })
      }
      if (reopen) {
        await mine.close()
        mine = await openStore({ dir, shards: 16 })
      }
      const expected = [...model.values()].toSorted((a, b) => compareKeys(a.key, b.key))
      return isDeepStrictEqual([...mine.space(0).range(of)], expected)
    }),
    { numRuns: 60 },
  )
  await mine.close()
  t.pass()
})

const spellKey = (key: Key) => key.map((part) => `${typeof part} ${String(part).length} ${part}`).join()

t.test('Commits resolve in the order of the calls, each once its writes can be read', async (t) => {
  const of = newTable()
  const order: number[] = []
  const commits = Array.from({ length: 50 }, async (_, n) => {
    const value = { n }
    const committed = commit(space, [
      { table: of, key: ['last'], value },
      { table: of, key: [n], value },
    ])
    value.n = -1
    await committed
    order.push(n)
    t.same(space.get(of, [n]), { n }, 'as it was at the call')
  })
  t.equal(space.get(of, ['last']), undefined, 'no write is visible before it is durable')
  await Promise.all(commits)
  t.same(
    order,
    Array.from({ length: 50 }, (_, n) => n),
  )
  t.same(space.get(of, ['last']), { n: 49 })
  await commit(space, [])
})

/** A disk that writes when it is told to, to see what is sent to it together. */
function slowDisk() {
  const groups: { commits: readonly Commit[]; written: () => void; broken: (cause: Error) => void }[] = []
  const disk = {
    refusals: [] as Error[],
    write: (commits: readonly Commit[]) =>
      new Promise<void>((written, broken) => groups.push({ commits, written, broken })),
    refusal: () => disk.refusals.shift(),
    errorFrom: (cause: unknown) => new StoreFailed('failed', { cause }),
  }
  const change = (n: number): Change => ({ key: Buffer.from([n]), value: undefined })
  const changesOf = (group: number) => groups[group]!.commits.flatMap(({ changes }) => changes)
  const keysOf = (group: number) => changesOf(group).map(({ key }) => key[0])
  const commits = groupCommits(disk)
  const add = (space: number, ...changes: Change[]): Promise<void> => {
    const { done, flush } = commits.add(space, { collect: () => changes, onCommitted() {} })
    flush()
    return done
  }
  return { disk, commits, add, groups, change, changesOf, keysOf }
}

t.test('Commits made while a group is being written go together in the next group, in order', async (t) => {
  const { commits, add, groups, change, changesOf, keysOf } = slowDisk()
  const done: number[] = []
  const two = (n: number) => add(n, change(n), change(n + 100)).then(() => done.push(n))
  const first = [two(1), two(2)]
  await setImmediate()
  const second = [two(3), two(4), two(5)]
  await setImmediate()
  t.equal(groups.length, 1, 'one group at a time')
  t.same(keysOf(0), [1, 101, 2, 102])
  let idle = false
  const idled = commits.waitUntilIdle().then(() => {
    idle = true
  })
  groups[0]!.written()
  await Promise.all(first)
  await setImmediate()
  t.same([done, keysOf(1), idle], [[1, 2], [3, 103, 4, 104, 5, 105], false])
  groups[1]!.written()
  await Promise.all([...second, idled])
  t.same(done, [1, 2, 3, 4, 5])

  const whole = Array.from({ length: limits.writesPerGroup + 1 }, () => change(6))
  const third = [add(0, ...whole), two(7)]
  await setImmediate()
  t.equal(changesOf(2).length, whole.length, 'a large commit goes whole and alone')
  groups[2]!.written()
  await third[0]
  await setImmediate()
  groups[3]!.written()
  await Promise.all(third)
})

t.test(
  'The next group is being written before the callers of the last one continue, so the disk never idles',
  async (t) => {
    const { commits, add, groups, change } = slowDisk()
    const first = add(0, change(1)).then(() => groups.length)
    await setImmediate()
    const second = add(1, change(2))
    groups[0]!.written()
    t.equal(await first, 2)
    groups[1]!.written()
    await second
    await commits.waitUntilIdle()
  },
)

t.test('Commits that wait behind a failed or refused one fail with it', async (t) => {
  const { disk, commits, add, groups, change } = slowDisk()
  disk.refusals.push(new StoreFailed('no room'))
  const refused = await Promise.allSettled([add(0, change(1)), add(0, change(2))])
  for (const one of refused) t.match(one, { status: 'rejected', reason: { message: 'no room' } })
  t.equal(commits.failure(), undefined, 'a refusal is not the end')
  const onItsWay = add(0, change(3))
  await setImmediate()
  const waiting = add(0, change(4))
  groups[0]!.broken(new Error('bad sector'))
  const failed = await Promise.allSettled([onItsWay, waiting])
  for (const one of failed) t.match(one, { status: 'rejected', reason: { message: 'failed' } })
  await t.rejects(add(0, change(5)), { message: 'failed' })
  await setImmediate()
  t.equal(groups.length, 1, 'no more data is written')
  t.match(commits.failure(), { cause: { message: 'bad sector' } })
  await commits.waitUntilIdle()
})

t.test('A deferred commit accepts changes until it is written, together with others', async (t) => {
  const { commits, add, groups, change, keysOf } = slowDisk()
  const seen: string[] = []
  const addDeferred = (name: string, ...changes: Change[]) => {
    const commit = {
      collect() {
        seen.push(`${name} collected`)
        return changes
      },
      onCommitted: () => void seen.push(`${name} committed`),
    }
    const { done, flush } = commits.add(9, commit)
    return { changes, flush, done: done.then(() => seen.push(`${name} done`)) }
  }
  const alone = addDeferred('alone', change(1))
  await setImmediate()
  t.same([groups.length, seen], [0, []], 'it is not collected')
  const other = add(1, change(2))
  alone.changes.push(change(3))
  await setImmediate()
  t.same([keysOf(0), seen], [[1, 3, 2], ['alone collected']])

  const along = addDeferred('along', change(4))
  const waits = add(2, change(5))
  groups[0]!.written()
  await Promise.all([alone.done, other])
  t.same(
    seen,
    ['alone collected', 'alone committed', 'along collected', 'alone done'],
    'one is committed before another is collected',
  )
  t.same(keysOf(1), [4, 5])
  groups[1]!.written()
  await Promise.all([along.done, waits])

  const flushed = addDeferred('flushed', change(6))
  flushed.flush()
  flushed.changes.push(change(7))
  await setImmediate()
  flushed.flush()
  t.same(keysOf(2), [6, 7])
  const left = addDeferred('left', change(8))
  groups[2]!.written()
  await flushed.done
  await setImmediate()
  t.equal(groups.length, 3, 'one that is not flushed has no write of its own')
  const idled = commits.waitUntilIdle()
  await setImmediate()
  t.same(keysOf(3), [8], 'and is written before the end')
  groups[3]!.written()
  await Promise.all([left.done, idled])
})

t.test('A deferred commit whose changes cannot be collected fails alone', async (t) => {
  const { commits, add, groups, change, keysOf } = slowDisk()
  const collect = () => {
    throw new Error('odd')
  }
  const odd = commits.add(0, { collect, onCommitted: () => t.fail('it was not written') }).done
  const other = add(1, change(1))
  await t.rejects(odd, { message: 'odd' })
  t.same(keysOf(0), [1])
  groups[0]!.written()
  await other
})

t.test('A range abandoned at any row does not prevent reuse of its space', async (t) => {
  const dir = newDir()
  const mine = await openStore({ dir, shards: 16 })
  const of = table<Key, string>('big')
  const put = (n: number) => commit(mine.space(0), [{ table: of, key: [n % 2], value: String(n).padEnd(100_000) }])
  for (let n = 0; n < 4; n++) await put(n)
  for (const _ of mine.space(0).range(of)) break
  const abandoned = mine.space(0).range(of)[Symbol.iterator]()
  t.equal(abandoned.next().done, false)
  for (let n = 0; n < 100; n++) await put(n)
  t.ok(statSync(join(dir, dataFileName)).size < 3_000_000, 'a hundred records of 100 kB replaced each other')
  t.equal(abandoned.next().done, false, 'and the range goes on')
  await mine.close()
  t.throws(() => abandoned.next() && mine.space(0).get(of, [0]), /closed/)
  t.throws(() => mine.space(0).rows(undefined, 1), /closed/)
  await t.rejects(commit(mine.space(0), [{ table: of, key: [0] }]), { name: 'StoreFailed' })
})

t.test(
  'A nearly full disk refuses commits before they are tried, and accepts them again when it has space',
  async (t) => {
    let free: number = limits.freeDiskBytes
    const freeBytes = () => {
      if (Number.isNaN(free)) throw new Error('EIO')
      return free
    }
    const lines: string[] = []
    const log = { warn: (event: string) => lines.push(event), error: (event: string) => lines.push(event) }
    const mine = await openStore({ dir: newDir(), shards: 16, log, freeBytes })
    const of = table<Key, number>('numbers')
    const put = (n: number) => commit(mine.space(0), [{ table: of, key: [n], value: n }])
    await put(1)
    t.equal(mine.failure(), undefined)
    free--
    const refused = await Promise.allSettled([put(2), put(3)])
    for (const one of refused) t.ok(one.status === 'rejected' && one.reason instanceof StoreFailed)
    t.match(mine.failure()?.message, /has less than 64 MiB left/)
    t.same(
      Array.from(mine.space(0).range(of), (row) => row.value),
      [1],
      'existing data can still be read',
    )
    free++
    t.equal(mine.failure(), undefined)
    await put(4)
    t.same(
      Array.from(mine.space(0).range(of), (row) => row.value),
      [1, 4],
    )
    free = Number.NaN
    await t.rejects(
      put(5),
      { name: 'StoreFailed', message: /does not say how much room/ },
      'a disk whose free space is unknown',
    )
    free = limits.freeDiskBytes
    await put(6)
    t.same(lines, ['store.disk.low', 'store.disk.recovered', 'store.disk.low', 'store.disk.recovered'])
    await mine.close()
  },
)

/** lmdb speaks of its failures on stderr as well. */
const quietly: SpawnSyncOptionsWithStringEncoding = { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }

interface Pair {
  readonly writer: number
  readonly n: number
}

const pairsIn = (lines: readonly string[]): Pair[] =>
  lines
    .filter((line) => /^\d+ \d+$/.test(line))
    .map((line) => ({ writer: Number.parseInt(line, 10), n: Number(line.split(' ')[1]) }))

/** Everything acknowledged is there and whole; whatever else is there came in pairs too. */
async function checkPairs(t: Test, dir: string, acknowledged: readonly Pair[]): Promise<number> {
  const mine = await openStore({ dir, shards: 16 })
  const lefts = [...mine.space(0).range(left)]
  const missing = acknowledged.filter(({ writer, n }) => mine.space(0).get(left, [writer, n])?.n !== n)
  t.same(missing, [], `all ${acknowledged.length} acknowledged commits are there`)
  t.same(lefts, [...mine.space(0).range(right)], 'no commit is torn')
  await mine.close()
  return lefts.length
}

/** Kills a writer once it has acknowledged so many commits; answers with all that it did acknowledge. */
async function killAfter(t: Test, acks: number, dir: string, durability: string): Promise<Pair[]> {
  const args = [child, 'write', dir, 'Infinity', durability]
  const writer = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
  const lines: string[] = []
  for await (const line of createInterface(writer.stdout)) if (lines.push(line) === acks) writer.kill('SIGKILL')
  if (writer.signalCode === null) await once(writer, 'exit')
  t.equal(writer.signalCode, 'SIGKILL')
  return pairsIn(lines)
}

t.test('Acknowledged commits survive kill -9 of the process, round after round', async (t) => {
  const dir = newDir()
  const acknowledged: Pair[] = []
  for (const acks of [1, 50, 200, 400, 700]) {
    acknowledged.push(...(await killAfter(t, acks, dir, 'synced')))
    await checkPairs(t, dir, acknowledged)
  }
})

t.test('With write-behind, kill -9 leaves every commit up to some point and none after it', async (t) => {
  const dir = newDir()
  for (const acks of [1, 50, 200, 400, 700]) {
    const acknowledged = await killAfter(t, acks, dir, 'async')
    const mine = await openStore({ dir, shards: 16 })
    const isThere = ({ writer, n }: Pair) => mine.space(0).get(left, [writer, n]) !== undefined
    const lost = acknowledged.filter((pair) => !isThere(pair))
    t.same(lost, acknowledged.slice(acknowledged.length - lost.length), `the last ${lost.length} are lost`)
    t.same([...mine.space(0).range(left)], [...mine.space(0).range(right)], 'no commit is torn')
    await mine.close()
  }
})

t.test('Data with write-behind is complete after a kill, however it is opened', async (t) => {
  const dir = newDir()
  const killed = await killAfter(t, 300, dir, 'async')
  const image = newDir()
  cpSync(dir, image, { recursive: true, filter: (name) => !name.endsWith('.sock') })
  for (const durability of ['async', 'synced'] as const) {
    const readValues = newDir()
    cpSync(image, readValues, { recursive: true })
    const mine = await openStore({ dir: readValues, shards: 16, durability })
    const there = [...mine.space(0).range(left)]
    t.same(there, [...mine.space(0).range(right)], 'no commit is torn')
    t.ok(there.length <= killed.length + 8, 'and some of the last may be lost')
    await commit(mine.space(0), [{ table: left, key: [99, 1], value: { n: 1, text: '' } }])
    await mine.close()
    t.same(readdirSync(readValues).sort(), [dataFileName, `${dataFileName}-lock`], 'closed, it is like any other')
    const anyOverwrite = await openStore({ dir: readValues, shards: 16 })
    t.equal([...anyOverwrite.space(0).range(left)].length, there.length + 1)
    await anyOverwrite.close()
  }
  rmSync(join(image, dataFileName))
  const opening = openStore({ dir: image, shards: 16 })
  await t.rejects(opening, /is missing, and there was one/, 'files left beside lost data do not count as data')
})

t.test(
  'A store with write-behind accepts commits during a transaction, and grows beyond its reserved size',
  async (t) => {
    const dir = newDir()
    const settings = { dir, shards: 16, durability: 'async', mapBytes: 256 * 1024, writeBehindMs: 0 } as const
    const mine = await openStore(settings)
    const of = table<Key, string>('big')
    for (let n = 0; n < 200; n++)
      await commit(mine.space(0), [{ table: of, key: [n % 40], value: `${n}`.padEnd(50_000) }])
    const values = Array.from({ length: 40 }, (_, n) => `${n + 160}`)
    const readValues = (store: Store) => Array.from(store.space(0).range(of), (row) => row.value.trim())
    t.same(readValues(mine), values)
    await mine.close()
    const anyOverwrite = await openStore(settings)
    t.same(readValues(anyOverwrite), values, 'closed, everything is there')
    await anyOverwrite.close()
  },
)

for (const durability of ['synced', 'async']) {
  t.test(`A write that the system refuses fails every waiting and every later commit: ${durability}`, async (t) => {
    const dir = newDir()
    const write = [process.execPath, child, 'write', dir, 'Infinity', durability]
    const { stdout, status } = spawnSync('/bin/sh', ['-c', 'ulimit -f 4096; exec "$0" "$@"', ...write], quietly)
    t.equal(status, 0, 'the process goes on')
    checkFailure(t, stdout)
    // With write-behind the last may be lost with the process.
    await checkPairs(t, dir, durability === 'synced' ? pairsIn(stdout.split('\n')) : [])
  })
}

t.test('A full disk does the same', async (t) => {
  const dir = newDir()
  mkdirSync(dir)
  const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=6m', 'tmpfs', dir]).status === 0
  if (!mounted) return t.pass('a small disk', { skip: 'only root can mount one' })
  t.teardown(() => spawnSync('umount', [dir]))
  checkFailure(t, spawnSync(process.execPath, [child, 'write', dir], quietly).stdout)
  const refusing = await openStore({ dir, shards: 16 })
  t.ok(refusing.failure() instanceof StoreFailed, 'and by itself the store would have stopped long before')
  await t.rejects(commit(refusing.space(0), [{ table: left, key: [0, 0] }]), { name: 'StoreFailed' })
  await refusing.close()
})

function checkFailure(t: Test, stdout: string): void {
  const lines = stdout.trim().split('\n')
  const outcome = JSON.parse(lines.at(-2)!) as { failed: Error; later: Error; failure: Error; rows: number }
  t.match(outcome.failed, { name: 'StoreFailed', message: /failed: .*until the process is started again/ })
  t.same(outcome.later, outcome.failed)
  t.same(outcome.failure, outcome.failed)
  t.equal(outcome.rows, pairsIn(lines).length, 'readers see only acknowledged commits')
  t.equal(lines.at(-1), '"closed"')
}

t.test('An acknowledgement comes only after the data was synced to the disk', async (t) => {
  const trace = join(scratchDir, 'trace')
  const strace = ['-f', '-o', trace, '-e', 'trace=openat,fdatasync,pwrite64,write', process.execPath, child, 'write']
  const { error } = spawnSync('strace', [...strace, newDir(), '10'], { stdio: 'ignore' })
  if (error) return t.pass('system calls', { skip: 'strace is not installed' })
  const { acks, early } = acksInTrace(readFileSync(trace, 'utf8'))
  t.equal(acks, 80)
  t.same(early, [], 'each comes after a sync of the pages and a synced write of the head page that names them')
})

/** Walks a trace of system calls; an ack is early when pages were written since the head page was last made durable. */
function acksInTrace(trace: string): { acks: number; early: string[] } {
  const opened = new Map<string, 'pages' | 'head'>()
  const unfinished = new Map<string, string>()
  let state: 'durable' | 'written' | 'synced' = 'written'
  const early: string[] = []
  let acks = 0
  for (const line of trace.split('\n')) {
    const [, thread = '', text = ''] = /^(\d+) +(.*)$/.exec(line) ?? []
    if (text.endsWith('<unfinished ...>')) unfinished.set(thread, text)
    const call = text.startsWith('<...') ? `${unfinished.get(thread)} ${text}` : text
    const returned = / = (\d+)$/.exec(call)?.[1]
    const file = /^openat\(.*"[^"]*\/store\.mdb", ([A-Z_|]+)/.exec(call)
    if (file && returned) opened.set(returned, file[1]!.includes('O_DSYNC') ? 'head' : 'pages')
    const to = opened.get(/^pwrite64\((\d+),/.exec(call)?.[1] ?? '')
    if (to === 'pages') state = 'written'
    else if (to === 'head' && returned && state === 'synced') state = 'durable'
    else if (call.startsWith('fdatasync(') && returned === '0' && state === 'written') state = 'synced'
    else if (/^write\(1, "\d+ \d+\\n"/.test(call) && !text.startsWith('<...')) {
      acks++
      if (state !== 'durable') early.push(line)
    }
  }
  return { acks, early }
}
