/** The schema components of an OpenAPI document: each schema with a name is written once, and referred to elsewhere. */
import type { TSchema } from 'typebox'
import { isRecord } from '../../core/json.js'

export type Json = null | boolean | number | string | readonly Json[] | JsonObject
export interface JsonObject {
  readonly [key: string]: Json
}

export interface Components {
  /** The schema for the document: itself, or a reference to its component. */
  write(schema: TSchema): Json
  /** The document with its schema components. A component that is referred to once is inlined. */
  resolve(document: JsonObject): JsonObject
}

const prefix = '#/components/schemas/'

/**
 * Keywords that hold schemas. Every other member of a schema (defaults, enums, examples) is data and copied as it is.
 */
const schemaKeywords = new Set(
  'additionalProperties contains else if items not propertyNames then unevaluatedItems unevaluatedProperties'.split(
    ' ',
  ),
)
const schemaListKeywords = new Set(['allOf', 'anyOf', 'oneOf', 'prefixItems'])
const schemaMapKeywords = new Set(['dependentSchemas', 'patternProperties', 'properties'])

export function createComponents(): Components {
  const schemas = new Map<string, { readonly schema: JsonObject; readonly text: string }>()
  const writtenBySchema = new WeakMap<object, Json>()

  /**
   * The name of an `$id` must be unique. A title may be shared: the first schema of that title becomes the component.
   */
  function register(name: string, schema: JsonObject, isUnique: boolean): Json {
    const text = JSON.stringify(schema)
    const existing = schemas.get(name)
    if (!existing) schemas.set(name, { schema, text })
    else if (existing.text !== text) {
      if (isUnique) throw new Error(`two different schemas are called ${name}`)
      return schema
    }
    return { $ref: prefix + name }
  }

  /** Caches by schema object, because routes share schemas, above all those of error bodies. */
  function write(value: unknown): Json {
    if (!isRecord(value)) return value as Json
    const existing = writtenBySchema.get(value)
    if (existing !== undefined) return existing
    const fresh = writeNew(value)
    writtenBySchema.set(value, fresh)
    return fresh
  }

  function writeNew(value: Record<string, unknown>): Json {
    const { $id, $defs, ...rest } = value
    for (const [name, schema] of Object.entries(isRecord($defs) ? $defs : {})) {
      register(nameFrom(name), writeKeywords(schema as Record<string, unknown>), true)
    }
    if (typeof rest.$ref === 'string') return { ...writeKeywords(rest), $ref: prefix + lastPart(rest.$ref) }
    const schema = writeKeywords(rest)
    if (typeof $id === 'string') return register(lastPart($id), schema, true)
    if (typeof rest.title === 'string') return register(nameFrom(rest.title), schema, false)
    return schema
  }

  function writeKeywords(schema: Record<string, unknown>): JsonObject {
    const keywords: Record<string, Json> = {}
    for (const [key, value] of Object.entries(withModernForms(schema))) {
      if (value === undefined || key === '$id') continue
      if (schemaKeywords.has(key)) keywords[key] = write(value)
      else if (schemaListKeywords.has(key)) keywords[key] = (value as unknown[]).map(write)
      else if (schemaMapKeywords.has(key)) keywords[key] = mapValues(value as Record<string, unknown>, write)
      else keywords[key] = value as Json
    }
    return keywords
  }

  return {
    write,
    resolve(document) {
      const components = Object.fromEntries([...schemas].map(([name, { schema }]) => [name, schema]))
      return inlineSingles(document, components)
    },
  }
}

/** Replaces keywords of older drafts that TypeBox writes by those of 2020-12, and gives an enum of strings its type. */
function withModernForms(schema: Record<string, unknown>): Record<string, unknown> {
  const { items, additionalItems, ...rest } = schema
  if (Array.isArray(items)) return { ...rest, prefixItems: items, items: additionalItems ?? true }
  const { enum: values, type } = schema
  const untyped = Array.isArray(values) && type === undefined && values.every((value) => typeof value === 'string')
  return untyped ? { type: 'string', ...schema } : schema
}

function inlineSingles(document: JsonObject, components: Readonly<Record<string, JsonObject>>): JsonObject {
  const uses = new Map<string, number>()
  const reachable = new Set<string>()
  /** A discriminator chooses schemas by name, so these are not inlined. */
  const discriminated = new Set<string | undefined>()
  const isInlined = (name: string) => uses.get(name) === 1 && !discriminated.has(name)
  const count = (value: Json): void => {
    if (typeof value !== 'object' || value === null) return
    if (!isList(value) && value.discriminator)
      for (const one of value.oneOf as JsonObject[]) discriminated.add(refNameOf(one))
    const name = isList(value) ? undefined : refNameOf(value)
    if (name !== undefined && name in components) {
      uses.set(name, (uses.get(name) ?? 0) + 1)
      if (!reachable.has(name)) {
        reachable.add(name)
        count(components[name]!)
      }
    }
    for (const inner of Object.values(value)) count(inner)
  }
  count(document)

  const inline = (value: Json): Json => {
    if (typeof value !== 'object' || value === null) return value
    if (isList(value)) return value.map(inline)
    const name = refNameOf(value)
    if (name === undefined || !isInlined(name)) return mapValues(value, inline)
    const { $ref, ...siblings } = value
    return { ...(inline(components[name]!) as JsonObject), ...mapValues(siblings, inline) }
  }
  const names = [...reachable].filter((name) => !isInlined(name)).sort()
  const schemas = Object.fromEntries(names.map((name) => [name, inline(components[name]!)]))
  const { components: others, ...rest } = inline(document) as { components?: JsonObject }
  return { ...rest, components: { ...(names.length > 0 && { schemas }), ...others } }
}

function refNameOf(value: JsonObject): string | undefined {
  return typeof value.$ref === 'string' && value.$ref.startsWith(prefix) ? value.$ref.slice(prefix.length) : undefined
}

function mapValues<V, W>(values: Readonly<Record<string, V>>, write: (value: V) => W): Record<string, W> {
  return Object.fromEntries(Object.entries(values).map(([key, value]) => [key, write(value)]))
}

function isList(value: Json): value is readonly Json[] {
  return Array.isArray(value)
}

function lastPart(id: string): string {
  return nameFrom(id.split('/').at(-1)!)
}

/** `Delivery of an org webhook` becomes `DeliveryOfAnOrgWebhook`: components are named by letters and digits. */
export function nameFrom(words: string): string {
  return words
    .split(/[^A-Za-z0-9]+/)
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('')
}
