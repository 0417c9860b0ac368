/** The traits of one person: those of the channel's adapter, narrowed to what the provider says that their device can do. */
import type { Adapter } from './adapter.js'
import type { Traits } from './traits.js'

/** Of whom nothing is known everything is expected that the channel has. */
export function effectiveTraits(
  adapter: Pick<Adapter, 'descriptor' | 'traitsForDevice'>,
  deviceCapabilities: readonly string[] | undefined,
): Traits {
  return (deviceCapabilities && adapter.traitsForDevice?.(deviceCapabilities)) ?? adapter.descriptor.traits
}
