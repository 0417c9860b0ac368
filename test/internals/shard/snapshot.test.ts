/** Snapshots: whole however they are cut up on the way, refused when they are not, and made while commits go on. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import t from 'tap'
import { createCopy, type Position } from '../../../runtime/shard/cluster/copy.js'
import { type CommitEntry, encodeEntry } from '../../../runtime/shard/cluster/entry.js'
import { readSnapshot, writeSnapshot } from '../../../runtime/shard/cluster/snapshotcodec.js'
import { encodePlain } from '../../../runtime/store/codec.js'
import type { Change, Space } from '../../../runtime/store/contract.js'
import { openStore } from '../../../runtime/store/lmdb.js'

/** Small parts, so that a few rows make many. */
const limits = { rowsPerSnapshotPart: 3 }

const dir = mkdtempSync(join(tmpdir(), 'parley-snapshot-'))
const shards = 600
const store = await openStore({ dir, shards, durability: 'async' })
t.teardown(async () => {
  await store.close()
  rmSync(dir, { recursive: true, force: true })
})
let spaces = 0
const newSpace = () => store.space(spaces++)

const anyChange: fc.Arbitrary<Change> = fc.record({
  key: fc.uint8Array({ minLength: 1, maxLength: 2, max: 5 }).map((bytes) => Buffer.from([0x20, ...bytes])),
  value: fc.option(
    fc.uint8Array({ minLength: 1, maxLength: 30 }).map((bytes) => Buffer.from(bytes)),
    { nil: undefined, freq: 4 },
  ),
})
const anyChanges = fc.array(anyChange, { maxLength: 25 })
const head: Position = { lineageId: '0011223344556677', epoch: 3, owner: 'ann/1', number: 41 }
const unpaced = async () => {}

async function collect(parts: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const all: Uint8Array[] = []
  for await (const part of parts) all.push(part)
  return Buffer.concat(all)
}

/** The same bytes in pieces of these sizes, over and over. */
async function* cut(bytes: Buffer, sizes: readonly number[]): AsyncGenerator<Uint8Array> {
  for (let [from, at] = [0, 0]; from < bytes.length; at++) {
    const size = sizes[at % sizes.length]!
    yield bytes.subarray(from, from + size)
    from += size
  }
}

async function read(parts: AsyncIterable<Uint8Array>): Promise<{ rows: Change[]; position: Position }> {
  const rows: Change[] = []
  const reading = readSnapshot(parts)
  for (;;) {
    const { done, value } = await reading.next()
    if (done) return { rows, position: value }
    rows.push(...value)
  }
}

/** Rows of a space, without what the copy notes for itself. */
function rowsOf(space: Space): Change[] {
  const own = space.encode([{ table: { name: 'shard.copy', version: 1, upgrades: {} }, key: [], value: 1 }])[0]!.key
  return space.rows(undefined, 10_000).filter(({ key }) => Buffer.compare(key, own) !== 0)
}

const same = (a: readonly Change[], b: readonly Change[]) => isDeepStrictEqual(a.map(hex), b.map(hex))
const hex = ({ key, value }: Change) => [key.toString('hex'), value?.toString('hex')]

t.test('A snapshot comes back as it was, however it is cut up on the way', async (t) => {
  await fc.assert(
    fc.asyncProperty(
      anyChanges,
      fc.array(fc.integer({ min: 1, max: 50 }), { minLength: 1 }),
      async (changes, sizes) => {
        const space = newSpace()
        await space.commit(changes)
        const bytes = await collect(
          writeSnapshot({ space, head, position: () => ({ ...head, number: 47 }), pace: unpaced, limits }),
        )
        const { rows, position } = await read(cut(bytes, sizes))
        if (!same(rows, rowsOf(space))) throw new Error('the rows are others')
        if (!isDeepStrictEqual(position, { ...head, completeFrom: 47 }))
          throw new Error(`it leads to ${JSON.stringify(position)}`)
      },
    ),
    { numRuns: 100 },
  )
  t.pass('any rows, any pieces')
})

t.test('A snapshot that is cut short anywhere, or was written by another Parley, is refused', async (t) => {
  const space = newSpace()
  await space.commit(Array.from({ length: 10 }, (_, n) => ({ key: Buffer.from([0x20, n]), value: Buffer.from([n]) })))
  const bytes = await collect(writeSnapshot({ space, head, position: () => head, pace: unpaced, limits }))
  for (let length = 0; length < bytes.length; length++) {
    await t.rejects(read(cut(bytes.subarray(0, length), [7])), /cut short/, `${length} of ${bytes.length} bytes`)
  }
  for (const [version, detail] of [
    [4, /a newer Parley; this one reads 3/],
    [2, /an earlier Parley; this one reads 3/],
  ] as const) {
    const body = encodePlain({ version, position: head })
    const length = Buffer.alloc(4)
    length.writeUInt32BE(body.length)
    await t.rejects(read(cut(Buffer.concat([length, body]), [9])), detail)
  }
})

t.test('A snapshot that is not wanted any more ends where it is', async (t) => {
  const space = newSpace()
  await space.commit(Array.from({ length: 30 }, (_, n) => ({ key: Buffer.from([0x20, n]), value: Buffer.from([n]) })))
  let parts = 0
  const onPart = async () => {
    if (++parts > 3) throw new Error('not wanted')
  }
  await t.rejects(collect(writeSnapshot({ space, head, position: () => head, pace: onPart, limits })), /not wanted/)
})

t.test('A snapshot made while commits go on becomes the state itself with the entries after its head', async (t) => {
  let meanwhile = 0
  await fc.assert(
    fc.asyncProperty(
      anyChanges,
      fc.array(fc.array(anyChange, { maxLength: 6 }), { maxLength: 12 }),
      fc.nat({ max: 4 }),
      async (before, commits, behind) => {
        const space = newSpace()
        const log: CommitEntry[] = []
        const own = createCopy(space)
        const { lineageId, epoch, owner: holder } = head
        await own.load(readFrom(before, head))
        const later = [...commits]
        async function commitOne(): Promise<void> {
          const changes = later.shift()
          if (!changes) return
          const entry: CommitEntry = { kind: 'commit', epoch, owner: holder, changes }
          log.push(entry)
          await own.apply(lineageId, entry, head.number + log.length)
        }
        const bytes = await collect(writeSnapshot({ space, head, position: own.position, pace: commitOne, limits }))
        meanwhile += log.length
        while (later.length > 0) await commitOne()

        const otherSpace = newSpace()
        const other = createCopy(otherSpace)
        await other.load(readSnapshot(cut(bytes, [13])))
        const end = other.position().completeFrom!
        for (const [at, entry] of log.entries()) {
          const number = head.number + at + 1
          if (other.isComplete() !== other.position().number >= end) throw new Error('it says whole when it is not')
          for (const message of encodeEntry(lineageId, entry, 10_000)) await other.receive(message, number)
          if (at % (behind + 1) === 0) await other.flush()
        }
        await other.flush()
        if (!other.isComplete() || !same(rowsOf(otherSpace), rowsOf(space))) throw new Error('another state came of it')
      },
    ),
    { numRuns: 100 },
  )
  t.ok(meanwhile > 100, `${meanwhile} commits were made meanwhile`)
})

async function* readFrom(rows: readonly Change[], position: Position): AsyncGenerator<readonly Change[], Position> {
  yield rows
  return position
}
