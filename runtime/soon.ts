/** What is mostly known at once and sometimes later. A promise for the former would cost more than what is done with it. */
export type Soon<V> = V | Promise<V>

/** Goes on with it at once, or when it is known. */
export function onceKnown<V, W>(soon: Soon<V>, next: (value: V) => Soon<W>): Soon<W> {
  return soon instanceof Promise ? soon.then(next) : next(soon)
}
