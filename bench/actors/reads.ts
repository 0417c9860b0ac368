/** A store that counts what is read from it. */
import type { Space, Store } from '../../runtime/store/contract.js'

export interface Reads {
  /** Records asked for by their key, and ranges begun. */
  gets: number
  ranges: number
}

export function countingReads(store: Store): { readonly store: Store; readonly reads: Reads } {
  const reads: Reads = { gets: 0, ranges: 0 }
  function counted(space: Space): Space {
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
  return { store: { ...store, space: (shard) => counted(store.space(shard)) }, reads }
}
