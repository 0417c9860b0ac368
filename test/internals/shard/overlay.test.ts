/**
 * A layer over the state below: reads as if its writes were there already, and takes back those of one command alone.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import t from 'tap'
import { createOverlay, nameOf, orderBytes } from '../../../runtime/shard/overlay.js'
import { type Key, type RangeOptions, table } from '../../../runtime/store/contract.js'
import { openStore } from '../../../runtime/store/lmdb.js'
import { anyKey, beginsWith, compareKeys } from '../../runtime/store/generated.js'

const dir = mkdtempSync(join(tmpdir(), 'parley-layer-'))
const store = await openStore({ dir, shards: 1 })
const space = store.space(0)
t.teardown(async () => {
  await store.close()
  rmSync(dir, { recursive: true, force: true })
})

let tables = 0
const newTable = () => table<Key, number>(`table-${++tables}`)

/** Few keys, so that writes meet each other, and among them those that are most easily taken for one another. */
const fewPart = fc.oneof(
  fc.integer({ min: -2, max: 2 }),
  fc.constantFrom('', 'a', 'ab', 'b', 'é', '😀', 'null', '0'),
  fc.constantFrom('\0', 'a\0', '\ud800', '\udc00', '\uffff', Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, 0.5),
)
const fewKey: fc.Arbitrary<Key> = fc.oneof(
  { weight: 6, arbitrary: fc.array(fewPart, { maxLength: 2 }) },
  { weight: 1, arbitrary: anyKey },
)
/** As the keys of a table are: all of one length. */
const pairKey: fc.Arbitrary<Key> = fc.tuple(fewPart, fewPart)
const writeOf = (key: fc.Arbitrary<Key>) => fc.record({ key, value: fc.option(fc.integer(), { nil: undefined }) })
type Write = { key: Key; value: number | undefined }
const anyRange: fc.Arbitrary<RangeOptions> = fc
  .record(
    {
      prefix: fewKey.map((key) => key.slice(0, 1)),
      after: fewKey,
      before: fewKey,
      reverse: fc.boolean(),
      limit: fc.integer({ min: 0, max: 6 }),
    },
    { requiredKeys: [] },
  )
  .map(({ before, ...rest }) => (rest.reverse || !before ? rest : { ...rest, before }))

/** Rows in order, as a plain list: what a layer and the state below it come to. */
function modelOf(writes: readonly Write[]): { key: Key; value: number }[] {
  let rows: { key: Key; value: number }[] = []
  for (const { key, value } of writes) {
    rows = rows.filter((row) => compareKeys(row.key, key) !== 0)
    if (value !== undefined) rows.push({ key, value })
  }
  return rows.sort((a, b) => compareKeys(a.key, b.key))
}

function rangeOf(
  rows: readonly { key: Key; value: number }[],
  { prefix = [], after, before, reverse, limit }: RangeOptions,
) {
  const direction = reverse ? -1 : 1
  return rows
    .toSorted((a, b) => direction * compareKeys(a.key, b.key))
    .filter(({ key }) => beginsWith(key, prefix))
    .filter(({ key }) => !after || direction * compareKeys(key, after) > 0)
    .filter(({ key }) => !before || compareKeys(key, before) < 0)
    .slice(0, limit)
}

function mustEqual(actual: unknown, expected: unknown, what: string): void {
  if (!isDeepStrictEqual(actual, expected)) throw new Error(`${what} gave ${show(actual)}, not ${show(expected)}`)
}
const show = (value: unknown) =>
  JSON.stringify(value, (_, part) => (Math.abs(part) === Number.POSITIVE_INFINITY ? String(part) : part))

t.test('No two keys have one name, of one table or of two', async (t) => {
  const tableName = fc.constantFrom('a', 'a1', 'a11', 'a1:a', 'a#1;')
  fc.assert(
    fc.property(tableName, fewKey, tableName, fewKey, (one, a, other, b) => {
      const isSame = one === other && compareKeys(a, b) === 0
      mustEqual(nameOf({ name: one }, a) === nameOf({ name: other }, b), isSame, `naming ${show(a)} and ${show(b)}`)
    }),
    { numRuns: 5_000 },
  )
  t.equal(nameOf({ name: 'a' }, ['b']), nameOf({ name: 'a' }, ['b']))
  t.throws(() => table('a b'), /space/)
})

t.test('A layer orders keys as the store does', async (t) => {
  fc.assert(
    fc.property(fewKey, fewKey, (a, b) => {
      mustEqual(
        Buffer.compare(orderBytes(a), orderBytes(b)),
        Math.sign(compareKeys(a, b)),
        `comparing ${show(a)} and ${show(b)}`,
      )
    }),
    { numRuns: 2_000 },
  )
  t.pass('for any two keys')
})

for (const [what, anyWrite] of [
  ['of any length', writeOf(fewKey)],
  ['of one length', writeOf(pairKey)],
] as const) {
  t.test(
    `A layer of keys ${what} reads as if its writes were in the store already, and forgets what is undone`,
    async (t) => {
      const step = fc.oneof(
        { weight: 6, arbitrary: anyWrite.map((write) => ({ write })) },
        { weight: 2, arbitrary: fc.constant({ end: 'commit' as const }) },
        { weight: 1, arbitrary: fc.constant({ end: 'rollback' as const }) },
        { weight: 3, arbitrary: anyRange.map((range) => ({ range })) },
      )
      await fc.assert(
        fc.asyncProperty(
          fc.array(anyWrite, { maxLength: 12 }),
          fc.array(step, { maxLength: 30 }),
          async (below, steps) => {
            const of = newTable()
            await space.commit(space.encode(below.map(({ key, value }) => ({ table: of as never, key, value }))))
            const layer = createOverlay(space)
            let [older, fresh]: [Write[], Write[]] = [[...below], []]
            for (const each of steps) {
              if ('write' in each) {
                const { key, value } = each.write
                fresh.push(each.write)
                if (value === undefined) layer.remove(of, key)
                else layer.put(of, key, value)
              } else if ('end' in each) {
                layer[each.end]()
                if (each.end === 'commit') older = [...older, ...fresh]
                fresh = []
              } else {
                const rows = modelOf([...older, ...fresh])
                mustEqual([...layer.range(of, each.range)], rangeOf(rows, each.range), `the range ${show(each.range)}`)
                for (const { key } of [...below, ...older, ...fresh]) {
                  mustEqual(
                    layer.get(of, key),
                    rows.find((row) => compareKeys(row.key, key) === 0)?.value,
                    `the key ${show(key)}`,
                  )
                }
              }
            }
            layer.rollback()
            const touched = modelOf(older.slice(below.length).map(({ key }) => ({ key, value: 1 })))
            mustEqual(layer.has(of), touched.length > 0, 'whether it touches the table')
            mustEqual(
              [...layer.writesOf(of.name)].map(({ key }) => key).sort(compareKeys),
              touched.map(({ key }) => key),
              'each record once',
            )
            const changes = layer.changes()
            const size = changes.reduce((sum, { key, value }) => sum + key.length + (value?.length ?? 0), 0)
            if (size > layer.bytes()) throw new Error(`it holds ${size} bytes and says ${layer.bytes()}`)
            await space.commit(changes)
            mustEqual([...space.range(of)], modelOf(older), 'what it comes to')
          },
        ),
        { numRuns: 300 },
      )
      t.pass('for any writes and any ranges')
    },
  )
}

t.test('Of a record that one commit writes again and again, what was kept last is written', async (t) => {
  const of = newTable()
  const layer = createOverlay(space)
  for (let n = 0; n < 10; n++) {
    layer.put(of, ['a'], n)
    layer.commit()
  }
  layer.put(of, ['a'], (() => 1) as never)
  t.throws(() => layer.commit(), /not plain data/, 'what cannot be stored is refused all the same')
  layer.rollback()
  layer.put(of, ['a'], -1)
  layer.rollback()
  await space.commit(layer.changes())
  t.equal(layer.changes().length, 1)
  t.equal(space.get(of, ['a']), 9)
  layer.put(of, ['a'], 10)
  layer.put(of, ['a'], 11)
  layer.commit()
  await space.commit(layer.changes())
  t.equal(space.get(of, ['a']), 11)
})

t.test('A layer is as large as what it was told to keep, and refuses to keep what cannot be stored', async (t) => {
  const of = newTable()
  const layer = createOverlay(space)
  layer.put(of, ['a'], 1)
  t.equal(layer.bytes(), 0)
  layer.commit()
  const one = layer.bytes()
  t.ok(one > 0)
  layer.put(of, ['b'], 2)
  layer.put(of, ['x'.repeat(5_000)], 3)
  t.throws(() => layer.commit(), /longer than/)
  layer.rollback()
  t.equal(layer.bytes(), one)
  t.equal(layer.get(of, ['b']), undefined)
  t.same(
    [...layer.writesOf(of.name)].map(({ key }) => key),
    [['a']],
  )
  t.equal(layer.changes().length, 1)
  layer.commit()
  t.equal(layer.changes().length, 1)
})
