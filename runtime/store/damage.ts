/**
 * Detects damage when the data file is read: the store fails with a sentence for the operator instead of an unknown
 * error.
 */
import { StoreFailed } from './contract.js'
import type { Environment } from './environment.js'

/** LMDB's errors for a page that does not fit the tree; the check at the start reads only part of a large file. */
const damagePattern = /MDB_(CORRUPTED|PAGE_NOTFOUND|PANIC|BAD_TXN|INVALID)/

/**
 * From the first damaged page on `failure` returns an error, so that the store writes nothing more and readiness
 * reports it.
 */
export function withCheckedReads(environment: Environment, dir: string): Environment {
  let damage: StoreFailed | undefined

  function recordDamage(error: unknown): unknown {
    const reason = error instanceof Error ? error.message : String(error)
    if (!damagePattern.test(reason)) return error
    damage ??= new StoreFailed(
      `The data in ${dir} is damaged: ${reason}. Nothing more is written. Put a backup in its place.`,
      { cause: error },
    )
    return damage
  }

  return {
    ...environment,
    get(space, key) {
      try {
        return environment.get(space, key)
      } catch (error) {
        throw recordDamage(error)
      }
    },
    slice(space, bounds, rows) {
      try {
        return environment.slice(space, bounds, rows)
      } catch (error) {
        throw recordDamage(error)
      }
    },
    failure: () => damage ?? environment.failure(),
  }
}
