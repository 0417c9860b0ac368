/**
 * Records of a shard that were written a moment ago, or are read often, as they are: whoever reads one again is spared its
 * bytes. Only of tables that say so, a bounded number, and gone with the shard's tenure here.
 */
import { shard as limits } from '../../core/limits.js'
import type { Key, Space, Table } from '../store/contract.js'
import { type Layer, nameOf } from './layer.js'

export interface Recent extends Space {
  /**
   * What the layer holds is on its way. The space shows it a moment before we are told, so until then its records are read
   * there: whoever reads several of them finds them all as they were, or all as they will be.
   */
  committing(layer: Pick<Layer, 'writtenSoonRead'>): void
  /** What the layer holds is durable and visible now. */
  committed(layer: Pick<Layer, 'writtenSoonRead'>): void
  /** It is not known what of a commit is in the space. */
  forget(): void
}

export function recentOver(space: Space): Recent {
  const values = new Map<string, unknown>()
  let isCommitting = false

  function bound(): void {
    for (const name of values.keys()) {
      if (values.size <= limits.recentRecords) break
      values.delete(name)
    }
  }

  return {
    ...space,
    get<K extends Key, V>(table: Table<K, V>, key: K): V | undefined {
      if (!table.isReadSoon) return space.get(table, key)
      const name = table.name + nameOf(key)
      const atHand = values.get(name)
      if (atHand !== undefined) return atHand as V
      const value = space.get(table, key)
      if (table.isReadOften && !isCommitting && value !== undefined) {
        values.set(name, value)
        bound()
      }
      return value
    },
    committing(layer) {
      isCommitting = true
      for (const { table, key } of layer.writtenSoonRead()) values.delete(table.name + nameOf(key))
    },
    committed(layer) {
      isCommitting = false
      for (const { table, key, value } of layer.writtenSoonRead()) {
        const name = table.name + nameOf(key)
        values.delete(name)
        if (value !== undefined) values.set(name, value)
      }
      bound()
    },
    forget() {
      isCommitting = false
      values.clear()
    },
  }
}
