/**
 * A cache of what a process knows for certain of owners whose shard it owns: an answer is cached for as long as the tenure
 * under which it was given lasts and no change was noted. Of any other owner nothing is cached.
 */
import { LRUCache } from 'lru-cache'
import { isRefusal, type Refusal } from '../../core/errors.js'
import type { Local } from '../../runtime/shard/contract.js'

export interface OwnerCache<V> {
  get(owner: string): V | undefined
  /** Asks, and caches the answer if nothing changed meanwhile: a value of before a change must not come back. */
  load(owner: string, query: () => Promise<V | undefined | Refusal>): Promise<V | undefined | Refusal>
  /** To be called on every change, before that is answered. */
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
