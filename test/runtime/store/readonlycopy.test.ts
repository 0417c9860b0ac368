/**
 * A second file of the data, made while commits go on: it holds all that was committed before, and no half of anything.
 */
import { mkdtempSync, readdirSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import { type FileStore, StoreFailed, table } from '../../../runtime/store/contract.js'
import { dataFileName } from '../../../runtime/store/directory.js'
import { openStore } from '../../../runtime/store/lmdb.js'
import { openReadOnlyCopy } from '../../../runtime/store/readonlycopy.js'

const scratchDir = mkdtempSync(join(tmpdir(), 'parley-copied-'))
t.teardown(() => rmSync(scratchDir, { recursive: true, force: true }))
let made = 0
const newPath = () => join(scratchDir, String(++made))

const shards = 3
/** Of each pair both halves are committed together. */
const halfTable = table<[half: 'left' | 'right', number: number], string>('halves')

function commitPair(store: FileStore, shard: number, number: number): Promise<void> {
  const space = store.space(shard)
  const value = 'x'.repeat(200)
  const writes = (['left', 'right'] as const).map((half) => ({ table: halfTable, key: [half, number], value }))
  return space.commit(space.encode(writes as never))
}

for (const durability of ['synced', 'async'] as const) {
  t.test(`A copy of a store whose commits are ${durability} is one consistent state of every space`, async (t) => {
    const store = await openStore({ dir: newPath(), shards, durability })
    t.teardown(() => store.close())
    const acknowledged = new Array(shards).fill(0)
    let over = false
    const writers = acknowledged.map(async (_, shard) => {
      while (!over) {
        await commitPair(store, shard, acknowledged[shard])
        acknowledged[shard]++
      }
    })
    // On a busy machine five copies may be made before the writers have had their turns.
    for (let copy = 0; copy < 5 || Math.min(...acknowledged) <= 5; copy++) {
      const before = [...acknowledged]
      const path = newPath()
      await store.copyTo(path)
      const copied = await openReadOnlyCopy(path)
      t.equal(copied.manifest.shards, shards)
      t.equal(copied.manifest.node, store.identity.node)
      for (const [shard, count] of before.entries()) {
        const numbers = (half: 'left' | 'right') =>
          [...copied.space(shard).range(halfTable, { prefix: [half] })].map(({ key }) => key[1])
        const left = numbers('left')
        t.ok(left.length >= count, `shard ${shard} has the ${count} that were committed before`)
        t.same(numbers('right'), left, 'and both halves of every commit')
        t.same(left, [...left.keys()], 'and every commit before the last one')
      }
      await copied.close()
      t.notOk(
        readdirSync(scratchDir).some((name) => name.endsWith('-lock')),
        'reading leaves no file beside it',
      )
    }
    over = true
    await Promise.all(writers)
    t.ok(Math.min(...acknowledged) > 5, 'commits continued during the copy')
  })
}

t.test('Commits after a copy are not in it, and the copy opens as the data of a node', async (t) => {
  const store = await openStore({ dir: newPath(), shards })
  await commitPair(store, 0, 0)
  const dir = newPath()
  const other = await openStore({ dir, shards })
  await other.close()
  rmSync(join(dir, dataFileName))
  await store.copyTo(join(dir, dataFileName))
  await commitPair(store, 0, 1)
  await store.close()
  const reopened = await openStore({ dir, shards })
  t.teardown(() => reopened.close())
  t.equal([...reopened.space(0).range(halfTable)].length, 2)
  await commitPair(reopened, 0, 1)
  t.equal([...reopened.space(0).range(halfTable)].length, 4, 'and accepts commits')
  await t.rejects(store.copyTo(newPath()), StoreFailed, 'a store that is closed cannot be copied')
})

t.test('Closing a store during a copy ends the copy first', async (t) => {
  const store = await openStore({ dir: newPath(), shards })
  for (let number = 0; number < 50; number++) await commitPair(store, 2, number)
  const path = newPath()
  const order: string[] = []
  const copying = store.copyTo(path).then(() => order.push('copied'))
  await store.close().then(() => order.push('closed'))
  await copying
  t.same(order, ['copied', 'closed'])
  const copied = await openReadOnlyCopy(path)
  t.equal([...copied.space(2).range(halfTable)].length, 100)
  await copied.close()
})

t.test('An incomplete file and a file without data of a node are each reported in a sentence', async (t) => {
  const store = await openStore({ dir: newPath(), shards })
  t.teardown(() => store.close())
  for (let number = 0; number < 200; number++) await commitPair(store, 1, number)
  const cut = newPath()
  await store.copyTo(cut)
  truncateSync(cut, 20_000)
  await t.rejects(openReadOnlyCopy(cut), /damaged/)
  const text = newPath()
  writeFileSync(text, 'not data')
  await t.rejects(openReadOnlyCopy(text), /damaged/)
})
