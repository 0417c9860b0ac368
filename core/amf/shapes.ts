/**
 * Compiles schemas to checks that report each fault with its path. The type of the value decides which shape of a union
 * applies, without trying each of them, so that a fault has one path and one message.
 */
import { isRecord } from '../json.js'
import { hasBadCharacters, isLongerThan } from './characters.js'
import { addFinding, addFindingAt, type Check, quote, type ValidationContext } from './findings.js'
import { memberRules, shapeRules } from './rules.js'
import { patterns } from './values.js'

/** The supported subset of JSON Schema. */
export interface Shape {
  readonly type?: string
  readonly const?: unknown
  readonly enum?: readonly unknown[]
  readonly anyOf?: readonly Shape[]
  readonly properties?: Readonly<Record<string, Shape>>
  readonly required?: readonly string[]
  readonly items?: Shape
  readonly minItems?: number
  readonly maxItems?: number
  readonly minLength?: number
  readonly maxLength?: number
  readonly pattern?: string
  readonly minimum?: number
  readonly maximum?: number
}

export function checkOf(shape: Shape): Check {
  if (shape.anyOf?.every((each) => each.const !== undefined)) return oneOf(shape.anyOf.map((each) => each.const))
  if (shape.anyOf) return unionOf(shape.anyOf)
  if (shape.enum) return oneOf(shape.enum)
  if (shape.const !== undefined) return oneOf([shape.const])
  if (shape.type === 'string') return textOf(shape)
  if (shape.type === 'number') return numberOf(shape)
  if (shape.type === 'array' && shape.items)
    return listOf(checkOf(shape.items), shape, 'id' in (shape.items.properties ?? {}))
  if (shape.type === 'object' && shape.properties) {
    const members = Object.entries(shape.properties).map(([name, each]): [string, Check] => [name, checkOf(each)])
    return membersOf(new Map(members), shape.required ?? [], shapeRules.get(shape.properties))
  }
  throw new Error(`No check is known for a shape of type ${shape.type}`)
}

/** An object with these members and no others. A member that is undefined counts as absent. */
export function membersOf(members: ReadonlyMap<string, Check>, required: readonly string[], rule?: Check): Check {
  return (value, context) => {
    if (!isRecord(value)) return addFinding(context, `must be an object${actualType(value)}`)
    let isValid = true
    for (const name of Object.keys(value)) {
      const member = value[name]
      if (member === undefined) continue
      context.path.push(name)
      const check = members.get(name)
      const passed = check ? check(member, context) : addFinding(context, 'is not known here')
      if (passed) isValid = (memberRules.get(name)?.(member, context) ?? true) && isValid
      else isValid = false
      context.path.pop()
    }
    for (const name of required) if (value[name] === undefined) isValid = addFindingAt(context, name, 'is required')
    if (members.has('intentId') && !isNewIntent(value.intentId, context)) isValid = false
    return isValid && (rule?.(value, context) ?? true)
  }
}

export function listOf(item: Check, bounds: Pick<Shape, 'minItems' | 'maxItems'>, hasIds = false): Check {
  const { minItems = 0, maxItems = Number.POSITIVE_INFINITY } = bounds
  return (value, context) => {
    if (!Array.isArray(value)) return addFinding(context, `must be a list${actualType(value)}`)
    if (value.length < minItems) return addFinding(context, `must hold at least ${minItems}`, { rule: 'emptyList' })
    if (value.length > maxItems) {
      return addFinding(context, `must hold at most ${maxItems}, and holds ${value.length}`, { code: 'tooLarge' })
    }
    const ids = new Set<unknown>()
    let isValid = true
    for (let index = 0; index < value.length; index++) {
      const each = value[index]
      context.path.push(index)
      if (!item(each, context)) isValid = false
      if (hasIds && isRecord(each) && typeof each.id === 'string') {
        if (ids.has(each.id)) isValid = addFindingAt(context, 'id', `${quote(each.id)} stands here twice`, duplicate)
        ids.add(each.id)
      }
      context.path.pop()
    }
    return isValid
  }
}

const duplicate = { rule: 'duplicateId' } as const

function isNewIntent(intentId: unknown, context: ValidationContext): boolean {
  if (typeof intentId !== 'string') return false
  if (context.intentIds.has(intentId)) {
    return addFindingAt(context, 'intentId', `${quote(intentId)} is already the id of another intent here`, duplicate)
  }
  context.intentIds.add(intentId)
  return true
}

function actualType(value: unknown): string {
  if (value === null) return ', not null'
  return Array.isArray(value) ? ', not a list' : `, not ${/^[aeiou]/.test(typeof value) ? 'an' : 'a'} ${typeof value}`
}

export function oneOf(allowed: readonly unknown[], more?: Parameters<typeof addFinding>[2]): Check {
  const values = new Set(allowed)
  const must = allowed.length > 1 ? `must be one of ${allowed.join(', ')}` : `must be ${allowed[0]}`
  return (value, context) => values.has(value) || addFinding(context, `${must}${actualValue(value)}`, more)
}

function actualValue(value: unknown): string {
  return typeof value === 'string' ? `, not ${quote(value)}` : actualType(value)
}

/** At most one shape for strings and one for lists, and object shapes without a common member. */
function unionOf(shapes: readonly Shape[]): Check {
  const only = (type: string) => shapes.filter((each) => each.type === type).map(checkOf)[0]
  const [text, list] = [only('string'), only('array')]
  const objects = shapes
    .filter((each) => each.properties)
    .map((each) => ({ names: Object.keys(each.properties ?? {}), check: checkOf(each) }))
  const must = [
    text && 'text',
    list && 'a list of text and values',
    ...objects.map(({ names }) => `{ ${names.join(', ')} }`),
  ]
  const message = `must be ${must.filter(Boolean).join(' or ')}`
  return (value, context) => {
    if (typeof value === 'string' && text) return text(value, context)
    if (Array.isArray(value) && list) return list(value, context)
    const matching = isRecord(value) ? objects.find(({ names }) => names.some((name) => name in value)) : undefined
    return matching ? matching.check(value, context) : addFinding(context, message)
  }
}

export function textOf(shape: Shape): Check {
  const { minLength = 0, maxLength = Number.POSITIVE_INFINITY } = shape
  const pattern = shape.pattern === undefined ? undefined : patterns.get(shape.pattern)
  if (shape.pattern !== undefined && !pattern) throw new Error(`${shape.pattern} is not among the patterns`)
  return (value, context) => {
    if (typeof value !== 'string') return addFinding(context, `must be text${actualType(value)}`)
    if (isLongerThan(value, maxLength)) {
      return addFinding(context, `must have at most ${maxLength} characters`, { code: 'tooLarge' })
    }
    if (minLength > 0 && !/\S/.test(value)) return addFinding(context, 'must not be empty')
    if (hasBadCharacters(value)) return addFinding(context, 'must not hold NUL or half a surrogate pair')
    return !pattern || pattern.expression.test(value) || addFinding(context, `${pattern.must}, not ${quote(value)}`)
  }
}

function numberOf({ minimum = Number.NEGATIVE_INFINITY, maximum = Number.POSITIVE_INFINITY }: Shape): Check {
  return (value, context) => {
    if (typeof value !== 'number' || !Number.isFinite(value)) return addFinding(context, 'must be a number')
    return (value >= minimum && value <= maximum) || addFinding(context, `must be from ${minimum} to ${maximum}`)
  }
}
