/** What a store says of a machine or a file that it cannot work with. */
import { closeSync, openSync, writeSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import { checkAddressSpace } from '../../../runtime/store/addressspace.js'
import { StoreFailed, StoreUnusable, table } from '../../../runtime/store/contract.js'
import { withCheckedReads } from '../../../runtime/store/damage.js'
import { dataFileName } from '../../../runtime/store/directory.js'
import type { Environment } from '../../../runtime/store/environment.js'
import { store as limits } from '../../../runtime/store/limits.js'
import { openStore } from '../../../runtime/store/lmdb.js'

t.test('A damaged page found while the node runs causes a failure with a sentence', async (t) => {
  const whole = { get: () => undefined, slice: () => [], failure: () => undefined } as unknown as Environment
  const broken = {
    ...whole,
    get() {
      throw new Error('MDB_CORRUPTED: Located page was wrong type')
    },
    slice() {
      throw new Error('MDB_PAGE_NOTFOUND: Requested page not found')
    },
  }
  for (const read of [
    (environment: Environment) => environment.get(0, Buffer.from('a')),
    (environment: Environment) => environment.slice(0, {} as never, 1),
  ]) {
    const environment = withCheckedReads(broken, 'data')
    t.equal(environment.failure(), undefined)
    t.throws(() => read(environment), StoreFailed)
    t.match(environment.failure()?.message, /^The data in data is damaged: MDB_.*\. Put a backup in its place\.$/)
  }
  const other = withCheckedReads(
    {
      ...whole,
      get: () => {
        throw new TypeError('a bug')
      },
    },
    'data',
  )
  t.throws(() => other.get(0, Buffer.from('a')), TypeError)
  t.equal(other.failure(), undefined, 'an error of ours is no damage')
})

t.test('A process whose address space cannot hold the data is refused with a sentence', async (t) => {
  const limitsText = (softLimit: string) =>
    `Limit                     Soft Limit\nMax address space         ${softLimit}      unlimited\n`
  t.throws(() => checkAddressSpace(limits.mapBytes, limitsText(String(16 * 1024 ** 3))), StoreUnusable)
  t.throws(() => checkAddressSpace(limits.mapBytes, limitsText(String(16 * 1024 ** 3))), {
    message: /may use 16 GiB of addresses and the data needs 64 GiB.*ulimit -v/s,
  })
  t.doesNotThrow(() => checkAddressSpace(limits.mapBytes, limitsText('unlimited')))
  t.doesNotThrow(() => checkAddressSpace(limits.mapBytes, ''))
})

t.test('A store whose file is damaged fails its reads, and writes nothing more', async (t) => {
  const dir = await mkdtemp(join(tmpdir(), 'parley-'))
  t.teardown(() => rm(dir, { recursive: true, force: true }))
  const rows = table<[number], string>('rows')
  const store = await openStore({ dir, shards: 1, freeBytes: () => limits.freeDiskBytes })
  const space = store.space(0)
  const write = (from: number) =>
    space.commit(
      space.encode(Array.from({ length: 50 }, (_, at) => ({ table: rows, key: [from + at], value: 'x'.repeat(500) }))),
    )
  await write(0)
  const pageBytes = 4096
  const file = openSync(join(dir, dataFileName), 'r+')
  for (let page = 2; page < 200; page++) writeSync(file, Buffer.alloc(pageBytes), 0, pageBytes, page * pageBytes)
  closeSync(file)
  t.throws(() => [...space.range(rows)], StoreFailed)
  t.match(store.failure()?.message, /is damaged/)
  await t.rejects(write(50), StoreFailed)
  await store.close().catch(() => {})
})
