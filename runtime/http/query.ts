/** The reader of query strings by their schema: numbers and booleans are typed, repeated and unknown names refused. */
import type { TObject } from 'typebox'
import type { FieldError } from '../../core/errors.js'

export type QueryRead = { readonly value: Record<string, unknown> } | { readonly problem: FieldError }

export function readQuery(text: string, schema: TObject | undefined): QueryRead {
  const value: Record<string, unknown> = {}
  if (text === '') return { value }
  for (const [name, raw] of new URLSearchParams(text)) {
    const declared = schema && Object.hasOwn(schema.properties, name) ? schema.properties[name] : undefined
    if (!declared && !matchesPattern(schema, name))
      return { problem: { field: name, message: 'is not a known parameter' } }
    if (Object.hasOwn(value, name)) return { problem: { field: name, message: 'is given twice' } }
    value[name] = coerce(raw, (declared as { type?: string } | undefined)?.type)
  }
  return { value }
}

/** A pattern of the schema declares families of names, such as `customFields.<key>`. */
function matchesPattern(schema: TObject | undefined, name: string): boolean {
  const patterns = (schema as { patternProperties?: object } | undefined)?.patternProperties ?? {}
  return Object.keys(patterns).some((pattern) => new RegExp(pattern, 'u').test(name))
}

/** Text that is not of the declared type stays text, for the check of the schema to report. */
function coerce(raw: string, type: string | undefined): unknown {
  if (type === 'integer' && /^-?\d{1,15}$/.test(raw)) return Number(raw)
  if (type === 'number' && /^-?\d{1,15}(\.\d{1,15})?$/.test(raw)) return Number(raw)
  if (type === 'boolean' && (raw === 'true' || raw === 'false')) return raw === 'true'
  return raw
}
