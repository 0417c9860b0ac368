/** YAML as documents are kept in a repository. Nothing comes in by it that JSON has not: no aliases, tags or infinities. */
import { CORE_SCHEMA, defineMappingTag, dump, load, mapTag, Schema, YAMLException } from 'js-yaml'
import type { FieldError } from '../../core/errors.js'
import { http } from '../../core/limits.js'

/** A name that YAML reads as a number, a truth value or nothing would come in as another one than was written. */
const named = defineMappingTag<Record<string, unknown>>(mapTag.tagName, {
  ...mapTag,
  addPair: (map, name, value) => (typeof name === 'string' ? mapTag.addPair(map, name, value) : 'no text as a name'),
})
const schema = new Schema(CORE_SCHEMA.tags.map((tag) => (tag.tagName === mapTag.tagName ? named : tag)))

export type YamlRead = { readonly value: unknown } | { readonly problem: FieldError }

export function readYaml(bytes: Uint8Array): YamlRead {
  let text: string
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return wrong('is not valid UTF-8')
  }
  try {
    const value = load(text, { schema, maxDepth: http.jsonDepth + 1, maxAliases: 0 })
    const problem = foreign(value, '')
    return problem ? { problem } : { value }
  } catch (error) {
    if (!(error instanceof YAMLException)) throw error
    const { reason, mark } = error
    const [, why] = reasons.find(([pattern]) => pattern.test(reason)) ?? [undefined, 'is not valid YAML']
    return wrong(mark ? `${why} (line ${mark.line + 1}, column ${mark.column + 1})` : why)
  }
}

function wrong(message: string): { problem: FieldError } {
  return { problem: { field: 'body', message } }
}

/** What the library says, in the words in which JSON is refused. */
const reasons: readonly (readonly [RegExp, string])[] = [
  [/duplicated mapping key/, 'gives a name twice'],
  [/maxDepth/, `is nested more than ${http.jsonDepth} levels deep`],
  [/alias/i, 'holds an alias, and aliases are not read'],
  [/single document/, 'holds more than one document'],
  [/expected a document/, 'is required'],
  [/unknown .*tag/, 'holds a tag that is not read'],
  [/complex keys|no text as a name/, 'has a name that is no text; write it in quotes'],
]

/** The first value, or name, that cannot be written in JSON. */
function foreign(value: unknown, at: string): FieldError | undefined {
  if (typeof value === 'number') return Number.isFinite(value) ? undefined : no(at, 'is not a number that JSON has')
  if (typeof value === 'string') {
    return value.isWellFormed() ? undefined : no(at, 'holds half of a character (a lone surrogate)')
  }
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
    const found = name.isWellFormed() ? foreign(each, path) : no(at, 'holds half of a character (a lone surrogate)')
    if (found) return found
  }
  return undefined
}

function no(at: string, message: string): FieldError {
  return { field: at || 'body', message }
}

export function writeYaml(value: unknown): string {
  return dump(value, { lineWidth: -1, noRefs: true, schema: CORE_SCHEMA })
}
