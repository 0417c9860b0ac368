/**
 * Conditions of branches: `name [op value]` with and, or, not and parentheses. Reading takes linear time; comparing
 * never throws, and a missing value equals nothing.
 */
import { flow as limits } from '../../limits/index.js'

export type ConditionValue = string | number | boolean
export type Comparison = '==' | '!=' | '<' | '<=' | '>' | '>=' | 'contains'

export type Condition =
  | { readonly kind: 'and' | 'or'; readonly parts: readonly Condition[] }
  | { readonly kind: 'not'; readonly part: Condition }
  /** A name alone: its value is neither missing, empty, false nor 0. */
  | { readonly kind: 'true' | 'exists' | 'empty'; readonly name: string }
  | { readonly kind: 'compare'; readonly name: string; readonly op: Comparison; readonly value: ConditionValue }
  | { readonly kind: 'in'; readonly name: string; readonly values: readonly ConditionValue[] }

export type ReadCondition = { readonly condition: Condition } | { readonly problem: string }

interface Token {
  readonly kind: 'word' | 'text' | 'op'
  readonly text: string
  /** Starts at 1. */
  readonly at: number
}

const space = /\s+/y
const operator = /==|!=|<=|>=|[<>()[\],]/y
const quoted = /'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"/sy
const word = /[^\s()[\],'"=!<>]+/y
const namePattern = /^[A-Za-z_][\w-]*(?:[.:][\w-]+)*$/
const numberPattern = /^-?\d{1,15}(?:\.\d{1,15})?$/
const comparisons: ReadonlySet<string> = new Set(['==', '!=', '<', '<=', '>', '>=', 'contains'])

/** The problem is the predicate of a sentence about the condition. */
export function parseCondition(source: string): ReadCondition {
  const tokens = tokenize(source)
  if (typeof tokens === 'string') return { problem: tokens }
  const reader: Reader = { tokens, end: source.length + 1, next: 0 }
  const condition = readAny(reader, 0)
  const rest = tokens[reader.next]
  const problem = reader.problem ?? (rest && `has ${quote(rest)} where "and", "or" or its end is expected`)
  return problem === undefined ? { condition: condition! } : { problem }
}

function tokenize(source: string): Token[] | string {
  const tokens: Token[] = []
  for (let from = 0; from < source.length; ) {
    const skipped = matchAt(space, source, from)
    if (skipped !== undefined) {
      from += skipped.length
      continue
    }
    const text = matchAt(quoted, source, from)
    const op = text === undefined ? matchAt(operator, source, from) : undefined
    const read = text ?? op ?? matchAt(word, source, from)
    if (read === undefined) return `cannot be read from character ${from + 1} on`
    if (tokens.length === limits.conditionTokens) return `is longer than ${limits.conditionTokens} words`
    const kind = text !== undefined ? 'text' : op !== undefined ? 'op' : 'word'
    tokens.push({ kind, text: kind === 'text' ? unquote(read) : read, at: from + 1 })
    from += read.length
  }
  return tokens
}

function matchAt(pattern: RegExp, source: string, from: number): string | undefined {
  pattern.lastIndex = from
  return pattern.exec(source)?.[0]
}

const unquote = (text: string) => text.slice(1, -1).replace(/\\(.)/gs, '$1')

interface Reader {
  readonly tokens: readonly Token[]
  readonly end: number
  next: number
  problem?: string
}

/** Results count only while the reader has no problem. */
type Read = Condition | undefined

function fail(reader: Reader, expected: string): undefined {
  const token = reader.tokens[reader.next]
  reader.problem ??= token
    ? `has ${quote(token)} where ${expected} is expected`
    : `ends where ${expected} is expected, at character ${reader.end}`
}

const quote = ({ text, at }: Token) => `${JSON.stringify(text.slice(0, 40))} at character ${at}`

function isNext({ tokens, next }: Reader, text: string): boolean {
  const token = tokens[next]
  return token !== undefined && token.kind !== 'text' && token.text.toLowerCase() === text
}

function take(reader: Reader, text: string): boolean {
  if (!isNext(reader, text)) return false
  reader.next++
  return true
}

const readAny = (reader: Reader, depth: number): Read => readJoined(reader, depth, 'or', readAll)
const readAll = (reader: Reader, depth: number): Read => readJoined(reader, depth, 'and', readNegated)

function readJoined(
  reader: Reader,
  depth: number,
  kind: 'and' | 'or',
  readPart: (reader: Reader, depth: number) => Read,
): Read {
  const first = readPart(reader, depth)
  if (!first || !isNext(reader, kind)) return first
  const parts = [first]
  while (take(reader, kind)) {
    const part = readPart(reader, depth)
    if (!part) return undefined
    parts.push(part)
  }
  return { kind, parts }
}

function readNegated(reader: Reader, depth: number): Read {
  if (depth > limits.conditionDepth) {
    reader.problem ??= `is nested deeper than ${limits.conditionDepth} levels`
    return undefined
  }
  if (take(reader, 'not')) {
    const part = readNegated(reader, depth + 1)
    return part && { kind: 'not', part }
  }
  if (!take(reader, '(')) return readTest(reader)
  const inner = readAny(reader, depth + 1)
  return inner && (take(reader, ')') ? inner : fail(reader, '")"'))
}

function readTest(reader: Reader): Read {
  const token = reader.tokens[reader.next]
  if (token?.kind !== 'word' || !namePattern.test(token.text)) return fail(reader, 'a name')
  reader.next++
  const name = token.text.replaceAll(':', '.')
  if (take(reader, 'exists')) return { kind: 'exists', name }
  if (take(reader, 'empty')) return { kind: 'empty', name }
  if (take(reader, 'in')) {
    const values = readList(reader)
    return values && { kind: 'in', name, values }
  }
  const op = reader.tokens[reader.next]
  if (op === undefined || op.kind === 'text' || !comparisons.has(op.text.toLowerCase())) return { kind: 'true', name }
  reader.next++
  const value = readValue(reader)
  return value === undefined ? undefined : { kind: 'compare', name, op: op.text.toLowerCase() as Comparison, value }
}

function readList(reader: Reader): ConditionValue[] | undefined {
  if (!take(reader, '[')) return fail(reader, '"["')
  const values: ConditionValue[] = []
  do {
    const value = readValue(reader)
    if (value === undefined) return undefined
    values.push(value)
  } while (take(reader, ','))
  return take(reader, ']') ? values : fail(reader, '"," or "]"')
}

function readValue(reader: Reader): ConditionValue | undefined {
  const token = reader.tokens[reader.next]
  if (token === undefined || token.kind === 'op') return fail(reader, 'a value')
  reader.next++
  if (token.kind === 'text') return token.text
  if (numberPattern.test(token.text)) return Number(token.text)
  const folded = token.text.toLowerCase()
  return folded === 'true' || folded === 'false' ? folded === 'true' : token.text
}

/** The names that a condition reads, each once. */
export function namesInCondition(condition: Condition): string[] {
  if ('parts' in condition) return [...new Set(condition.parts.flatMap(namesInCondition))]
  return 'part' in condition ? namesInCondition(condition.part) : [condition.name]
}

export function evaluateCondition(condition: Condition, readName: (name: string) => unknown): boolean {
  switch (condition.kind) {
    case 'and':
      return condition.parts.every((part) => evaluateCondition(part, readName))
    case 'or':
      return condition.parts.some((part) => evaluateCondition(part, readName))
    case 'not':
      return !evaluateCondition(condition.part, readName)
    case 'true': {
      const value = readName(condition.name)
      return !isEmpty(value) && value !== false && value !== 0
    }
    case 'exists':
      return !isEmpty(readName(condition.name))
    case 'empty':
      return isEmpty(readName(condition.name))
    case 'in': {
      const value = readName(condition.name)
      return condition.values.some((each) => isEqual(value, each))
    }
    case 'compare':
      return compare(readName(condition.name), condition.op, condition.value)
  }
}

function isEmpty(value: unknown): boolean {
  if (value === undefined || value === null) return true
  if (typeof value === 'string') return value.trim() === ''
  return typeof value === 'object' && Object.keys(value).length === 0
}

function compare(value: unknown, op: Comparison, other: ConditionValue): boolean {
  switch (op) {
    case '==':
      return isEqual(value, other)
    case '!=':
      return !isEqual(value, other)
    case 'contains':
      return contains(value, other)
    default: {
      const order = orderOf(value, other)
      if (order === undefined) return false
      return op === '<' ? order < 0 : op === '<=' ? order <= 0 : op === '>' ? order > 0 : order >= 0
    }
  }
}

function isEqual(value: unknown, other: ConditionValue): boolean {
  if (typeof value === 'boolean') return value === asBoolean(other)
  return orderOf(value, other) === 0
}

/** People write yes and no for true and false. */
function asBoolean(value: ConditionValue): boolean | undefined {
  const text = String(value).toLowerCase()
  return text === 'true' || text === 'yes' ? true : text === 'false' || text === 'no' ? false : undefined
}

/** Numbers in their order, everything else as text without regard to case; ISO dates are in order as text. */
function orderOf(value: unknown, other: ConditionValue): number | undefined {
  const text = asText(value)
  if (text === undefined) return undefined
  const isNumber = typeof value === 'number' || numberPattern.test(text.trim())
  if (typeof other === 'number' && isNumber) return Number(text) - other
  const [one, two] = [text.toLowerCase(), String(other).toLowerCase()]
  return one < two ? -1 : one > two ? 1 : 0
}

function contains(value: unknown, other: ConditionValue): boolean {
  if (Array.isArray(value)) return value.some((each) => isEqual(each, other))
  return asText(value)?.toLowerCase().includes(String(other).toLowerCase()) ?? false
}

/** A time is compared by its start. */
function asText(value: unknown): string | undefined {
  if (typeof value === 'string') return value
  if (typeof value === 'number' || typeof value === 'boolean') return String(value)
  const start = typeof value === 'object' && value !== null && 'start' in value ? value.start : undefined
  return typeof start === 'string' ? start : undefined
}
