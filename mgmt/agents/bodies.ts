/** Parsing and writing of bodies that are too long for the event loop, and the content types of YAML documents. */
import type { TSchema } from 'typebox'
import type { Refusal } from '../../core/errors.js'

export const yamlType = 'application/yaml'
export const yamlTypes = [yamlType, 'application/x-yaml', 'text/yaml', 'text/x-yaml'] as const

export interface Shape {
  readonly schema?: TSchema
  /** Prefix of paths into the body. */
  readonly at?: string
  /** Special processing before, or in place of, the schema check. */
  readonly as?: 'things' | 'import'
  /** The maximum nesting depth, where it is greater than that of other bodies. */
  readonly depth?: number
}

/**
 * Neither method blocks the event loop, however long the text is. Work that cannot be done now is refused as
 * unavailable. Owners take turns, so long texts of one owner delay the others little.
 */
export interface Bodies {
  /** Parses a body and checks its shape; the bytes cannot be used afterwards. */
  read(
    owner: string,
    bytes: Uint8Array,
    type: 'json' | 'yaml',
    shape?: Shape,
  ): Promise<{ readonly value: unknown } | Refusal>
  /** Writes the value of a JSON text as YAML. */
  writeYaml(owner: string, json: readonly string[]): Promise<Uint8Array | Refusal>
}
