/** The store over LMDB: one environment, one ordered map, one write path. The only file that knows lmdb. */
import { existsSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { open } from 'lmdb'
import { store as limits } from '../../core/limits.js'
import type { Log } from '../observe/log.js'
import { aboutNew, aboutTable, checkAbout } from './about.js'
import { decodeRecord, encodeRecord } from './codec.js'
import { type Change, groupCommits } from './commits.js'
import { type Key, type Row, type Store, StoreFailed, StoreUnusable, type Table, type Write } from './contract.js'
import { checkDataFile } from './datafile.js'
import { dataFileName, prepareDirectory, syncDirectory, watchDisk } from './directory.js'
import { keyBytes, keyParts, passingKeyBytes } from './key.js'
import { claimDirectory } from './owner.js'
import { type Bounds, boundsOf, continued, isEmpty } from './range.js'

export interface StoreOptions {
  readonly dir: string
  /** Fixed for the life of the data. */
  readonly shards: number
  /** Addresses reserved for the data at the start; it may outgrow them. */
  readonly mapBytes?: number
  readonly log?: Pick<Log, 'warn' | 'error'>
  /** Free bytes where the data lies; the file system is asked when absent. */
  readonly freeBytes?: () => number
}

/** Opens the data in `dir`, made new when there is none, and holds the directory until the store is closed. */
export async function openStore(options: StoreOptions): Promise<Store> {
  const { dir } = options
  prepareDirectory(dir)
  const claim = await claimDirectory(dir)
  let environment: Environment | undefined
  try {
    const path = join(dir, dataFileName)
    if (existsSync(path)) checkDataFile(path)
    else await createData(path, options)
    environment = openEnvironment(path, options.mapBytes)
    checkAbout(environment.get(passingKeyBytes(aboutTable.name, [])), options)
    return storeOver(environment, options, claim.release)
  } catch (error) {
    await environment?.close()
    await claim.release()
    if (error instanceof StoreUnusable) throw error
    throw new StoreUnusable(`The data in ${dir} cannot be opened: ${(error as Error).message}.`, { cause: error })
  }
}

/** Built under another name and moved into place whole, so a data file that exists was finished once. */
async function createData(path: string, { dir, shards, mapBytes }: StoreOptions): Promise<void> {
  const unfinished = `${path}.new`
  const leftovers = [unfinished, `${unfinished}-lock`]
  for (const name of leftovers) rmSync(name, { force: true })
  try {
    const environment = openEnvironment(unfinished, mapBytes)
    const about = changeOf({ table: aboutTable, key: [], value: aboutNew(shards) })
    await environment.write([about]).finally(environment.close)
    renameSync(unfinished, path)
    syncDirectory(dir)
  } finally {
    for (const name of leftovers) rmSync(name, { force: true })
  }
}

function storeOver(environment: Environment, options: StoreOptions, release: () => Promise<void>): Store {
  const { dir, log } = options
  const diskRefusal = watchDisk(dir, log, options.freeBytes)
  const commits = groupCommits({ write: environment.write, refusal: diskRefusal, failed })
  let closing: Promise<void> | undefined

  function failed(cause: unknown): Error {
    const why = cause instanceof Error ? cause.message : String(cause)
    log?.error('store.commit.failed', { dir, error: cause })
    return new StoreFailed(
      `Writing the data in ${dir} failed: ${why}. Nothing more is written until the process is started again.`,
      { cause },
    )
  }

  function* rows<K extends Key, V>(of: Table<K, V>, bounds: Bounds): Generator<Row<K, V>> {
    let left = bounds.limit
    for (let from = bounds; left > 0 && !isEmpty(from); ) {
      assertOpen()
      const wanted = Math.min(left, limits.rowsPerSlice)
      const slice = environment.slice(from, wanted)
      for (const { key, value } of slice) {
        yield { key: keyParts(key) as unknown as K, value: decodeRecord(of, value) as V }
      }
      if (slice.length < wanted) return
      left -= wanted
      from = continued(from, slice.at(-1)!.key)
    }
  }

  function assertOpen(): void {
    if (closing) throw new Error('the store is closed')
  }

  return {
    get<K extends Key, V>(of: Table<K, V>, key: K): V | undefined {
      assertOpen()
      const bytes = environment.get(passingKeyBytes(of.name, key))
      return bytes && (decodeRecord(of, bytes) as V)
    },
    range(of, about = {}) {
      const bounds = boundsOf(of.name, about)
      return { [Symbol.iterator]: () => rows(of, bounds) }
    },
    commit(writes) {
      if (closing) return Promise.reject(new StoreFailed('The store is closed.'))
      return commits.add(writes.map(changeOf))
    },
    failure: () => commits.failure() ?? diskRefusal(),
    close() {
      closing ??= commits.settled().then(environment.close).then(release)
      return closing
    },
  }
}

function changeOf({ table: of, key, value }: Write): Change {
  return { key: keyBytes(of.name, key), value: value === undefined ? undefined : encodeRecord(of, value) }
}

interface Stored {
  readonly key: Buffer
  readonly value: Buffer
}

/** LMDB as bytes. `get` answers with memory that the next read overwrites; `slice` holds nothing once it returns. */
interface Environment {
  get(key: Buffer): Uint8Array | undefined
  slice(bounds: Bounds, rows: number): Stored[]
  write(changes: readonly Change[]): Promise<void>
  close(): Promise<void>
}

/**
 * `overlappingSync` stays off: with it lmdb 3.5 resolves a commit whose last head page could not be written, and shows
 * readers what is not yet durable. It would gain nothing here, since one group is written at a time. `eventTurnBatching`
 * is off because `batch` already says what belongs to a transaction.
 */
function openEnvironment(path: string, mapBytes: number = limits.mapBytes): Environment {
  const settings = {
    path,
    noSubdir: true,
    mapSize: mapBytes,
    maxDbs: 1,
    permissionsMode: 0o600,
    overlappingSync: false,
    eventTurnBatching: false,
    commitDelay: 0,
    safeRestore: true,
    cache: false as const,
    encoding: 'binary' as const,
    keyEncoding: 'binary' as const,
  }
  const db = open<Buffer, Buffer>(settings)
  return {
    get: (key) => db.getBinaryFast(key),
    slice({ start, startBeyond, end, endBelongs, reverse }, limit) {
      const range = db.getRange({ start, exclusiveStart: startBeyond, end, inclusiveEnd: endBelongs, reverse, limit })
      return [...range] as Stored[]
    },
    async write(changes) {
      if (changes.length === 0) return
      try {
        await db.batch(() => {
          for (const { key, value } of changes) {
            if (value) db.put(key, value)
            else db.remove(key)
          }
        })
        await db.flushed
      } catch (error) {
        throw await rootCause(error)
      }
    },
    close: () => db.close(),
  }
}

/** lmdb rejects with a general error that carries the real one as a promise, which must be caught as well. */
async function rootCause(error: unknown): Promise<unknown> {
  const { commitError } = error as { commitError?: Promise<never> }
  return commitError ? commitError.catch((cause: unknown) => cause) : error
}
