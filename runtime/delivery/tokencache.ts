/** What an adapter keeps for one binding a while: made once for all who ask at the same time, and anew when it is over. */
import type { Memory } from '../../core/channel/adapter.js'
import type { Clock } from '../clock.js'

interface Kept {
  readonly value: unknown
  readonly until: number
}

export function openMemory(clock: Pick<Clock, 'now'>): Memory {
  const kept = new Map<string, Kept>()
  const making = new Map<string, Promise<Kept | undefined>>()
  return {
    async get<T>(name: string, make: () => PromiseLike<{ readonly value: T; readonly until: number } | undefined>) {
      const known = kept.get(name)
      if (known && clock.now() < known.until) return known.value as T
      const made = making.get(name) ?? begin(name, make)
      return (await made)?.value as T | undefined
    },
    forget(name) {
      kept.delete(name)
      making.delete(name)
    },
  }

  /** What was forgotten while it was made is not kept. */
  function begin(name: string, make: () => PromiseLike<Kept | undefined>): Promise<Kept | undefined> {
    const made = Promise.resolve(make()).then(
      (found) => {
        if (making.get(name) !== made) return found
        making.delete(name)
        if (found) kept.set(name, found)
        return found
      },
      (error) => {
        if (making.get(name) === made) making.delete(name)
        throw error
      },
    )
    making.set(name, made)
    return made
  }
}
