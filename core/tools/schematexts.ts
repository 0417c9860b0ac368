/** Patterns and formats of texts in schemas. Patterns of operators run on the linear engine, never on JavaScript's. */
import { Format } from 'typebox/format'
import { type PatternResult, readExpression } from '../agent/pattern/index.js'
import { tools as limits } from '../limits/index.js'

const compiled = new WeakMap<object, Map<string, PatternResult>>()

/** The compiled pattern. `owner` is the part of the schema that has it, and keeps it. */
export function patternOf(owner: object, source: string): PatternResult {
  const known = compiled.get(owner)?.get(source)
  if (known) return known
  const pattern = readExpression(source)
  compiled.set(owner, (compiled.get(owner) ?? new Map()).set(source, pattern))
  return pattern
}

/** True for a format that is not known, as JSON Schema has it. */
export function hasFormat(format: string, text: string): boolean {
  // Every other format is a linear match; this one would compile the text.
  if (format === 'regex') return true
  return text.length <= limits.formatChars && Format.Test(format, text)
}
