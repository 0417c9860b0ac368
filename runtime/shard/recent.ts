/**
 * Records of a shard that were written a moment ago, or are read often, as they are: whoever reads one again is spared its
 * bytes. Only of tables that say so, a bounded number, and gone with the shard's tenure here.
 */
import { LRUCache } from 'lru-cache'
import { shard as limits } from '../../core/limits.js'
import type { Key, RangeOptions, Row, Space, Table } from '../store/contract.js'
import { type Below, type Layer, nameOf } from './layer.js'

type Committing = Pick<Layer, 'writtenSoonRead' | 'touches'>
type AnyTable = Table<never, never>
type Rows = readonly Row<Key, unknown>[]

export interface Recent extends Omit<Space, 'get'>, Below {
  /**
   * What the layer holds is on its way. The space shows it a moment before we are told, so until then its records are read
   * there: whoever reads several of them finds them all as they were, or all as they will be.
   */
  committing(layer: Committing): void
  /** What the layer holds is durable and visible now. */
  committed(layer: Committing): void
  /** It is not known what of a commit is in the space. */
  forget(): void
}

export function recentOver(space: Space): Recent {
  const values = new LRUCache<string, NonNullable<unknown>>({ max: limits.recentRecords })
  /** Few rows under one prefix, whole, of tables that are read often; by table, and all forgotten when one of it is written. */
  const ranges = new Map<string, Map<string, Rows>>()
  let onItsWay: Committing | undefined

  /** What a commit on its way may change is not at hand until we are told: a record of it, or rows of its tables. */
  function isMoving(table: AnyTable, name?: string): boolean {
    return onItsWay?.touches(table, name) === true
  }

  function rowsUnder(table: AnyTable, prefix: Key): Rows | undefined {
    const name = nameOf(table, prefix)
    const atHand = ranges.get(table.name)?.get(name)
    if (atHand || isMoving(table)) return atHand
    const rows = [...space.range(table as Table<Key, unknown>, { prefix, limit: limits.recentRangeRows + 1 })]
    if (rows.length > limits.recentRangeRows) return undefined
    const known = ranges.get(table.name)
    if (known && known.size < limits.recentRanges) known.set(name, rows)
    else ranges.set(table.name, new Map([[name, rows]]))
    return rows
  }

  return {
    ...space,
    get<K extends Key, V>(table: Table<K, V>, key: K, known?: string): V | undefined {
      if (!table.isReadSoon) return space.get(table, key)
      const name = known ?? nameOf(table, key)
      if (isMoving(table as AnyTable, name)) return space.get(table, key)
      const atHand = values.get(name)
      if (atHand !== undefined) return atHand as V
      const value = space.get(table, key)
      if (value !== undefined && value !== null && table.isReadOften) values.set(name, value)
      return value
    },
    range<K extends Key, V>(table: Table<K, V>, options: RangeOptions = {}): Iterable<Row<K, V>> {
      if (!table.isReadOften || !isByPrefixAlone(options)) return space.range(table, options)
      const rows = rowsUnder(table as AnyTable, options.prefix) as Iterable<Row<K, V>> | undefined
      return rows ?? space.range(table, options)
    },
    committing(layer) {
      onItsWay = layer
      for (const name of ranges.keys()) if (layer.touches({ name })) ranges.delete(name)
    },
    committed(layer) {
      onItsWay = undefined
      for (const { name, value } of layer.writtenSoonRead()) {
        if (value === undefined || value === null) values.delete(name)
        else values.set(name, value)
      }
    },
    forget() {
      onItsWay = undefined
      values.clear()
      ranges.clear()
    },
  }
}

function isByPrefixAlone(options: RangeOptions): options is RangeOptions & { readonly prefix: Key } {
  const { prefix, after, before, reverse, limit } = options
  return prefix !== undefined && !after && !before && !reverse && limit === undefined
}
