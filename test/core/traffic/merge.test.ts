/** Stretches of many shards put together: nothing missed, nothing twice, in one order. */
import fc from 'fast-check'
import t from 'tap'
import { mergePages, newestFirst, type Position, type ScanPage } from '../../../core/traffic/merge.js'

const position = fc.tuple(
  fc.integer({ min: 0, max: 5 }),
  fc.constantFrom('a', 'b', 'c'),
  fc.integer({ min: 1, max: 9 }),
)
const positions = fc.uniqueArray(position, { selector: String, maxLength: 60 })

/** As a shard answers that looks at so many at a time. */
function scanPage(shard: readonly Position[], after: Position | undefined, most: number): ScanPage<string> {
  const remaining = shard.filter((each) => !after || newestFirst(each, after) > 0).sort(newestFirst)
  const rows = remaining.slice(0, most).map((each) => ({ position: each, entry: String(each) }))
  return remaining.length > most ? { rows, scannedTo: rows.at(-1)!.position } : { rows }
}

t.test('Rounds over shards with a small scan limit return every record once, newest first', async () => {
  const shards = fc.tuple(positions, fc.array(fc.integer({ min: 0, max: 3 }), { minLength: 60, maxLength: 60 }))
  fc.assert(
    fc.property(shards, fc.integer({ min: 1, max: 7 }), ([all, shardOf], most) => {
      const parts = [0, 1, 2, 3].map((shard) => all.filter((_, nth) => shardOf[nth] === shard))
      const merged: Position[] = []
      let after: Position | undefined
      do {
        const { rows, scannedTo } = mergePages(parts.map((part) => scanPage(part, after, most)))
        merged.push(...rows.map((row) => row.position))
        after = scannedTo
      } while (after)
      const expected = [...all].sort(newestFirst)
      if (String(merged) !== String(expected)) throw new Error(`found ${merged.join(' ')} of ${expected.join(' ')}`)
    }),
  )
})

t.test('Records of the same moment are ordered by their conversation, and within one by their number', async (t) => {
  const order: Position[] = [
    [2, 'a', 1],
    [1, 'b', 2],
    [1, 'b', 1],
    [1, 'a', 9],
  ]
  t.same([...order].reverse().sort(newestFirst), order)
  t.equal(newestFirst([1, 'a', 1], [1, 'a', 1]), 0)
})

t.test('A row beyond the scan of some shard waits for the next round', async (t) => {
  const rows = (...given: Position[]) => given.map((each) => ({ position: each, entry: '' }))
  const near = { rows: rows([9, 'a', 1]), scannedTo: [8, 'a', 1] as const }
  const far = { rows: rows([7, 'b', 1], [5, 'b', 1]) }
  t.same(mergePages([near, far]), { rows: rows([9, 'a', 1]), scannedTo: [8, 'a', 1] })
  t.same(mergePages([far]), far)
})
