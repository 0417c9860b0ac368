/** A cache of an adapter's values for one binding, such as access tokens: concurrent callers share one load. */
import type { ProviderCache } from '../../core/channel/adapter.js'
import type { Clock } from '../clock.js'

interface CacheEntry {
  readonly value: unknown
  readonly until: number
}

export function createTokenCache(clock: Pick<Clock, 'now'>): ProviderCache {
  const entries = new Map<string, CacheEntry>()
  const inFlight = new Map<string, Promise<CacheEntry | undefined>>()
  return {
    async get<T>(name: string, make: () => PromiseLike<{ readonly value: T; readonly until: number } | undefined>) {
      const cached = entries.get(name)
      if (cached && clock.now() < cached.until) return cached.value as T
      const pending = inFlight.get(name) ?? load(name, make)
      return (await pending)?.value as T | undefined
    },
    invalidate(name) {
      entries.delete(name)
      inFlight.delete(name)
    },
  }

  /** A value that was invalidated while it was loaded is not cached. */
  function load(name: string, make: () => PromiseLike<CacheEntry | undefined>): Promise<CacheEntry | undefined> {
    const pending = Promise.resolve(make()).then(
      (entry) => {
        if (inFlight.get(name) !== pending) return entry
        inFlight.delete(name)
        if (entry) entries.set(name, entry)
        return entry
      },
      (error) => {
        if (inFlight.get(name) === pending) inFlight.delete(name)
        throw error
      },
    )
    inFlight.set(name, pending)
    return pending
  }
}
