/** YAML as documents are kept in a repository. Nothing comes in by it that JSON has not: no aliases, tags or infinities. */
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
import { http } from '../../core/limits.js'

/** A name that YAML reads as a number, a truth value or nothing would come in as another one than was written. */
const named = defineMappingTag<Record<string, unknown>>(mapTag.tagName, {
  ...mapTag,
  addPair: (map, name, value) => (typeof name === 'string' ? mapTag.addPair(map, name, value) : 'no text as a name'),
})
const schema = new Schema(CORE_SCHEMA.tags.map((tag) => (tag.tagName === mapTag.tagName ? named : tag)))

export type YamlRead = { readonly value: unknown } | { readonly problem: FieldError }

export interface YamlBounds {
  /** A text with more names at its top is parsed and then refused, before values are made of it. */
  readonly mostNames?: number
  readonly depth?: number
}

export function readYaml(bytes: Uint8Array, bounds: YamlBounds = {}): YamlRead {
  const { mostNames = Number.POSITIVE_INFINITY, depth = http.jsonDepth } = bounds
  let text: string
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return wrong('is not valid UTF-8')
  }
  try {
    const events = parseEvents(text, { maxDepth: depth + 1 })
    if (namesAtTop(events, mostNames) > mostNames) return { problem: namesFault(mostNames) }
    const [value, ...others] = constructFromEvents(events, { source: text, schema, maxAliases: 0 })
    if (events.length === 0) return wrong('is required')
    if (others.length > 0) return wrong('holds more than one document')
    const problem = foreign(value, '')
    return problem ? { problem } : { value }
  } catch (error) {
    if (!(error instanceof YAMLException)) throw error
    const { reason, mark } = error
    const [, why] = reasonsAt(depth).find(([pattern]) => pattern.test(reason)) ?? [undefined, 'is not valid YAML']
    return wrong(mark ? `${why} (line ${mark.line + 1}, column ${mark.column + 1})` : why)
  }
}

export function namesFault(most: number): FieldError {
  return { field: 'body', message: `has more than ${most} names at its top` }
}

/** Of the first document; counted no further than one beyond `most`. */
function namesAtTop(events: readonly Event[], most: number): number {
  if (events[1]?.type !== EVENT_ID.MAPPING) return 0
  let depth = 0
  let nodes = 0
  for (let at = 2; at < events.length && depth >= 0 && nodes <= 2 * most; at++) {
    const { type } = events[at]!
    if (depth === 0 && type !== EVENT_ID.POP) nodes++
    if (type === EVENT_ID.MAPPING || type === EVENT_ID.SEQUENCE) depth++
    else if (type === EVENT_ID.POP) depth--
  }
  // Names and values stand one after the other.
  return Math.ceil(nodes / 2)
}

function wrong(message: string): { problem: FieldError } {
  return { problem: { field: 'body', message } }
}

/** What the library says, in the words in which JSON is refused. */
const reasonsAt = (depth: number): readonly (readonly [RegExp, string])[] => [
  [/duplicated mapping key/, 'gives a name twice'],
  [/maxDepth/, `is nested more than ${depth} levels deep`],
  [/alias/i, 'holds an alias, and aliases are not read'],
  [/unknown .*tag/, 'holds a tag that is not read'],
  [/complex keys|no text as a name/, 'has a name that is no text; write it in quotes'],
]

/** The first value, or name, that cannot be written in JSON. */
function foreign(value: unknown, at: string): FieldError | undefined {
  if (typeof value === 'number') return Number.isFinite(value) ? undefined : no(at, 'is not a number that JSON has')
  if (typeof value === 'string') return wrongText(value, at)
  if (typeof value !== 'object' || value === null) return undefined
  if (Array.isArray(value)) {
    for (const [place, each] of value.entries()) {
      const found = foreign(each, `${at}[${place}]`)
      if (found) return found
    }
    return undefined
  }
  for (const [name, each] of Object.entries(value)) {
    const path = at === '' ? name : `${at}.${name}`
    if (name === '__proto__') return no(path, 'is not a name that can be used')
    const found = wrongText(name, at) ?? foreign(each, path)
    if (found) return found
  }
  return undefined
}

/** As in JSON bodies. */
function wrongText(text: string, at: string): FieldError | undefined {
  if (!text.isWellFormed()) return no(at, 'holds half of a character (a lone surrogate)')
  return text.includes('\0') ? no(at, 'must not hold a NUL character') : undefined
}

function no(at: string, message: string): FieldError {
  return { field: at || 'body', message }
}

export function writeYaml(value: unknown): string {
  return dump(value, { lineWidth: -1, noRefs: true, schema: CORE_SCHEMA })
}
