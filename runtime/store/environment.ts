/**
 * One LMDB environment as bytes: spaces side by side in one ordered map, one write path. Only this file imports lmdb.
 */
import { open } from 'lmdb'
import type { Commit } from './commits.js'
import { store as limits } from './limits.js'
import type { Bounds } from './range.js'

export interface StoredRow {
  readonly key: Buffer
  readonly value: Buffer
}

/** `get` returns memory that the next read overwrites; `slice` holds no resource once it returns. */
export interface Environment {
  get(space: number, key: Uint8Array): Uint8Array | undefined
  slice(space: number, bounds: Omit<Bounds, 'limit'>, rows: number): StoredRow[]
  /** Makes all commits durable in one transaction, or none and rejects. One call at a time. */
  write(commits: readonly Commit[]): Promise<void>
  /** Writes the state that readers see now into a file, while transactions go on. */
  copyTo(path: string): Promise<void>
  /** The reason why nothing more can be read or written, if any. */
  failure(): Error | undefined
  close(): Promise<void>
}

const spaceBytes = 2

/**
 * LMDB in its default mode: a transaction that resolved is on the disk, and after a power cut the file is in the state
 * after some transaction. `overlappingSync` stays off: with it lmdb 3.5 resolves a commit whose last meta page could
 * not be written, shows readers data that is not durable yet, and gains nothing, because it still resolves a commit,
 * and begins the next, only after the sync. `eventTurnBatching` is off because `batch` already delimits a transaction.
 * Opening reserves `mapBytes` of addresses.
 */
export function openEnvironment(path: string, mapBytes: number = limits.mapBytes): Environment {
  const keys = createKeyEncoder()
  const settings = {
    path,
    noSubdir: true,
    mapSize: mapBytes,
    maxDbs: 1,
    permissionsMode: 0o600,
    overlappingSync: false,
    eventTurnBatching: false,
    commitDelay: 0,
    maxFreeSpaceToLoad: limits.freePagesLoaded,
    maxFreeSpaceToRetain: limits.freePagesRetained,
    cache: false as const,
    encoding: 'binary' as const,
    keyEncoder: keys,
  }
  const db = open<Buffer, Uint8Array>(settings)
  return {
    get(space, key) {
      keys.space = space
      return db.getBinaryFast(key)
    },
    slice(space, { start, isStartExclusive, end, isEndInclusive, reverse }, limit) {
      keys.space = space
      const range = db.getRange({
        start,
        exclusiveStart: isStartExclusive,
        end,
        inclusiveEnd: isEndInclusive,
        reverse,
        limit,
      })
      return [...range] as StoredRow[]
    },
    async write(commits) {
      if (commits.every(({ changes }) => changes.length === 0)) return
      try {
        await db.batch(() => {
          for (const { space, changes } of commits) {
            keys.space = space
            for (const { key, value } of changes) {
              if (value) db.put(key, value)
              else db.remove(key)
            }
          }
        })
      } catch (error) {
        throw await rootCause(error)
      }
    },
    // Not compacted: a compacting copy walks every tree, and later writes reuse the free pages anyway.
    copyTo: (to) => db.backup(to, false),
    failure: () => undefined,
    close: () => db.close(),
  }
}

/**
 * A key in the file is the number of its space, then its own bytes. The encoder adds the number in lmdb's memory and
 * skips it on the way back, so no key is copied for it. Every call sets the space first, and ends before the next call.
 */
function createKeyEncoder() {
  const keys = {
    space: 0,
    writeKey(key: Uint8Array, target: Uint8Array, at: number): number {
      target[at] = keys.space >> 8
      target[at + 1] = keys.space & 0xff
      target.set(key, at + spaceBytes)
      return at + spaceBytes + key.length
    },
    readKey: (source: Uint8Array, from: number, to: number) => Buffer.from(source.subarray(from + spaceBytes, to)),
  }
  return keys
}

/**
 * lmdb rejects with a general error that carries the real one as a promise, whose rejection must be handled as well.
 */
async function rootCause(error: unknown): Promise<unknown> {
  const { commitError } = error as { commitError?: Promise<never> }
  return commitError ? commitError.catch((cause: unknown) => cause) : error
}
