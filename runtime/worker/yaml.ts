/**
 * YAML for documents that are stored in a repository. It accepts only values that JSON has: no aliases, tags or
 * infinities.
 */
import {
  CORE_SCHEMA,
  constructFromEvents,
  defineMappingTag,
  dump,
  EVENT_ID,
  type Event,
  mapTag,
  parseEvents,
  Schema,
  YAMLException,
} from 'js-yaml'
import type { FieldError } from '../../core/errors.js'
import { http } from '../../core/limits/index.js'

/** Refuses a name that YAML reads as a number, a boolean or null: it would become another name than the written one. */
const textKeyMapTag = defineMappingTag<Record<string, unknown>>(mapTag.tagName, {
  ...mapTag,
  addPair: (map, name, value) => (typeof name === 'string' ? mapTag.addPair(map, name, value) : 'no text as a name'),
})
const schema = new Schema(CORE_SCHEMA.tags.map((tag) => (tag.tagName === mapTag.tagName ? textKeyMapTag : tag)))

export type YamlRead = { readonly value: unknown } | { readonly problem: FieldError }

export interface YamlBounds {
  /** A document with more top-level names is parsed and then refused, before values are created. */
  readonly maxNames?: number
  readonly depth?: number
}

export function readYaml(bytes: Uint8Array, bounds: YamlBounds = {}): YamlRead {
  const { maxNames = Number.POSITIVE_INFINITY, depth = http.jsonDepth } = bounds
  let text: string
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return bodyError('is not valid UTF-8')
  }
  try {
    const events = parseEvents(text, { maxDepth: depth + 1 })
    if (countTopNames(events, maxNames) > maxNames) return { problem: tooManyNamesError(maxNames) }
    const [value, ...others] = constructFromEvents(events, { source: text, schema, maxAliases: 0 })
    if (events.length === 0) return bodyError('is required')
    if (others.length > 0) return bodyError('holds more than one document')
    const problem = valueError(value, '')
    return problem ? { problem } : { value }
  } catch (error) {
    if (!(error instanceof YAMLException)) throw error
    const { reason, mark } = error
    const [, message] = messagesFor(depth).find(([pattern]) => pattern.test(reason)) ?? [undefined, 'is not valid YAML']
    return bodyError(mark ? `${message} (line ${mark.line + 1}, column ${mark.column + 1})` : message)
  }
}

export function tooManyNamesError(maxNames: number): FieldError {
  return { field: 'body', message: `has more than ${maxNames} names at its top` }
}

/** Top-level names of the first document; counts no further than one beyond `maxNames`. */
function countTopNames(events: readonly Event[], maxNames: number): number {
  if (events[1]?.type !== EVENT_ID.MAPPING) return 0
  let depth = 0
  let nodes = 0
  for (let at = 2; at < events.length && depth >= 0 && nodes <= 2 * maxNames; at++) {
    const { type } = events[at]!
    if (depth === 0 && type !== EVENT_ID.POP) nodes++
    if (type === EVENT_ID.MAPPING || type === EVENT_ID.SEQUENCE) depth++
    else if (type === EVENT_ID.POP) depth--
  }
  // Names and values alternate.
  return Math.ceil(nodes / 2)
}

function bodyError(message: string): { problem: FieldError } {
  return { problem: { field: 'body', message } }
}

/** Maps errors of the library to the words in which JSON is refused. */
const messagesFor = (depth: number): readonly (readonly [RegExp, string])[] => [
  [/duplicated mapping key/, 'gives a name twice'],
  [/maxDepth/, `is nested more than ${depth} levels deep`],
  [/alias/i, 'holds an alias, and aliases are not read'],
  [/unknown .*tag/, 'holds a tag that is not read'],
  [/complex keys|no text as a name/, 'has a name that is no text; write it in quotes'],
]

/** The first value, or name, that JSON cannot represent. */
function valueError(value: unknown, at: string): FieldError | undefined {
  if (typeof value === 'number')
    return Number.isFinite(value) ? undefined : fieldError(at, 'is not a number that JSON has')
  if (typeof value === 'string') return textError(value, at)
  if (typeof value !== 'object' || value === null) return undefined
  if (Array.isArray(value)) {
    for (const [index, each] of value.entries()) {
      const error = valueError(each, `${at}[${index}]`)
      if (error) return error
    }
    return undefined
  }
  for (const [name, each] of Object.entries(value)) {
    const path = at === '' ? name : `${at}.${name}`
    if (name === '__proto__') return fieldError(path, 'is not a name that can be used')
    const error = textError(name, at) ?? valueError(each, path)
    if (error) return error
  }
  return undefined
}

/** As in JSON bodies. */
function textError(text: string, at: string): FieldError | undefined {
  if (!text.isWellFormed()) return fieldError(at, 'holds half of a character (a lone surrogate)')
  return text.includes('\0') ? fieldError(at, 'must not hold a NUL character') : undefined
}

function fieldError(at: string, message: string): FieldError {
  return { field: at || 'body', message }
}

export function writeYaml(value: unknown): string {
  return dump(value, { lineWidth: -1, noRefs: true, schema: CORE_SCHEMA })
}
