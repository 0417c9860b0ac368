/** One space of the store: decodes records on read, encodes writes, and returns raw rows. */

import { decodeRecord, encodeRecord } from './codec.js'
import {
  type Change,
  type DeferredCommit,
  type DeferredWrite,
  type Key,
  type Row,
  type Space,
  StoreFailed,
  type Table,
  type Write,
} from './contract.js'
import type { Environment } from './environment.js'
import { keyBytes, keyParts, temporaryKeyBytes } from './key.js'
import { store as limits } from './limits.js'
import { type Bounds, boundsAfter, boundsOf, continueFrom, isEmpty } from './range.js'

/** The numbers of spaces in the file. */
export const ownSpace = 0
export const spaceOfShard = (shard: number) => shard + 1

export interface SpaceOptions {
  readonly environment: Pick<Environment, 'get' | 'slice'>
  readonly commit: (space: number, commit: DeferredCommit) => DeferredWrite
  readonly isClosed: () => boolean
}

export function createSpace(space: number, { environment, commit, isClosed }: SpaceOptions): Space {
  function* records<K extends Key, V>(of: Table<K, V>, bounds: Bounds): Generator<Row<K, V>> {
    let left = bounds.limit
    for (let from = bounds; left > 0 && !isEmpty(from); ) {
      assertOpen()
      const count = Math.min(left, limits.rowsPerSlice)
      const slice = environment.slice(space, from, count)
      for (const { key, value } of slice) {
        yield { key: keyParts(key) as unknown as K, value: decodeRecord(of, value) as V }
      }
      if (slice.length < count) return
      left -= count
      from = continueFrom(from, slice.at(-1)!.key)
    }
  }

  function assertOpen(): void {
    if (isClosed()) throw new Error('the store is closed')
  }

  function commitDeferred(deferred: DeferredCommit): DeferredWrite {
    if (!isClosed()) return commit(space, deferred)
    return { done: Promise.reject(new StoreFailed('The store is closed.')), flush() {} }
  }

  return {
    get<K extends Key, V>(of: Table<K, V>, key: K): V | undefined {
      assertOpen()
      const bytes = environment.get(space, temporaryKeyBytes(of, key))
      return bytes && (decodeRecord(of, bytes) as V)
    },
    range(of, options = {}) {
      const bounds = boundsOf(of, options)
      return { [Symbol.iterator]: () => records(of, bounds) }
    },
    encode: encodeWrites,
    commit(changes) {
      const { done, flush } = commitDeferred({ collect: () => changes, onCommitted() {} })
      flush()
      return done
    },
    commitDeferred,
    rows(after, limit) {
      assertOpen()
      return environment.slice(space, boundsAfter(after), limit)
    },
  }
}

export function encodeWrites(writes: readonly Write[]): Change[] {
  return writes.map(({ table: of, key, value }) => ({
    key: keyBytes(of, key),
    value: value === undefined ? undefined : encodeRecord(of, value),
  }))
}
