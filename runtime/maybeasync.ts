/**
 * A value or a promise of it. It avoids a microtask per value on the hot path through http and shards; all other code
 * uses `await`.
 */
export type MaybePromise<V> = V | Promise<V>

/** Calls `next` at once, or when the promise resolves. The name `then` would make this module a thenable. */
export function andThen<V, W>(value: MaybePromise<V>, next: (value: V) => MaybePromise<W>): MaybePromise<W> {
  return value instanceof Promise ? value.then(next) : next(value)
}
