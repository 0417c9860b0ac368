/** The keywords of JSON Schema that describe a value by itself, without further schemas. */
import { charactersOf } from '../amf/characters.js'
import { isRecord } from '../json.js'
import { tools as limits } from '../limits/index.js'
import {
  faultAt,
  firstFault,
  hasMember,
  isSame,
  type Members,
  type NamedKeyword,
  ofList,
  ofObject,
  ofText,
  type Run,
  type SchemaFault,
  stop,
  stopMalformed,
  takeChars,
  takeSteps,
} from './schemarun.js'
import { hasFormat, patternOf } from './schematexts.js'

const typeNames: Readonly<Record<string, string>> = {
  string: 'text',
  number: 'a number',
  integer: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  null: 'null',
}

function isOfType(type: unknown, value: unknown): boolean {
  if (type === 'integer') return Number.isInteger(value)
  if (type === 'array') return Array.isArray(value)
  if (type === 'object') return isRecord(value)
  return type === 'null' ? value === null : typeof value === type
}

/** A keyword with a number as its operand, for numbers. */
function ofNumber(
  name: string,
  fits: (value: number, operand: number) => boolean,
  message: (operand: number) => string,
): NamedKeyword {
  return [
    name,
    (operand, value, run) => {
      if (typeof operand !== 'number') return stopMalformed(run, name)
      return typeof value !== 'number' || fits(value, operand) ? undefined : faultAt(run, message(operand))
    },
  ]
}

/** A keyword with a number as its operand, for values that have a size. */
function ofSize(
  name: string,
  sizeOf: (value: unknown) => number | undefined,
  fits: (size: number, operand: number) => boolean,
  message: (operand: number) => string,
): NamedKeyword {
  return [
    name,
    (operand, value, run) => {
      if (typeof operand !== 'number') return stopMalformed(run, name)
      const size = sizeOf(value)
      if (size === undefined) return undefined
      const fault = typeof value === 'string' ? takeChars(run, size) : takeSteps(run, size)
      return fault ?? (fits(size, operand) ? undefined : faultAt(run, message(operand)))
    },
  ]
}

const charsOf = (value: unknown) => (typeof value === 'string' ? charactersOf(value) : undefined)
const itemsOf = (value: unknown) => (Array.isArray(value) ? value.length : undefined)
const membersOf = (value: unknown) => (isRecord(value) ? Object.keys(value).length : undefined)
const atLeast = (size: number, min: number) => size >= min
const atMost = (size: number, max: number) => size <= max
const isAbove = (value: number, min: number) => value > min
const isBelow = (value: number, max: number) => value < max
/** Quotients of decimal fractions are a little beside the whole number. */
const isMultiple = (value: number, of: number) => {
  const quotient = value / of
  return Math.abs(quotient - Math.round(quotient)) <= Number.EPSILON * Math.max(1, Math.abs(quotient))
}

/** In the order of their faults: what kind of value it is first, then what is missing, then the rest. */
export const valueKeywords: readonly NamedKeyword[] = [
  [
    'type',
    (operand, value, run) => {
      const types = Array.isArray(operand) ? operand : [operand]
      const isKnown = (type: unknown) => typeof type === 'string' && Object.hasOwn(typeNames, type)
      if (!types.every(isKnown)) return stopMalformed(run, 'type')
      if (types.some((type) => isOfType(type, value))) return undefined
      return faultAt(run, `must be ${types.map((type) => typeNames[type]).join(' or ')}`)
    },
  ],
  ofList('enum', (choices, value, run) => {
    if (choices.some((choice) => isSame(choice, value, run))) return undefined
    return faultAt(run, `must be one of ${choices.map(shown).join(', ')}`)
  }),
  [
    'const',
    (operand, value, run) => (isSame(operand, value, run) ? undefined : faultAt(run, `must be ${shown(operand)}`)),
  ],
  ofSize('minLength', charsOf, atLeast, (min) =>
    min > 1 ? `must have at least ${min} characters` : 'must not be empty',
  ),
  ofSize('maxLength', charsOf, atMost, (max) => `must have at most ${max} characters`),
  ofText('format', (format, value, run) => {
    const fault = takeChars(run, value.length)
    return fault ?? (hasFormat(format, value) ? undefined : faultAt(run, `must be a valid ${format}`))
  }),
  ofText('pattern', (pattern, value, run, schema) => {
    const match = matchPattern(schema, pattern, value, run)
    if (typeof match === 'object') return match
    return match ? undefined : faultAt(run, `must match ${pattern}`)
  }),
  ofNumber('minimum', atLeast, (min) => `must be at least ${min}`),
  ofNumber('maximum', atMost, (max) => `must be at most ${max}`),
  ofNumber('exclusiveMinimum', isAbove, (min) => `must be more than ${min}`),
  ofNumber('exclusiveMaximum', isBelow, (max) => `must be less than ${max}`),
  ofNumber('multipleOf', isMultiple, (of) => `must be a multiple of ${of}`),
  ofSize('minProperties', membersOf, atLeast, (min) => `must have at least ${min} members`),
  ofSize('maxProperties', membersOf, atMost, (max) => `must have at most ${max} members`),
  ['required', (operand, value, run) => (isRecord(value) ? requireNames(operand, value, run) : undefined)],
  ofObject('dependentRequired', (operand, value, run) =>
    firstFault(Object.keys(operand), (name) =>
      hasMember(value, name) ? requireNames(operand[name], value, run) : takeSteps(run, 1),
    ),
  ),
  ofSize('minItems', itemsOf, atLeast, (min) => `must hold at least ${min}`),
  ofSize('maxItems', itemsOf, atMost, (max) => `must hold at most ${max}`),
  [
    'uniqueItems',
    (operand, value, run) => (operand === true && Array.isArray(value) ? findTwin(value, run) : undefined),
  ],
]

function requireNames(names: unknown, value: Members, run: Run): SchemaFault | undefined {
  if (!Array.isArray(names)) return stopMalformed(run, 'required')
  const missing = names.find((name) => !hasMember(value, String(name)))
  const fault = takeSteps(run, names.length)
  return fault ?? (missing === undefined ? undefined : faultAt(run, 'is required', String(missing)))
}

function findTwin(items: readonly unknown[], run: Run): SchemaFault | undefined {
  for (let index = 1; index < items.length; index++) {
    for (let earlier = 0; earlier < index; earlier++) {
      if (isSame(items[index], items[earlier], run)) return faultAt(run, 'must not hold the same value twice')
      if (run.stopped) return run.stopped
    }
  }
  return undefined
}

/** Whether the text matches; a fault when the pattern cannot be used, or the steps are used up. */
export function matchPattern(owner: Members, source: string, text: string, run: Run): boolean | SchemaFault {
  const pattern = patternOf(owner, source)
  if ('problem' in pattern) return stop(run, `is described by a pattern that ${pattern.problem}`)
  return takeChars(run, limits.matchChars + text.length * pattern.states) ?? pattern.matches(text)
}

function shown(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}
