/** How fast messages in bulk leave for one binding: what its provider says of itself, or what any provider bears. */
import { bulk as limits } from '../limits.js'
import type { Descriptor } from './adapter.js'

/** Undefined: as many as come. */
export function bulkPace({ bulkPerSecond = limits.perSecond }: Pick<Descriptor, 'bulkPerSecond'>): number | undefined {
  return bulkPerSecond === 'unlimited' ? undefined : bulkPerSecond
}

/** So many at a time and how long until the next: short steps, unless not even one message fits into one. */
export function bulkStep(perSecond: number): { readonly messages: number; readonly ms: number } {
  const messages = Math.max(1, Math.floor((perSecond * limits.everyMs) / 1_000))
  return { messages, ms: Math.ceil((messages * 1_000) / perSecond) }
}
