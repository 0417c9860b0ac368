/**
 * What a process knows for certain of owners whose shard it owns: an answer is held for as long as the tenure under which
 * it was given lasts and nothing was told to have changed. Of any other owner nothing is held.
 */
import { LRUCache } from 'lru-cache'
import { isRefusal, type Refusal } from '../../core/errors.js'
import type { Local } from '../../runtime/shard/contract.js'

export interface Tenured<V> {
  known(owner: string): V | undefined
  /** Asks, and holds what it is told if nothing changed meanwhile: a value of before a change must not come back. */
  learn(owner: string, question: () => Promise<V | undefined | Refusal>): Promise<V | undefined | Refusal>
  /** To be called on every change, before that is answered. */
  forget(owner: string): void
}

export function openTenured<V>(local: Pick<Local, 'tenure'>, most: number): Tenured<V> {
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
