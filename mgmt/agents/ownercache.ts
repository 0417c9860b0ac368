/**
 * A cache of facts about owners whose shard this process owns. A value is valid while the ownership epoch lasts in
 * which it was loaded and until a change invalidates it. Values of other owners are not cached.
 */
import { LRUCache } from 'lru-cache'
import { isRefusal, type Refusal } from '../../core/errors.js'
import type { Local } from '../../runtime/shard/contract.js'

export interface OwnerCache<V> {
  get(owner: string): V | undefined
  /**
   * Runs the query, and caches its result if no change occurred meanwhile: a value from before a change must not come
   * back.
   */
  load(owner: string, query: () => Promise<V | undefined | Refusal>): Promise<V | undefined | Refusal>
  /** The caller must call this on every change, before the change is answered. */
  invalidate(owner: string): void
}

export function createOwnerCache<V>(local: Pick<Local, 'ownershipEpoch'>, max: number): OwnerCache<V> {
  const cache = new LRUCache<string, { readonly epoch: number; readonly value: V }>({ max })
  let changes = 0
  return {
    get(owner) {
      const entry = cache.get(owner)
      return entry && local.ownershipEpoch(owner) === entry.epoch ? entry.value : undefined
    },
    async load(owner, query) {
      const [epoch, changesBefore] = [local.ownershipEpoch(owner), changes]
      const value = await query()
      if (value === undefined || isRefusal(value)) return value
      if (epoch === undefined || changes !== changesBefore) return value
      cache.set(owner, { epoch, value })
      return value
    },
    invalidate(owner) {
      changes++
      cache.delete(owner)
    },
  }
}
