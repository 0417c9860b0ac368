/** What a person's device can show, as Apple tells it with everything that they do: nothing else may be sent to it. */
import type { Traits } from '../../core/channel/traits.js'
import { adapter as limits } from '../../core/limits.js'
import { descriptor } from './descriptor.js'

/** Undefined where Apple did not say. */
export function abilitiesIn(header: string): readonly string[] | undefined {
  const words = header.split(',').map((word) => word.trim().toUpperCase())
  const told = words.filter((word) => word !== '' && word.length <= limits.abilityChars)
  return told.length > 0 ? [...new Set(told)].slice(0, limits.abilities) : undefined
}

/** Text and rich links show everywhere. */
export function traitsWith(abilities: readonly string[]): Traits {
  const { chips, list, timePicker, ...everywhere } = descriptor.traits
  return {
    ...everywhere,
    ...(chips && abilities.includes('QUICK') && { chips }),
    ...(list && abilities.includes('LIST') && { list }),
    ...(timePicker && abilities.includes('TIME') && { timePicker }),
  }
}
