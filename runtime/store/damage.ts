/** Reads of a data file that turn out to be damaged: the store fails with a sentence in place of an unknown error. */
import { StoreFailed } from './contract.js'
import type { Environment } from './environment.js'

/** What LMDB says of a page that is not what the tree needs; the check at the start looks at part of a large file only. */
const damagePattern = /MDB_(CORRUPTED|PAGE_NOTFOUND|PANIC|BAD_TXN|INVALID)/

/** From the first damaged page on, `failure` answers, so that nothing more is written and readiness says so. */
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
