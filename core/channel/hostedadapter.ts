/** An adapter as a node calls it: an adapter that runs in a worker thread answers with a promise. */
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
  /**
   * Resolves once `traitsForDevice` knows this list. Until then `traitsForDevice` returns the traits of the channel.
   */
  prepareTraits?(deviceCapabilities: readonly string[]): PromiseLike<void>
}
