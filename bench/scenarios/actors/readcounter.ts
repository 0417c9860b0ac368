/** A store that counts the records that are read by key. */
import type { Space, Store } from '../../../runtime/store/contract.js'

export interface ReadCounts {
  gets: number
}

export function countReads(store: Store): { readonly store: Store; readonly reads: ReadCounts } {
  const reads: ReadCounts = { gets: 0 }
  function countSpace(space: Space): Space {
    return {
      ...space,
      get(table, key) {
        reads.gets++
        return space.get(table, key)
      },
    }
  }
  return { store: { ...store, space: (shard) => countSpace(store.space(shard)) }, reads }
}
