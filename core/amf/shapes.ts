/**
 * Shapes turned into checks that say where a value departs from them. A union is decided by what the value is, never by
 * trying each of its shapes, so that a fault has one path and one sentence.
 */
import { isRecord } from '../json.js'
import { hasBadCharacters, isLongerThan } from './characters.js'
import { memberRules, shapeRules } from './rules.js'
import { patterns } from './values.js'
import { type Check, note, noteAt, quoted, type Walk } from './walk.js'

/** What is used of JSON Schema. */
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

/** An object with these members and no others. Of a member that is undefined it is as if it were absent. */
export function membersOf(members: ReadonlyMap<string, Check>, required: readonly string[], rule?: Check): Check {
  return (value, walk) => {
    if (!isRecord(value)) return note(walk, `must be an object${given(value)}`)
    let fine = true
    for (const name of Object.keys(value)) {
      const member = value[name]
      if (member === undefined) continue
      walk.path.push(name)
      const check = members.get(name)
      const passed = check ? check(member, walk) : note(walk, 'is not known here')
      if (passed) fine = (memberRules.get(name)?.(member, walk) ?? true) && fine
      else fine = false
      walk.path.pop()
    }
    for (const name of required) if (value[name] === undefined) fine = noteAt(walk, name, 'is required')
    if (members.has('intentId') && !isNewIntent(value.intentId, walk)) fine = false
    return fine && (rule?.(value, walk) ?? true)
  }
}

export function listOf(item: Check, bounds: Pick<Shape, 'minItems' | 'maxItems'>, hasIds = false): Check {
  const { minItems = 0, maxItems = Number.POSITIVE_INFINITY } = bounds
  return (value, walk) => {
    if (!Array.isArray(value)) return note(walk, `must be a list${given(value)}`)
    if (value.length < minItems) return note(walk, `must hold at least ${minItems}`, { rule: 'emptyList' })
    if (value.length > maxItems) {
      return note(walk, `must hold at most ${maxItems}, and holds ${value.length}`, { code: 'tooLarge' })
    }
    const ids = new Set<unknown>()
    let fine = true
    for (let place = 0; place < value.length; place++) {
      const each = value[place]
      walk.path.push(place)
      if (!item(each, walk)) fine = false
      if (hasIds && isRecord(each) && typeof each.id === 'string') {
        if (ids.has(each.id)) fine = noteAt(walk, 'id', `${quoted(each.id)} stands here twice`, duplicate)
        ids.add(each.id)
      }
      walk.path.pop()
    }
    return fine
  }
}

const duplicate = { rule: 'duplicateId' } as const

function isNewIntent(intentId: unknown, walk: Walk): boolean {
  if (typeof intentId !== 'string') return false
  if (walk.intentIds.has(intentId)) {
    return noteAt(walk, 'intentId', `${quoted(intentId)} is already the id of another intent here`, duplicate)
  }
  walk.intentIds.add(intentId)
  return true
}

function given(value: unknown): string {
  if (value === null) return ', not null'
  return Array.isArray(value) ? ', not a list' : `, not ${/^[aeiou]/.test(typeof value) ? 'an' : 'a'} ${typeof value}`
}

export function oneOf(known: readonly unknown[], otherwise?: Parameters<typeof note>[2]): Check {
  const values = new Set(known)
  const must = known.length > 1 ? `must be one of ${known.join(', ')}` : `must be ${known[0]}`
  return (value, walk) => values.has(value) || note(walk, `${must}${wrong(value)}`, otherwise)
}

function wrong(value: unknown): string {
  return typeof value === 'string' ? `, not ${quoted(value)}` : given(value)
}

/** At most one shape for text and one for lists, and objects that have no member in common. */
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
  const otherwise = `must be ${must.filter(Boolean).join(' or ')}`
  return (value, walk) => {
    if (typeof value === 'string' && text) return text(value, walk)
    if (Array.isArray(value) && list) return list(value, walk)
    const meant = isRecord(value) ? objects.find(({ names }) => names.some((name) => name in value)) : undefined
    return meant ? meant.check(value, walk) : note(walk, otherwise)
  }
}

export function textOf(shape: Shape): Check {
  const { minLength = 0, maxLength = Number.POSITIVE_INFINITY } = shape
  const pattern = shape.pattern === undefined ? undefined : patterns.get(shape.pattern)
  if (shape.pattern !== undefined && !pattern) throw new Error(`${shape.pattern} is not among the patterns`)
  return (value, walk) => {
    if (typeof value !== 'string') return note(walk, `must be text${given(value)}`)
    if (isLongerThan(value, maxLength)) {
      return note(walk, `must have at most ${maxLength} characters`, { code: 'tooLarge' })
    }
    if (minLength > 0 && !/\S/.test(value)) return note(walk, 'must not be empty')
    if (hasBadCharacters(value)) return note(walk, 'must not hold NUL or half a surrogate pair')
    return !pattern || pattern.expression.test(value) || note(walk, `${pattern.must}, not ${quoted(value)}`)
  }
}

function numberOf({ minimum = Number.NEGATIVE_INFINITY, maximum = Number.POSITIVE_INFINITY }: Shape): Check {
  return (value, walk) => {
    if (typeof value !== 'number' || !Number.isFinite(value)) return note(walk, 'must be a number')
    return (value >= minimum && value <= maximum) || note(walk, `must be from ${minimum} to ${maximum}`)
  }
}
