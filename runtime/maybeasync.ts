/**
 * Values of a request that are mostly there and sometimes promised: on the way through http and shards a promise for each
 * would cost more than the work that follows. Everywhere else `await` does.
 */
export type MaybePromise<V> = V | Promise<V>

/** Goes on with the value at once, or when it is there. Not named `then`, which would make a promise of this module. */
export function andThen<V, W>(value: MaybePromise<V>, next: (value: V) => MaybePromise<W>): MaybePromise<W> {
  return value instanceof Promise ? value.then(next) : next(value)
}
