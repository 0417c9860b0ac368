/** An adapter as a node calls it: one that runs in a thread of its own answers later than one that does not. */
import type { Adapter } from './adapter.js'

type MaybePromise<T> = T | PromiseLike<T>
type SynchronousMember = 'render' | 'receive' | 'signal' | 'validateAuth'

export interface HostedAdapter extends Omit<Adapter, SynchronousMember> {
  render(...args: Parameters<Adapter['render']>): MaybePromise<ReturnType<Adapter['render']>>
  receive(...args: Parameters<Adapter['receive']>): MaybePromise<ReturnType<Adapter['receive']>>
  signal?(...args: Parameters<NonNullable<Adapter['signal']>>): MaybePromise<ReturnType<NonNullable<Adapter['signal']>>>
  validateAuth?(
    ...args: Parameters<NonNullable<Adapter['validateAuth']>>
  ): MaybePromise<ReturnType<NonNullable<Adapter['validateAuth']>>>
  /** Resolves once `traitsWith` knows this list. Until then `traitsWith` answers the traits of the channel. */
  prepareTraits?(deviceCapabilities: readonly string[]): PromiseLike<void>
}
