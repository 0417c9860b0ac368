/** A store that counts reads. */
import type { Space, Store } from '../../../runtime/store/contract.js'

export interface ReadCounts {
  /** Records read by key, and ranges opened. */
  gets: number
  ranges: number
}

export function countReads(store: Store): { readonly store: Store; readonly reads: ReadCounts } {
  const reads: ReadCounts = { gets: 0, ranges: 0 }
  function countSpace(space: Space): Space {
    return {
      ...space,
      get(table, key) {
        reads.gets++
        return space.get(table, key)
      },
      range(table, options) {
        reads.ranges++
        return space.range(table, options)
      },
    }
  }
  return { store: { ...store, space: (shard) => countSpace(store.space(shard)) }, reads }
}
