/** The record cache: the same records as in the space after any writes, failures and evictions. */
import fc from 'fast-check'
import t, { type Test } from 'tap'
import { campaignTable } from '../../../mgmt/campaigns/store.js'
import { settingsTable, timerTable } from '../../../mgmt/outreach/store.js'
import { createOverlay } from '../../../runtime/shard/overlay.js'
import { withCache } from '../../../runtime/shard/recordcache.js'
import { cacheReads, cacheWrites, type Key, type Table, table } from '../../../runtime/store/contract.js'
import { openStore } from '../../../runtime/store/lmdb.js'
import { tempDir } from '../../harness/tempdir.js'

const limits = { cachedRecords: 3, cachedRanges: 1, cachedRangeRows: 2 }

const cached = cacheWrites(table<[string, number], { n: number }>('soon'))
const often = cacheReads(table<[string, number], { n: number }>('often'))
const other = table<[string], { n: number }>('other')

/** A space on the disk, and one over it that counts what is read. */
async function openCounted(t: Test) {
  const store = await openStore({ dir: tempDir(t), shards: 1 })
  t.teardown(() => store.close())
  const space = store.space(0)
  const reads = { count: 0 }
  const countReads = <Args extends unknown[], Answer>(read: (...args: Args) => Answer) => {
    return (...args: Args): Answer => {
      reads.count++
      return read(...args)
    }
  }
  const counted = {
    ...space,
    get: countReads(space.get) as typeof space.get,
    range: countReads(space.range) as typeof space.range,
  }
  const recent = withCache(counted, limits)
  return { space, recent, reads }
}

t.test('Reads answer what the space holds, after any commits, removals and failures', async (t) => {
  const store = await openStore({ dir: tempDir(t), shards: 1 })
  t.teardown(() => store.close())
  const space = store.space(0)
  const key = fc.tuple(fc.constantFrom('a', 'b'), fc.integer({ min: 0, max: 2 }))
  const write = fc.record({ key, n: fc.option(fc.nat(), { nil: undefined }) })
  const step = fc.record({ writes: fc.array(write, { maxLength: 6 }), fails: fc.constantFrom(false, false, true) })
  for (const of of [cached, often]) {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 8 }), async (steps) => {
        const recent = withCache(space, limits)
        const rangesMatch = () => {
          for (const prefix of [['a'], ['b'], []]) {
            t.same([...recent.range(of, { prefix })], [...space.range(of, { prefix })])
          }
        }
        for (const { writes, fails } of steps) {
          const layer = createOverlay(recent)
          for (const { key, n } of writes) {
            if (n === undefined) layer.remove(of, key)
            else layer.put(of, key, { n })
          }
          layer.put(other, ['x'], { n: 1 })
          layer.commit()
          // One that fails may be in the space all the same.
          recent.beginCommit(layer)
          const committing = space.commit(layer.changes())
          for (const { key } of writes) recent.get(of, key)
          rangesMatch()
          await committing
          // The space shows it before anybody was told: nothing of before is mixed with it.
          for (const { key } of writes) t.same(recent.get(of, key), space.get(of, key))
          rangesMatch()
          if (fails) recent.clear()
          else recent.endCommit(layer)
          for (const { key } of writes) t.same(recent.get(of, key), space.get(of, key))
          rangesMatch()
        }
      }),
      { numRuns: 60 },
    )
  }
})

t.test('No more is at hand than may be, and only of tables that are read again soon', async (t) => {
  const { space, recent, reads } = await openCounted(t)
  const layer = createOverlay(recent)
  for (let n = 0; n < 5; n++) layer.put(cached, ['a', n], { n })
  layer.put(other, ['x'], { n: 1 })
  layer.commit()
  recent.beginCommit(layer)
  await space.commit(layer.changes())
  recent.endCommit(layer)
  for (let n = 0; n < 5; n++) t.same(recent.get(cached, ['a', n]), { n })
  t.equal(reads.count, 2, 'the two oldest were read from the space')
  recent.get(other, ['x'])
  t.equal(reads.count, 3)
})

t.test('What is read often is read from the space once', async (t) => {
  const { space, recent, reads } = await openCounted(t)
  await space.commit(space.encode([0, 1, 2, 3].map((n) => ({ table: often as never, key: ['a', n], value: { n } }))))
  for (let times = 0; times < 3; times++) t.same(recent.get(often, ['a', 0]), { n: 0 })
  t.equal(reads.count, 1)
  for (let n = 1; n <= 3; n++) recent.get(often, ['a', n])
  t.same(recent.get(often, ['a', 0]), { n: 0 })
  t.equal(reads.count, 5, 'no more is at hand than may be')
  for (let times = 0; times < 2; times++) t.equal(recent.get(often, ['a', 9]), undefined)
  t.equal(reads.count, 6, 'that there is no record is read once too')
})

t.test(
  'A short range of what is read often is read from the space once, also while others are committed',
  async (t) => {
    const { space, recent, reads } = await openCounted(t)
    const rowsOf = (name: string, count: number) =>
      Array.from({ length: count }, (_, n) => ({ table: often as never, key: [name, n], value: { n } }))
    await space.commit(space.encode([...rowsOf('a', 2), ...rowsOf('b', 3)]))
    const layer = createOverlay(recent)
    layer.put(other, ['x'], { n: 1 })
    layer.commit()
    recent.beginCommit(layer)
    for (let times = 0; times < 3; times++) t.equal([...recent.range(often, { prefix: ['a'] })].length, 2)
    t.equal(reads.count, 1)
    for (let times = 0; times < 2; times++) t.equal([...recent.range(often, { prefix: ['a'], limit: 1 })].length, 1)
    t.equal(reads.count, 3, 'only those that are asked for whole')
    for (let times = 0; times < 2; times++) t.equal([...recent.range(often, { prefix: ['b'] })].length, 3)
    t.ok(reads.count > 4, 'and only short ones')
  },
)

t.test('What is read often stays at hand while another record of its table is committed', async (t) => {
  const { space, recent, reads } = await openCounted(t)
  await space.commit(space.encode([0, 1].map((n) => ({ table: often as never, key: ['a', n], value: { n } }))))
  const layer = createOverlay(recent)
  layer.put(often, ['a', 1], { n: 2 })
  layer.commit()
  recent.beginCommit(layer)
  for (let times = 0; times < 2; times++) t.same(recent.get(often, ['a', 0]), { n: 0 })
  t.equal(reads.count, 1)
  for (let times = 0; times < 2; times++) t.same(recent.get(often, ['a', 1]), { n: 1 })
  t.equal(reads.count, 3, 'and the one that is on its way is not at hand')
})

t.test('The campaign, the timer and the settings that every send reads are read from the store once', async (t) => {
  for (const each of [campaignTable, timerTable, settingsTable] as unknown as Table<Key, unknown>[]) {
    const { space, recent, reads } = await openCounted(t)
    const key = ['org', 'agent', 1, 'campaign'].slice(0, each === (campaignTable as unknown) ? 4 : 3)
    await space.commit(space.encode([{ table: each as never, key, value: { name: 'any' } }]))
    for (let sends = 0; sends < 3; sends++) t.same(recent.get(each, key), { name: 'any' })
    t.equal(reads.count, 1, each.name)
  }
})
