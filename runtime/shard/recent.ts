/**
 * Records of a shard that were written a moment ago, as they were written: whoever reads one again right away is spared
 * its bytes. Only of tables that say so, no more than a few hundred, and gone with the shard's tenure here.
 */
import { shard as limits } from '../../core/limits.js'
import type { Key, Space, Table } from '../store/contract.js'
import { type Layer, nameOf } from './layer.js'

export interface Recent extends Space {
  /** What the layer holds is durable and visible now. */
  committed(layer: Pick<Layer, 'writtenSoonRead'>): void
  /** It is not known what of a commit is in the space. */
  forget(): void
}

export function recentOver(space: Space): Recent {
  const values = new Map<string, unknown>()
  return {
    ...space,
    get<K extends Key, V>(table: Table<K, V>, key: K): V | undefined {
      const value = table.isReadSoon && values.get(table.name + nameOf(key))
      return value ? (value as V) : space.get(table, key)
    },
    committed(layer) {
      for (const { table, key, value } of layer.writtenSoonRead()) {
        const name = table.name + nameOf(key)
        values.delete(name)
        if (value !== undefined) values.set(name, value)
      }
      for (const name of values.keys()) {
        if (values.size <= limits.recentRecords) break
        values.delete(name)
      }
    },
    forget: () => values.clear(),
  }
}
