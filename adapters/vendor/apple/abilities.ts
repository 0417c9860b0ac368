/** What a person's device can show, as Apple tells it with everything that they do: nothing else may be sent to it. */
import type { Traits } from '../../../core/channel/traits.js'
import { adapter as limits } from '../../../core/limits/index.js'
import { descriptor } from './descriptor.js'

/** Undefined where Apple did not say. */
export function deviceCapabilitiesIn(header: string): readonly string[] | undefined {
  const words = header.split(',').map((word) => word.trim().toUpperCase())
  const declared = words.filter((word) => word !== '' && word.length <= limits.deviceCapabilityChars)
  return declared.length > 0 ? [...new Set(declared)].slice(0, limits.deviceCapabilities) : undefined
}

/** Text and rich links show everywhere. */
export function traitsForDevice(deviceCapabilities: readonly string[]): Traits {
  const { chips, list, timePicker, ...everywhere } = descriptor.traits
  return {
    ...everywhere,
    ...(chips && deviceCapabilities.includes('QUICK') && { chips }),
    ...(list && deviceCapabilities.includes('LIST') && { list }),
    ...(timePicker && deviceCapabilities.includes('TIME') && { timePicker }),
  }
}
