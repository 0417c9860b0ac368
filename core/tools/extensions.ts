/** What an integration's `parameters` say to Parley, in keys that begin with `x-`. */
import { isRecord } from '../json.js'

export interface ParameterExtensions {
  /** A repeat of a call under the same `Idempotency-Key` is harmless. */
  readonly isIdempotent: boolean
  /** The person confirms a call before it is made. */
  readonly needsConfirmation: boolean
}

type Schema = Readonly<Record<string, unknown>>

export function extensionsOf(parameters: unknown): ParameterExtensions {
  const schema: Schema = isRecord(parameters) ? parameters : {}
  return { isIdempotent: schema['x-idempotent'] === true, needsConfirmation: schema['x-confirm'] === true }
}

/** Members whose names are the operator's own, and their values schemas. */
const schemasByName = new Set(['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas'])
/** Members that are values, not schemas. */
const values = new Set(['const', 'enum', 'default', 'examples', 'required', 'dependentRequired'])

/** The schema as a model reads it: without keys that begin with `x-`. Fields and values of such names stay. */
export function withoutExtensions(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(withoutExtensions)
  if (!isRecord(schema)) return schema
  const kept = Object.entries(schema).filter(([name]) => !name.startsWith('x-'))
  return Object.fromEntries(kept.map(([name, value]) => [name, cleanMember(name, value)]))
}

function cleanMember(name: string, value: unknown): unknown {
  if (values.has(name)) return value
  if (!schemasByName.has(name) || !isRecord(value)) return withoutExtensions(value)
  return Object.fromEntries(Object.entries(value).map(([field, schema]) => [field, withoutExtensions(schema)]))
}
