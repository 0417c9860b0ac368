/**
 * Compiles schemas to checks that report each fault with its path as the caller would write it. The type of the value
 * decides which shape of a union applies, without trying each of them, so that a fault has one path and one message.
 */
import type { TSchema } from 'typebox'
import { hasBadCharacters, isLongerThan } from '../amf/characters.js'
import type { FieldError } from '../errors.js'
import { isRecord } from '../json.js'
import { agentLimits } from '../limits/index.js'
import { patternDescriptions } from '../patterndescriptions.js'
import { isPattern, readExpression } from './pattern/index.js'
import { urlWithCredentials } from './resources/schemas.js'

/** The supported subset of JSON Schema. */
interface Shape {
  readonly type?: string | readonly string[]
  readonly const?: unknown
  readonly enum?: readonly unknown[]
  readonly anyOf?: readonly Shape[]
  readonly oneOf?: readonly Shape[]
  readonly discriminator?: { readonly propertyName: string }
  readonly properties?: Readonly<Record<string, Shape>>
  readonly additionalProperties?: boolean | Shape
  readonly maxProperties?: number
  readonly required?: readonly string[]
  readonly items?: Shape
  readonly minItems?: number
  readonly maxItems?: number
  readonly uniqueItems?: boolean
  readonly minLength?: number
  readonly maxLength?: number
  readonly pattern?: string
  readonly format?: string
  readonly writeOnly?: boolean
  readonly minimum?: number
  readonly maximum?: number
}

interface CheckContext {
  readonly path: (string | number)[]
  readonly faults: FieldError[]
}

type Check = (value: unknown, context: CheckContext) => void

const compiledChecks = new WeakMap<object, Check>()

/** The faults of a value, at most `agentLimits.faults`; empty when it is valid. */
export function faultsOf(schema: TSchema | object, value: unknown, at = ''): FieldError[] {
  let check = compiledChecks.get(schema)
  if (!check) {
    check = checkOf(schema as Shape)
    compiledChecks.set(schema, check)
  }
  const context: CheckContext = { path: at === '' ? [] : [at], faults: [] }
  check(value, context)
  return context.faults
}

/** `['things', 1, 'name']` is `things[1].name`. */
export function pathOf(parts: readonly (string | number)[]): string {
  return parts
    .map((part) => (typeof part === 'number' ? `[${part}]` : `.${part}`))
    .join('')
    .replace(/^\./, '')
}

function addFault({ path, faults }: CheckContext, message: string, ...below: (string | number)[]): void {
  if (faults.length < agentLimits.faults) faults.push({ field: pathOf([...path, ...below]) || 'body', message })
}

/** Write-only values are sealed, and only they may hold credentials. */
function checkOf(shape: Shape, isSealed = shape.writeOnly === true): Check {
  if (shape.discriminator && shape.oneOf) return discriminated(shape.oneOf, shape.discriminator.propertyName)
  if (shape.anyOf) return unionOf(shape.anyOf, isSealed)
  if (shape.enum) return oneOf(shape.enum)
  if (shape.const !== undefined) return oneOf([shape.const])
  if (Array.isArray(shape.type))
    return unionOf(
      shape.type.map((type: string) => ({ ...shape, type })),
      isSealed,
    )
  switch (shape.type) {
    case 'string':
      return textOf(shape, isSealed)
    case 'number':
    case 'integer':
      return numberOf(shape)
    case 'boolean':
      return (value, context) => typeof value === 'boolean' || addFault(context, 'must be true or false')
    case 'null':
      return (value, context) => value === null || addFault(context, 'must be null')
    case 'array':
      return listOf(shape)
    case 'object':
      return membersOf(shape)
    default:
      return () => undefined
  }
}

function oneOf(allowed: readonly unknown[]): Check {
  const must = allowed.length > 1 ? `must be one of ${allowed.join(', ')}` : `must be ${allowed[0]}`
  return (value, context) => allowed.includes(value) || addFault(context, must)
}

function membersOf(shape: Shape): Check {
  const members = new Map(Object.entries(shape.properties ?? {}).map(([name, each]) => [name, checkOf(each)]))
  const { additionalProperties: more = true, required = [], maxProperties = Number.POSITIVE_INFINITY } = shape
  const others = typeof more === 'object' ? checkOf(more) : undefined
  return (value, context) => {
    if (!isRecord(value)) return addFault(context, 'must be an object')
    const names = Object.keys(value)
    if (names.length > maxProperties) return addFault(context, `must have at most ${maxProperties} members`)
    for (const name of names) {
      const member = value[name]
      if (member === undefined) continue
      const check = members.get(name) ?? others
      if (name === '__proto__' || (!check && more === false)) {
        addFault(context, 'is not a known field', name)
        continue
      }
      context.path.push(name)
      check?.(member, context)
      context.path.pop()
    }
    for (const name of required) if (value[name] === undefined) addFault(context, 'is required', name)
  }
}

/** The members that may identify an item of a list. */
const idFields = ['id', 'toolId', 'key'] as const

function listOf({ items = {}, minItems = 0, maxItems = Number.POSITIVE_INFINITY, uniqueItems }: Shape): Check {
  const item = checkOf(items)
  const by = idFields.find((name) => items.properties && Object.hasOwn(items.properties, name))
  return (value, context) => {
    if (!Array.isArray(value)) return addFault(context, 'must be a list')
    if (value.length < minItems) return addFault(context, `must hold at least ${minItems}`)
    if (value.length > maxItems) return addFault(context, `must hold at most ${maxItems}`, maxItems)
    const seen = new Set<unknown>()
    value.forEach((each: unknown, index) => {
      context.path.push(index)
      item(each, context)
      const own = by && isRecord(each) ? each[by] : uniqueItems ? each : undefined
      if (own !== undefined && seen.has(own)) addFault(context, 'stands here twice', ...(by ? [by] : []))
      seen.add(own)
      context.path.pop()
    })
  }
}

function numberOf({ type, minimum = Number.NEGATIVE_INFINITY, maximum = Number.POSITIVE_INFINITY }: Shape): Check {
  const kind = type === 'integer' ? 'a whole number' : 'a number'
  const isBounded = Number.isFinite(minimum) && Number.isFinite(maximum)
  const must = isBounded ? `must be ${kind} from ${minimum} to ${maximum}` : `must be ${kind}`
  return (value, context) => {
    const fits = typeof value === 'number' && Number.isFinite(value) && (type !== 'integer' || Number.isInteger(value))
    if (!fits || value < minimum || value > maximum) addFault(context, must)
  }
}

const formats: Readonly<Record<string, { readonly expression: RegExp; readonly must: string }>> = {
  uri: { expression: /^[A-Za-z][A-Za-z0-9+.-]*:\S+$/, must: 'must be an address' },
  email: { expression: /^[^\s@]+@[^\s@]+\.[^\s@]+$/, must: 'must be an e-mail address' },
  date: { expression: /^\d{4}-\d\d-\d\d$/, must: 'must be a day such as 2030-05-14' },
  'date-time': { expression: /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d/, must: 'must be a moment in ISO 8601' },
}

function textOf(
  { minLength = 0, maxLength = Number.POSITIVE_INFINITY, pattern, format }: Shape,
  isSealed: boolean,
): Check {
  const read = pattern === undefined ? undefined : readExpression(pattern)
  if (read && !isPattern(read)) throw new Error(`the pattern ${pattern} ${read.problem}`)
  const formatRule = format === undefined ? undefined : formats[format]
  const must = pattern === undefined ? '' : (patternDescriptions.get(pattern) ?? `must match ${pattern}`)
  return (value, context) => {
    if (typeof value !== 'string') return addFault(context, 'must be text')
    if (value.length < minLength)
      return addFault(context, minLength > 1 ? `must have at least ${minLength} characters` : 'must not be empty')
    if (isLongerThan(value, maxLength)) return addFault(context, `must have at most ${maxLength} characters`)
    if (hasBadCharacters(value)) return addFault(context, 'must not hold NUL or half a surrogate pair')
    if (read && !read.matches(value)) return addFault(context, must)
    if (formatRule && !formatRule.expression.test(value)) return addFault(context, formatRule.must)
    if (!isSealed && value.includes('://') && urlWithCredentials.test(value))
      addFault(context, 'must not hold an address with a user name or password')
  }
}

function discriminated(shapes: readonly Shape[], by: string): Check {
  const checks = new Map(shapes.map((shape) => [shape.properties?.[by]?.const, checkOf(shape)]))
  const must = `must be one of ${[...checks.keys()].join(', ')}`
  return (value, context) => {
    if (!isRecord(value)) return addFault(context, 'must be an object')
    const check = checks.get(value[by])
    if (check) check(value, context)
    else addFault(context, value[by] === undefined ? 'is required' : must, by)
  }
}

function typeOf(value: unknown): string {
  if (value === null) return 'null'
  return Array.isArray(value) ? 'array' : typeof value
}

const typeNames: Readonly<Record<string, string>> = {
  string: 'text',
  number: 'a number',
  integer: 'a number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  null: 'null',
}

/** At most one shape for each type, or a list of constants. */
function unionOf(shapes: readonly Shape[], isSealed = false): Check {
  if (shapes.every((shape) => shape.const !== undefined)) return oneOf(shapes.map((shape) => shape.const))
  const byType = new Map<string, Check>()
  for (const shape of shapes) {
    const type = String(shape.type ?? typeOf(shape.enum?.[0] ?? shape.const))
    byType.set(type === 'integer' ? 'number' : type, checkOf(shape, isSealed || shape.writeOnly))
  }
  const must = `must be ${[...byType.keys()].map((type) => typeNames[type]).join(' or ')}`
  return (value, context) => {
    const check = byType.get(typeOf(value))
    if (check) check(value, context)
    else addFault(context, must)
  }
}
