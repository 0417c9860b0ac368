/** Tables by owner: read as any other, they lie together in the file, and so does what was laid out before they did. */

import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import t from 'tap'
import { byOwner, type Key, type Table, table, type Write } from '../../../runtime/store/contract.js'
import { dataFileName } from '../../../runtime/store/directory.js'
import { openEnvironment } from '../../../runtime/store/environment.js'
import { keyBytes, keyParts, tableOfKey } from '../../../runtime/store/key.js'
import { openStore } from '../../../runtime/store/lmdb.js'
import { manifestTable, newManifest } from '../../../runtime/store/manifest.js'
import { encodeWrites, ownSpace } from '../../../runtime/store/space.js'
import { commit } from './tables.js'

const scratchDir = mkdtempSync(join(tmpdir(), 'parley-byowner-'))
t.teardown(() => rmSync(scratchDir, { recursive: true, force: true }))
let made = 0
const newDir = () => join(scratchDir, String(++made))

type Owned = [owner: string, ...rest: (string | number)[]]
const [these, those] = [byOwner(table<Owned, number>('these')), byOwner(table<Owned, number>('those'))]
/** As a table was laid out before. */
const before = <K extends Key, V>({ name }: Table<K, V>) => table<K, V>(name)

const owner = fc.oneof(fc.constantFrom('', 'a', 'a\0', 'a\0b', 'ab', 'b', 'these', 'é'), fc.string({ maxLength: 3 }))
const rest = fc.array(fc.oneof(fc.string({ maxLength: 2 }), fc.integer({ min: -3, max: 3 })), { maxLength: 2 })
const anyWrite = fc.record({ of: fc.constantFrom(these, those), owner, rest, value: fc.nat() })

t.test('Records by owner are read as from any table, of one owner only', async () => {
  const store = await openStore({ dir: newDir(), shards: 400 })
  let shards = 0
  await fc.assert(
    fc.asyncProperty(fc.array(anyWrite, { maxLength: 40 }), owner, fc.boolean(), async (writes, ownerRead, reverse) => {
      const [owned, alike] = [store.space(shards++), store.space(shards++)]
      const rows = writes.map(({ of, owner, rest, value }) => ({ of, key: [owner, ...rest] as Owned, value }))
      await commit(owned, rows.map(({ of, ...row }) => ({ table: of, ...row })) as unknown as Write[])
      await commit(alike, rows.map(({ of, ...row }) => ({ table: before(of), ...row })) as unknown as Write[])
      for (const { of, key } of rows) assert.equal(owned.get(of, key), alike.get(before(of), key))
      const among = { prefix: [ownerRead], reverse }
      const ownedRows = [...owned.range(these, among)]
      assert.deepEqual(ownedRows, [...alike.range(before(these), among)])
      for (const { key } of ownedRows) {
        const beyond = { ...among, after: key }
        assert.deepEqual([...owned.range(these, beyond)], [...alike.range(before(these), beyond)])
      }
    }),
    { numRuns: 190 },
  )
  await store.close()
})

t.test('Rows of one owner are adjacent, in all of its tables', async (t) => {
  const store = await openStore({ dir: newDir(), shards: 16 })
  const space = store.space(0)
  const writes = ['b', 'a', 'c'].flatMap((name) =>
    [those, these].flatMap((of) => [1, 2].map((number) => ({ table: of, key: [name, number], value: number }))),
  )
  await commit(space, writes as unknown as Write[])
  t.same(
    space.rows(undefined, 100).map(({ key }) => [tableOfKey(key), ...keyParts(key)].join(' ')),
    ['a', 'b', 'c'].flatMap((name) => ['these', 'those'].flatMap((of) => [`${of} ${name} 1`, `${of} ${name} 2`])),
  )
  t.throws(() => space.range(these), /within one owner/, 'they cannot be scanned across owners')
  t.throws(() => space.get(these, [] as never), /does not begin with an owner/)
  await store.close()
})

for (const durability of ['synced', 'async'] as const) {
  t.test(`Data of the previous format is refused with a sentence, and stays unchanged (${durability})`, async (t) => {
    const dir = newDir()
    await (await openStore({ dir, shards: 3 })).close()
    const path = join(dir, dataFileName)
    const environment = openEnvironment(path)
    const earlier = { ...newManifest(3, (bytes) => Buffer.alloc(bytes, 7)), format: 3 }
    const changes = encodeWrites([{ table: manifestTable as never, key: [], value: earlier }])
    await environment.write([{ space: ownSpace, changes }])
    await environment.close()
    const before = readFileSync(path)
    const refused = /was written by an earlier Parley \(format 3, this one reads 4\).*Name another data directory/
    await t.rejects(openStore({ dir, shards: 3, durability }), refused)
    t.ok(readFileSync(path).equals(before))
  })
}

t.test('A truncated stored key is an error, wherever it is cut', async (t) => {
  const whole = keyBytes({ name: 'cut' }, ['usr_1', 1234.5])
  t.same(keyParts(whole), ['usr_1', 1234.5])
  const boundaries = [1 + 'cut'.length + 1, 1 + 'cut'.length + 1 + 1 + 'usr_1'.length + 1]
  for (let size = 1; size < whole.length; size++) {
    if (!boundaries.includes(size)) t.throws(() => keyParts(whole.subarray(0, size)), /cut short/, String(size))
  }
})
