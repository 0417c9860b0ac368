/** Bodies and answers that are too long for the event loop, and the types in which documents are sent as YAML. */
import type { TSchema } from 'typebox'
import type { Refusal } from '../../core/errors.js'

export const yamlType = 'application/yaml'
export const yamlTypes = [yamlType, 'application/x-yaml', 'text/yaml', 'text/x-yaml'] as const

export interface Shape {
  readonly schema?: TSchema
  /** What paths into the body begin with. */
  readonly at?: string
  /** What else is done before the body is judged, or in place of it. */
  readonly as?: 'things' | 'import'
  /** How deep it may be nested, where that is deeper than other bodies. */
  readonly depth?: number
}

/**
 * Neither holds the event loop, however long the text is; what cannot be done now is refused as unavailable. Owners take
 * turns, so long texts of one keep nobody else waiting for long.
 */
export interface Bodies {
  /** The value, which is of that shape; the bytes are gone afterwards. */
  read(
    owner: string,
    bytes: Uint8Array,
    type: 'json' | 'yaml',
    shape?: Shape,
  ): Promise<{ readonly value: unknown } | Refusal>
  /** The value of a JSON text as YAML. */
  writeYaml(owner: string, json: readonly string[]): Promise<Uint8Array | Refusal>
}
