/** An adapter as a node calls it: one that runs in a thread of its own answers later than one that does not. */
import type { Adapter } from './adapter.js'

type Later<T> = T | PromiseLike<T>
type Synchronous = 'render' | 'receive' | 'signal' | 'wrongAuth'

export interface HostedAdapter extends Omit<Adapter, Synchronous> {
  render(...args: Parameters<Adapter['render']>): Later<ReturnType<Adapter['render']>>
  receive(...args: Parameters<Adapter['receive']>): Later<ReturnType<Adapter['receive']>>
  signal?(...args: Parameters<NonNullable<Adapter['signal']>>): Later<ReturnType<NonNullable<Adapter['signal']>>>
  wrongAuth?(
    ...args: Parameters<NonNullable<Adapter['wrongAuth']>>
  ): Later<ReturnType<NonNullable<Adapter['wrongAuth']>>>
  /** Resolves once `traitsWith` knows this list. Until then `traitsWith` answers the traits of the channel. */
  prepareTraits?(abilities: readonly string[]): PromiseLike<void>
}
