/** The store under power cuts, and stores that sync too little, to prove that the cuts find them. */
import { join } from 'node:path'
import { open } from 'lmdb'
import { type Store, StoreFailed } from '../../runtime/store/contract.js'
import { dataFileName } from '../../runtime/store/directory.js'
import { openStore, type StoreOptions } from '../../runtime/store/lmdb.js'
import { type Acked, ackedBy, countOf, problemOf, type Subject, writers, writesOf } from './powercut-work.js'

type Settings = Partial<StoreOptions>
const openIn = (dir: string, settings?: Settings) => openStore({ dir, shards: writers, ...settings })

/** All writers run concurrently; each continues from its count, one commit after the acknowledgement of the last. */
async function writeAll(
  first: readonly number[],
  commits: number,
  commit: (writer: number, n: number) => Promise<void>,
): Promise<void> {
  const writing = first.map(async (count, writer) => {
    for (let n = count + 1; n <= count + commits; n++) await commit(writer, n)
  })
  await Promise.all(writing)
}

const countsOf = (store: Store) => Array.from({ length: writers }, (_, writer) => countOf(store.space(writer)))

const work =
  (settings?: Settings): Subject['work'] =>
  async (dir, acknowledge, commits) => {
    const store = await openIn(dir, settings)
    const counts = countsOf(store)
    for (const [writer, n] of counts.entries()) acknowledge({ did: 'opened', writer, n })
    const failed = await writeAll(counts, commits, async (writer, n) => {
      const space = store.space(writer)
      await space.commit(space.encode(writesOf(writer, n)))
      acknowledge({ did: 'committed', writer, n })
    }).catch((error: Error) => error)
    if (failed) {
      await checkFailed(store, failed)
      acknowledge({ did: 'failed', writer: 0, n: 0 })
    }
    return store.close
  }

/** A store whose disk failed reports it and takes no further commit. */
async function checkFailed(store: Store, failed: Error): Promise<void> {
  if (!(failed instanceof StoreFailed)) throw failed
  if (!(store.failure() instanceof StoreFailed)) throw new Error('a store whose disk failed does not say so')
  const later = await store.own.commit([]).catch((error: Error) => error)
  if (!(later instanceof StoreFailed)) throw new Error('a store whose disk failed takes more')
}

/** `promised`: how many commits of a writer must be there. */
async function check(dir: string, acked: readonly Acked[], promised: (acked: Acked) => number, settings?: Settings) {
  const store = await openIn(dir, settings)
  try {
    for (const [writer, count] of countsOf(store).entries()) {
      const { last, lost } = acked[writer]!
      const minCount = promised(acked[writer]!)
      if (lost > 0) return `writer ${writer} had lost ${lost} commits already when the data was opened again`
      if (count < minCount) return `writer ${writer} has ${count} commits, and was promised ${minCount}`
      if (count > last + 1) return `writer ${writer} has ${count} commits, more than it asked for`
      const problem = problemOf(store.space(writer), writer)
      if (problem) return problem
    }
    return await problemGoingOn(store)
  } finally {
    await store.close()
  }
}

/** The recovered data accepts further work. */
async function problemGoingOn(store: Store): Promise<string | undefined> {
  await writeAll(countsOf(store), 1, (writer, n) => store.space(writer).commit(store.own.encode(writesOf(writer, n))))
  const problems = Array.from({ length: writers }, (_, writer) => problemOf(store.space(writer), writer))
  return problems.find((problem) => problem !== undefined)
}

export const syncedStore: Subject = {
  work: work(),
  check: (dir, acks) => check(dir, ackedBy(acks), ({ last }) => last),
}

/** Commits of write-behind may be lost, but only whole, and none that was there when the data was opened or closed. */
export const writtenBehindStore: Subject = {
  work: work({ durability: 'async', writeBehindMs: 3 }),
  check: (dir, acks) =>
    check(dir, ackedBy(acks, true), ({ closed, last, opened }) => (closed ? last : opened), { durability: 'async' }),
}

/** The same rows in the same places, written by lmdb itself with too little syncing. */
const withoutSync = (settings: { noSync?: boolean; noMetaSync?: boolean }): Subject => ({
  async work(dir, acknowledge, commits) {
    const store = await openIn(dir)
    const counts = countsOf(store)
    await store.close()
    const path = join(dir, dataFileName)
    const binary = { encoding: 'binary', keyEncoding: 'binary' } as const
    const db = open<Buffer, Buffer>({ path, noSubdir: true, overlappingSync: false, ...binary, ...settings })
    await writeAll(counts, commits, async (writer, n) => {
      const changes = store.space(writer).encode(writesOf(writer, n))
      await db.batch(() => {
        for (const { key, value } of changes) {
          const prefixedKey = Buffer.from([0, writer + 1, ...key])
          if (value) db.put(prefixedKey, value)
          else db.remove(prefixedKey)
        }
      })
      acknowledge({ did: 'committed', writer, n })
    })
    return () => db.close()
  },
  check: syncedStore.check,
})

export const unsyncedStore = withoutSync({ noSync: true })
/** Its pages are synced and its meta page is not, so it opens after every cut without its last acknowledged commits. */
export const lateStore = withoutSync({ noMetaSync: true })
