/** Device capabilities that Apple sends with every call, and the traits that follow from them. */
import type { Traits } from '../../../core/channel/traits.js'
import { adapter as limits } from '../../../core/limits/index.js'
import { descriptor } from './descriptor.js'

/** Undefined when Apple sent none. */
export function deviceCapabilitiesIn(header: string): readonly string[] | undefined {
  const names = header.split(',').map((name) => name.trim().toUpperCase())
  const declared = names.filter((name) => name !== '' && name.length <= limits.deviceCapabilityChars)
  return declared.length > 0 ? [...new Set(declared)].slice(0, limits.deviceCapabilities) : undefined
}

/** Every device shows text and rich links. */
export function traitsForDevice(deviceCapabilities: readonly string[]): Traits {
  const { chips, list, timePicker, ...everywhere } = descriptor.traits
  return {
    ...everywhere,
    ...(chips && deviceCapabilities.includes('QUICK') && { chips }),
    ...(list && deviceCapabilities.includes('LIST') && { list }),
    ...(timePicker && deviceCapabilities.includes('TIME') && { timePicker }),
  }
}
