/** One space of the simulated store, with the real store's keys, records and ranges. */
import { decodeRecord, encodeRecord } from '../../../runtime/store/codec.js'
import type { Change, CommitDeferred, Key, Reader, Row, Space, Table } from '../../../runtime/store/contract.js'
import { keyBytes, keyParts } from '../../../runtime/store/key.js'
import { type Bounds, boundsOf, isEmpty } from '../../../runtime/store/range.js'
import type { Rows } from './rows.js'

export function spaceOver(rowsNow: () => Rows, commitDeferred: CommitDeferred): Space {
  return {
    ...readerOver(rowsNow),
    encode: (writes) =>
      writes.map(({ table: of, key, value }) => ({
        key: keyBytes(of, key),
        value: value === undefined ? undefined : encodeRecord(of, value),
      })),
    commit(changes) {
      const { done, flush } = commitDeferred({ collect: () => changes, onCommitted() {} })
      flush()
      return done
    },
    commitDeferred,
    rows: (after, limit) => rowsBeyond(rowsNow(), after, limit),
  }
}

export function readerOver(rowsNow: () => Rows): Reader {
  function* walk<K extends Key, V>(of: Table<K, V>, bounds: Bounds): Generator<Row<K, V>> {
    const { end, isEndInclusive: endBelongs, reverse } = bounds
    let [from, beyond, remaining] = [bounds.start, bounds.isStartExclusive, bounds.limit]
    for (; remaining > 0 && !isEmpty(bounds); remaining--) {
      const row = rowsNow().next(from, beyond, reverse)
      if (!row) return
      const past = Buffer.compare(row.key, end) * (reverse ? -1 : 1)
      if (past > 0 || (past === 0 && !endBelongs)) return
      yield { key: keyParts(row.key) as unknown as K, value: decodeRecord(of, row.value) as V }
      from = row.key
      beyond = true
    }
  }
  return {
    get<K extends Key, V>(of: Table<K, V>, key: K): V | undefined {
      const bytes = rowsNow().get(keyBytes(of, key))
      return bytes && (decodeRecord(of, bytes) as V)
    },
    range(of, options = {}) {
      const bounds = boundsOf(of, options)
      return { [Symbol.iterator]: () => walk(of, bounds) }
    },
  }
}

export function rowsBeyond(rows: Rows, after: Uint8Array | undefined, limit = Number.POSITIVE_INFINITY): Change[] {
  const collected: Change[] = []
  let from: Uint8Array = after ?? new Uint8Array()
  while (collected.length < limit) {
    const row = rows.next(from, true, false)
    if (!row) break
    collected.push(row)
    from = row.key
  }
  return collected
}
