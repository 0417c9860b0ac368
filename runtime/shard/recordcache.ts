/**
 * Records of a shard that were written a moment ago, or are read often, as they are: whoever reads one again is spared its
 * bytes. Only of tables that say so, a bounded number, and gone with the shard's tenure here.
 */
import { LRUCache } from 'lru-cache'
import { shard as limits } from '../../core/limits/index.js'
import type { Key, RangeOptions, Row, Space, Table } from '../store/contract.js'
import { nameOf, type Overlay, type OverlayBase } from './overlay.js'

type CommittingWrites = Pick<Overlay, 'cachedWrites' | 'has'>
type AnyTable = Table<never, never>
type Rows = readonly Row<Key, unknown>[]

export interface RecordCache extends Omit<Space, 'get'>, OverlayBase {
  /**
   * What the layer holds is on its way. The space shows it a moment before we are told, so until then its records are read
   * there: whoever reads several of them finds them all as they were, or all as they will be.
   */
  beginCommit(overlay: CommittingWrites): void
  /** What the layer holds is durable and visible now. */
  endCommit(overlay: CommittingWrites): void
  /** It is not known what of a commit is in the space. */
  clear(): void
}

export function withCache(space: Space): RecordCache {
  const values = new LRUCache<string, NonNullable<unknown>>({ max: limits.cachedRecords })
  /** Few rows under one prefix, whole, of tables that are read often; by table, and all forgotten when one of it is written. */
  const ranges = new Map<string, Map<string, Rows>>()
  let inFlight: CommittingWrites | undefined

  /** What a commit on its way may change is not at hand until we are told: a record of it, or rows of its tables. */
  function isInFlight(table: AnyTable, name?: string): boolean {
    return inFlight?.has(table, name) === true
  }

  function cachedRows(table: AnyTable, prefix: Key): Rows | undefined {
    const name = nameOf(table, prefix)
    const cached = ranges.get(table.name)?.get(name)
    if (cached || isInFlight(table)) return cached
    const rows = [...space.range(table as Table<Key, unknown>, { prefix, limit: limits.cachedRangeRows + 1 })]
    if (rows.length > limits.cachedRangeRows) return undefined
    const tableRanges = ranges.get(table.name)
    if (tableRanges && tableRanges.size < limits.cachedRanges) tableRanges.set(name, rows)
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
      if (cached !== undefined) return cached as V
      const value = space.get(table, key)
      if (value !== undefined && value !== null && table.isCachedOnRead) values.set(name, value)
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
