/**
 * Effective traits for one person: those of the channel's adapter, narrowed to the capabilities of the person's device.
 */
import type { Adapter } from './adapter.js'
import type { Traits } from './traits.js'

/** Without known capabilities the person gets all traits of the channel. */
export function effectiveTraits(
  adapter: Pick<Adapter, 'descriptor' | 'traitsForDevice'>,
  deviceCapabilities: readonly string[] | undefined,
): Traits {
  return (deviceCapabilities && adapter.traitsForDevice?.(deviceCapabilities)) ?? adapter.descriptor.traits
}
