/**
 * A cache of what a process knows for certain of owners whose shard it owns: an answer is cached for as long as the tenure
 * under which it was given lasts and no change was noted. Of any other owner nothing is cached.
 */
import { LRUCache } from 'lru-cache'
import { isRefusal, type Refusal } from '../../core/errors.js'
import type { Local } from '../../runtime/shard/contract.js'

export interface OwnerCache<V> {
  known(owner: string): V | undefined
  /** Asks, and caches the answer if nothing changed meanwhile: a value of before a change must not come back. */
  learn(owner: string, question: () => Promise<V | undefined | Refusal>): Promise<V | undefined | Refusal>
  /** To be called on every change, before that is answered. */
  forget(owner: string): void
}

export function createOwnerCache<V>(local: Pick<Local, 'tenure'>, most: number): OwnerCache<V> {
  const held = new LRUCache<string, { readonly tenure: number; readonly value: V }>({ max: most })
  let changes = 0
  return {
    known(owner) {
      const found = held.get(owner)
      return found && local.tenure(owner) === found.tenure ? found.value : undefined
    },
    async learn(owner, question) {
      const [tenure, changesBefore] = [local.tenure(owner), changes]
      const value = await question()
      if (value === undefined || isRefusal(value)) return value
      if (tenure === undefined || changes !== changesBefore) return value
      held.set(owner, { tenure, value })
      return value
    },
    forget(owner) {
      changes++
      held.delete(owner)
    },
  }
}
