/** A map that keeps what was used last and forgets the rest. */

export interface Recent<V> {
  get(key: string): V | undefined
  set(key: string, value: V): void
}

export function openRecent<V>(most: number): Recent<V> {
  const kept = new Map<string, V>()
  return {
    get(key) {
      const value = kept.get(key)
      if (value === undefined) return undefined
      kept.delete(key)
      kept.set(key, value)
      return value
    },
    set(key, value) {
      kept.delete(key)
      kept.set(key, value)
      if (kept.size > most) kept.delete(kept.keys().next().value!)
    },
  }
}
