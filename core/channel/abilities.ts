/** The traits of one person: those of the channel's adapter, narrowed to what the provider says that their device can do. */
import type { Adapter } from './adapter.js'
import type { Traits } from './traits.js'

/** Of whom nothing is known everything is expected that the channel has. */
export function traitsFor(
  adapter: Pick<Adapter, 'descriptor' | 'traitsWith'>,
  abilities: readonly string[] | undefined,
): Traits {
  return (abilities && adapter.traitsWith?.(abilities)) ?? adapter.descriptor.traits
}
