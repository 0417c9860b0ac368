/** Opening the data: who may, what is refused with a sentence, and that nothing is harmed by having tried. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import {
  appendFileSync,
  chmodSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import fc from 'fast-check'
import { open } from 'lmdb'
import t, { type Test } from 'tap'
import { encodeRecord } from '../../../runtime/store/codec.js'
import { dataFileName } from '../../../runtime/store/directory.js'
import { keyBytes } from '../../../runtime/store/key.js'
import { openStore } from '../../../runtime/store/lmdb.js'
import { manifestTable } from '../../../runtime/store/manifest.js'
import { suspendProcess } from '../../harness/suspension.js'
import { commit, left, right } from './tables.js'

const child = fileURLToPath(new URL('./child.js', import.meta.url))
const scratchDir = mkdtempSync(join(tmpdir(), 'parley-opening-'))
const started = new Set<ChildProcess>()
t.teardown(() => {
  for (const process of started) process.kill('SIGKILL')
  rmSync(scratchDir, { recursive: true, force: true })
})
let made = 0
const newDir = () => join(scratchDir, String(++made))
const dataFile = (dir: string) => join(dir, dataFileName)

interface OpenOutcome {
  readonly opened: boolean
  readonly rows?: number
  readonly error?: { name: string; message: string }
}

/** Opens in processes of their own, because a damaged file might end the one that opens it. */
function openElsewhere(dirs: readonly string[], uid?: number): { outcomes: OpenOutcome[]; signal: string | null } {
  const env = { ...process.env, ...(uid !== undefined && { BECOME_UID: String(uid) }) }
  const { stdout, signal } = spawnSync(process.execPath, [child, 'tryEach', ...dirs], { encoding: 'utf8', env })
  return {
    outcomes: stdout
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line)),
    signal,
  }
}

async function holdElsewhere(dir: string): Promise<{ holder: ChildProcess; outcome: OpenOutcome }> {
  const holder = spawn(process.execPath, [child, 'hold', dir], { stdio: ['ignore', 'pipe', 'inherit'] })
  started.add(holder)
  const [line] = await once(createInterface(holder.stdout!), 'line')
  return { holder, outcome: JSON.parse(line) }
}

async function end(holder: ChildProcess): Promise<void> {
  holder.kill('SIGKILL')
  if (holder.signalCode === null) await once(holder, 'exit')
  started.delete(holder)
}

async function newData(dir = newDir()): Promise<string> {
  const store = await openStore({ dir, shards: 16 })
  await commit(store.space(0), [{ table: left, key: [1, 1], value: { n: 1, text: 'kept' } }])
  await store.close()
  return dir
}

async function expectRefusedUnharmed(t: Test, dir: string, message: RegExp, shards = 16): Promise<void> {
  const before = readFileSync(dataFile(dir))
  await t.rejects(openStore({ dir, shards }), { name: 'StoreUnusable', message })
  t.ok(before.equals(readFileSync(dataFile(dir))), 'not a byte of the data was changed')
}

t.test('A new directory is private, and holds a complete data file or none', async (t) => {
  const dir = join(newDir(), 'deep', 'x'.repeat(120))
  await newData(dir)
  t.same(readdirSync(dir).sort(), [dataFileName, `${dataFileName}-lock`])
  t.equal(statSync(dir).mode & 0o777, 0o700)
  t.equal(statSync(dataFile(dir)).mode & 0o777, 0o600)
  const crashed = newDir()
  mkdirSync(crashed)
  writeFileSync(`${dataFile(crashed)}.new`, 'begun by a process that did not finish')
  await newData(crashed)
  t.same(readdirSync(crashed).sort(), [dataFileName, `${dataFileName}-lock`])
})

t.test('Data of another number of shards, another format, or another program is refused', async (t) => {
  const dir = await newData()
  await expectRefusedUnharmed(t, dir, /laid out in 16 shards, but 8 are configured.*PARLEY_SHARDS to 16/, 8)
  const store = await openStore({ dir, shards: 16 })
  t.same(store.space(0).get(left, [1, 1]), { n: 1, text: 'kept' }, 'after the refusal it opens as it should')
  const manifest = store.own.get(manifestTable, [])
  await commit(store.own, [{ table: manifestTable, key: [], value: { ...manifest, format: 5 } }])
  await store.close()
  await expectRefusedUnharmed(t, dir, /written by a newer Parley \(format 5, this one reads 4\)/)

  const other = await newData()
  const stranger = await openStore({ dir: other, shards: 16 })
  await commit(stranger.own, [{ table: manifestTable, key: [] }])
  await stranger.close()
  await expectRefusedUnharmed(t, other, /was not written by Parley/)

  const early = newDir()
  mkdirSync(early)
  const db = open<Buffer, Buffer>({ path: dataFile(early), noSubdir: true, encoding: 'binary', keyEncoding: 'binary' })
  await db.put(keyBytes(manifestTable, []), encodeRecord(manifestTable, { format: 1, shards: 16 }))
  await db.close()
  await expectRefusedUnharmed(t, early, /written by an earlier Parley \(format 1, this one reads 4\)/)
})

t.test('New data gets the names of its installation and node once, and may be adopted by another', async (t) => {
  const dir = newDir()
  const drawn: number[] = []
  const random = (bytes: number) => {
    drawn.push(bytes)
    return Buffer.alloc(bytes, 0xff)
  }
  const store = await openStore({ dir, shards: 16, random })
  const { node, installation } = store.identity
  t.equal(installation, 'f'.repeat(32))
  t.match(node, /^n[0-9a-z]{8}$/)
  await store.close()
  const reopened = await openStore({ dir, shards: 16, random })
  t.same(reopened.identity, { installation, node })
  t.same(drawn, [16, 8], 'only while the data was made')
  await reopened.adopt('theirs')
  t.same(reopened.identity, { installation: 'theirs', node })
  await reopened.close()
  const adopted = await openStore({ dir, shards: 16 })
  t.same(adopted.identity, { installation: 'theirs', node })
  await adopted.close()
  const other = await openStore({ dir: newDir(), shards: 16 })
  t.not(other.identity.node, node)
  t.match(other.identity, { installation: /^[0-9a-f]{32}$/, node: /^n[0-9a-z]{8}$/ })
  await other.close()
})

t.test('A directory that is a file, lies below one, or cannot be written is refused', async (t) => {
  const file = newDir()
  writeFileSync(file, 'mine')
  await t.rejects(openStore({ dir: file, shards: 16 }), { name: 'StoreUnusable', message: /is a file, or lies below/ })
  await t.rejects(openStore({ dir: join(file, 'x'), shards: 16 }), { name: 'StoreUnusable', message: /is a file/ })
  t.equal(readFileSync(file, 'utf8'), 'mine')

  const dir = await newData()
  rmSync(dataFile(dir))
  mkdirSync(dataFile(dir))
  await t.rejects(openStore({ dir, shards: 16 }), { name: 'StoreUnusable', message: /cannot be read/ })

  const closed = newDir()
  mkdirSync(closed, { mode: 0o555 })
  chmodSync(scratchDir, 0o755)
  const otherUid = process.getuid?.() === 0 ? 65_534 : undefined
  const { outcomes: outcome } = openElsewhere([closed], otherUid)
  t.match(outcome, [{ opened: false, error: { name: 'StoreUnusable', message: /cannot be written to \(EACCES\)/ } }])
  t.same(readdirSync(closed), [])
})

t.test('A directory is locked by one process at a time, and released by its death of any kind', async (t) => {
  const dir = await newData()
  const { holder, outcome } = await holdElsewhere(dir)
  t.same(outcome, { opened: true, rows: 1 })
  await expectRefusedUnharmed(t, dir, new RegExp(`is in use by process ${holder.pid}\\. Stop that one first`))
  await suspendProcess(holder)
  await expectRefusedUnharmed(t, dir, /is in use by another process/)
  holder.kill('SIGCONT')
  await end(holder)
  const store = await openStore({ dir, shards: 16 })
  await t.rejects(openStore({ dir, shards: 16 }), { message: new RegExp(`in use by process ${process.pid}`) })
  await commit(store.space(0), [{ table: left, key: [1, 2], value: { n: 2, text: '' } }])
  t.equal([...store.space(0).range(left)].length, 2, 'the holder continues')
  await store.close()
  t.same(readdirSync(dir).sort(), [dataFileName, `${dataFileName}-lock`], 'no claim is left behind')
})

t.test('Of several processes that start together at most one gets the lock', async (t) => {
  for (let round = 0; round < 2; round++) {
    const dir = round === 0 ? newDir() : await newData()
    const all = await Promise.all(Array.from({ length: 4 }, () => holdElsewhere(dir)))
    t.ok(all.filter(({ outcome }) => outcome.opened).length <= 1)
    for (const { outcome } of all)
      if (!outcome.opened) t.match(outcome.error, { name: 'StoreUnusable', message: /in use/ })
    await Promise.all(all.map(({ holder }) => end(holder)))
    await (await openStore({ dir, shards: 16 })).close()
  }
})

/** Several levels of pages, long records, and free pages at the end of the file. */
async function grownData(): Promise<Buffer> {
  const dir = newDir()
  const store = await openStore({ dir, shards: 16 })
  const rows = (table: typeof left, from: number, to: number, value?: { n: number; text: string }) =>
    Array.from({ length: to - from }, (_, i) => ({ table, key: [0, from + i] as const, value }))
  await commit(store.space(0), rows(left, 0, 1_200, { n: 1, text: 'x'.repeat(300) }))
  await commit(store.space(0), rows(left, 2_000, 2_010, { n: 1, text: 'y'.repeat(9_000) }))
  await commit(store.space(0), rows(right, 0, 900, { n: 2, text: 'z'.repeat(300) }))
  await commit(store.space(0), rows(right, 0, 900))
  for (let n = 0; n < 11; n++) await commit(store.space(0), [{ table: right, key: [1, n], value: { n, text: '' } }])
  await store.close()
  return readFileSync(dataFile(dir))
}
const grownRows = 1_221

function withBytes(bytes: Uint8Array): string {
  const dir = newDir()
  mkdirSync(dir)
  writeFileSync(dataFile(dir), bytes)
  return dir
}

t.test('A damaged data file is refused with a sentence that names it, and stays unchanged', async (t) => {
  const healthy = await grownData()
  const page = 4096
  const withChange = (change: (bytes: Buffer) => void) => {
    const bytes = Buffer.from(healthy)
    change(bytes)
    return bytes
  }
  const rootAt = (meta: number) => Number(healthy.readBigUInt64LE(meta + 24 + 72 + 40)) * page
  const newest = healthy.readBigUInt64LE(24 + 128) > healthy.readBigUInt64LE(page + 24 + 128) ? 0 : page
  const root = rootAt(newest)
  const damaged: [string, Buffer, RegExp][] = [
    ['empty', Buffer.alloc(0), /it is empty/],
    ['shorter than its head', healthy.subarray(0, 100), /it ends within its head pages/],
    ['one page', healthy.subarray(0, page), /it ends within its head pages/],
    ['only its head', healthy.subarray(0, 2 * page), /points at page \d+, which it does not hold/],
    ['half', healthy.subarray(0, healthy.length / 2), /points at page \d+, which it does not hold/],
    ['garbage', Buffer.alloc(healthy.length, 'garbage '), /does not begin as a data file does/],
    ['zeroes', Buffer.alloc(healthy.length), /does not begin as a data file does/],
    ['a flipped first mark', withChange((b) => b.writeUInt8(b[24]! ^ 1, 24)), /does not begin/],
    ['a flipped second mark', withChange((b) => b.writeUInt8(b[page + 24]! ^ 1, page + 24)), /does not begin/],
    ['another format', withChange((b) => b.writeUInt32LE(9, 28)), /its format is 9/],
    ['another page size', withChange((b) => b.writeUInt32LE(5000, 48)), /pages of 5000 bytes/],
    ['two page sizes', withChange((b) => b.writeUInt32LE(8192, page + 48)), /disagree/],
    ['a root that is not there', withChange((b) => b.writeBigUInt64LE(999_999n, newest + 24 + 112)), /page 999999/],
    ['a root of zeroes', withChange((b) => b.fill(0, root, root + page)), /holds something else/],
    ['a root of another kind', withChange((b) => b.writeUInt16LE(4, root + 18)), /not of the kind/],
    [
      'a branch to a missing page',
      withChange((b) => b.writeUInt32LE(77_777, root + 24 + b.readUInt16LE(root + 24))),
      /page 77777/,
    ],
    ['slots outside the page', withChange((b) => b.writeUInt16LE(0xfff0, root + 24)), /points outside itself/],
  ]
  const dirs = damaged.map(([, bytes]) => withBytes(bytes))
  const { outcomes: outcome, signal } = openElsewhere(dirs)
  t.equal(signal, null, 'no damage ends the process')
  for (const [i, [what, bytes, why]] of damaged.entries()) {
    t.match(outcome[i], { opened: false, error: { name: 'StoreUnusable', message: why } }, what)
    t.ok(outcome[i]!.error!.message.includes(dataFile(dirs[i]!)), 'it names the file')
    t.ok(bytes.equals(readFileSync(dataFile(dirs[i]!))), 'it is as it was')
  }
})

t.test(
  'A data file cut anywhere is either refused or complete, and a flipped byte never ends the process',
  async (t) => {
    const healthy = await grownData()
    const coarse = Array.from({ length: 24 }, (_, i) => Math.ceil((healthy.length * i) / 24))
    const fine = Array.from({ length: 8 }, (_, i) => healthy.length - i * 4096)
    const cuts = [...coarse, ...fine].map((bytes) => withBytes(healthy.subarray(0, bytes)))
    const seed = fc.sample(fc.integer(), 1)[0]!
    const flips = fc.sample(fc.tuple(fc.nat(healthy.length - 1), fc.integer({ min: 1, max: 255 })), {
      seed,
      numRuns: 60,
    })
    const heads = fc.sample(fc.tuple(fc.nat(4096 + 168), fc.integer({ min: 1, max: 255 })), { seed, numRuns: 60 })
    const flipped = [...flips, ...heads].map(([at, by]) => {
      const bytes = Buffer.from(healthy)
      bytes[at]! ^= by
      return withBytes(bytes)
    })
    const { outcomes: outcome, signal } = openElsewhere([...cuts, ...flipped])
    t.equal(signal, null, `with seed ${seed}`)
    t.equal(outcome.length, cuts.length + flipped.length)
    for (const one of outcome) if (!one.opened) t.equal(one.error!.name, 'StoreUnusable', one.error!.message)
    const ofCuts = outcome.slice(0, cuts.length)
    for (const one of ofCuts) if (one.opened) t.equal(one.rows, grownRows)
    t.ok(
      ofCuts.some((one) => !one.opened),
      'some cut lost pages in use',
    )
    t.ok(ofCuts.filter((one) => one.opened).length > 1, 'some cut lost only pages that were free')
  },
)

t.test('Data that an earlier Parley left without a sync is refused with a sentence, and stays unchanged', async (t) => {
  const dir = newDir()
  const store = await openStore({ dir, shards: 16 })
  await commit(store.space(0), [{ table: left, key: [0, 1], value: { n: 1, text: '' } }])
  await store.close()
  const mark = `${dataFile(dir)}-synced`
  writeFileSync(mark, 'a checkpoint')
  const before = readFileSync(dataFile(dir))
  for (const durability of ['synced', 'async'] as const) {
    await t.rejects(openStore({ dir, shards: 16, durability }), {
      name: 'StoreUnusable',
      message: /earlier Parley that was not stopped in order\. Start that version on it once and stop it/,
    })
  }
  t.same(readFileSync(dataFile(dir)), before)
  t.equal(readFileSync(mark, 'utf8'), 'a checkpoint')
  rmSync(mark)
  const reopened = await openStore({ dir, shards: 16 })
  t.equal([...reopened.space(0).range(left)].length, 1, 'that version removes the mark when it stops')
  await reopened.close()
})

t.test('Data may grow beyond its reserved size', async (t) => {
  const dir = newDir()
  const store = await openStore({ dir, shards: 16, mapBytes: 256 * 1024 })
  const row = (n: number) => ({ table: left, key: [0, n], value: { n, text: 'x'.repeat(100_000) } })
  for (let n = 0; n < 10; n++) await commit(store.space(0), [row(n), row(n + 100)])
  t.equal([...store.space(0).range(left)].length, 20)
  await store.close()
  const reopened = await openStore({ dir, shards: 16, mapBytes: 256 * 1024 })
  t.equal([...reopened.space(0).range(left)].length, 20)
  await commit(reopened.space(0), [row(200)])
  await reopened.close()
})

t.test('A data file with extra bytes, or a lock file of garbage, is harmless', async (t) => {
  const dir = await newData()
  appendFileSync(dataFile(dir), Buffer.alloc(10_000, 7))
  writeFileSync(`${dataFile(dir)}-lock`, 'garbage '.repeat(5_000))
  const store = await openStore({ dir, shards: 16 })
  t.equal([...store.space(0).range(left)].length, 1)
  await commit(store.space(0), [{ table: left, key: [2, 2], value: { n: 2, text: '' } }])
  await store.close()
  truncateSync(`${dataFile(dir)}-lock`, 0)
  const reopened = await openStore({ dir, shards: 16 })
  t.equal([...reopened.space(0).range(left)].length, 2)
  await reopened.close()
  const copy = newDir()
  cpSync(dir, copy, { recursive: true })
  const copied = await openStore({ dir: copy, shards: 16 })
  t.equal([...copied.space(0).range(left)].length, 2, 'a copy of the directory opens as well')
  await copied.close()
})
