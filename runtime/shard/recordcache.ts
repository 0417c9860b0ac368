/**
 * The record cache of a shard: decoded records that were written recently or are read often, so that a read decodes no
 * bytes; for tables that are read often, also the absence of a record. Only for tables that declare it, bounded in
 * number, and dropped when this process loses the shard.
 */
import { LRUCache } from 'lru-cache'
import type { Key, RangeOptions, Row, Space, Table } from '../store/contract.js'
import type { ShardLimits } from './limits.js'
import { nameOf, type Overlay, type OverlayBase } from './overlay.js'

type CommittingWrites = Pick<Overlay, 'cachedWrites' | 'has'>
type CacheLimits = Pick<ShardLimits, 'cachedRecords' | 'cachedRanges' | 'cachedRangeRows'>
type AnyTable = Table<never, never>
type Rows = readonly Row<Key, unknown>[]

export interface RecordCache extends Omit<Space, 'get'>, OverlayBase {
  /**
   * The writes of the overlay are being committed. The space shows them a moment before `endCommit`, so until then
   * reads of these records go to the space: a reader of several records sees all of them before the commit, or all
   * after it.
   */
  beginCommit(overlay: CommittingWrites): void
  /** The writes of the overlay are durable and visible. */
  endCommit(overlay: CommittingWrites): void
  /** Forgets everything, because it is unknown which writes of a commit are in the space. */
  clear(): void
}

/** In place of a record that the space does not hold. */
const absent = Object.freeze({})

export function withCache(space: Space, limits: CacheLimits): RecordCache {
  const { cachedRecords, cachedRanges, cachedRangeRows } = limits
  const values = new LRUCache<string, NonNullable<unknown>>({ max: cachedRecords })
  /**
   * Complete rows of short prefixes, of tables with `isCachedOnRead`, by table; a write to a table drops all its
   * ranges.
   */
  const ranges = new Map<string, Map<string, Rows>>()
  let inFlight: CommittingWrites | undefined

  /**
   * A record, or a row of a table, that the running commit may change is not served from the cache before `endCommit`.
   */
  function isInFlight(table: AnyTable, name?: string): boolean {
    return inFlight?.has(table, name) === true
  }

  function cachedRows(table: AnyTable, prefix: Key): Rows | undefined {
    const name = nameOf(table, prefix)
    const cached = ranges.get(table.name)?.get(name)
    if (cached || isInFlight(table)) return cached
    const rows = [...space.range(table as Table<Key, unknown>, { prefix, limit: cachedRangeRows + 1 })]
    if (rows.length > cachedRangeRows) return undefined
    const tableRanges = ranges.get(table.name)
    if (tableRanges && tableRanges.size < cachedRanges) tableRanges.set(name, rows)
    else ranges.set(table.name, new Map([[name, rows]]))
    return rows
  }

  return {
    ...space,
    get<K extends Key, V>(table: Table<K, V>, key: K, givenName?: string): V | undefined {
      if (!table.isCachedOnWrite) return space.get(table, key)
      const name = givenName ?? nameOf(table, key)
      if (isInFlight(table as AnyTable, name)) return space.get(table, key)
      const cached = values.get(name)
      if (cached !== undefined) return cached === absent ? undefined : (cached as V)
      const value = space.get(table, key)
      if (value !== null && table.isCachedOnRead) values.set(name, value ?? absent)
      return value
    },
    range<K extends Key, V>(table: Table<K, V>, options: RangeOptions = {}): Iterable<Row<K, V>> {
      if (!table.isCachedOnRead || !isByPrefixAlone(options)) return space.range(table, options)
      const rows = cachedRows(table as AnyTable, options.prefix) as Iterable<Row<K, V>> | undefined
      return rows ?? space.range(table, options)
    },
    beginCommit(overlay) {
      inFlight = overlay
      for (const name of ranges.keys()) if (overlay.has({ name })) ranges.delete(name)
    },
    endCommit(overlay) {
      inFlight = undefined
      for (const { name, value } of overlay.cachedWrites()) {
        if (value === undefined || value === null) values.delete(name)
        else values.set(name, value)
      }
    },
    clear() {
      inFlight = undefined
      values.clear()
      ranges.clear()
    },
  }
}

function isByPrefixAlone(options: RangeOptions): options is RangeOptions & { readonly prefix: Key } {
  const { prefix, after, before, reverse, limit } = options
  return prefix !== undefined && !after && !before && !reverse && limit === undefined
}
