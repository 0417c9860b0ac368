/** Canonical order of members: that of the schema, so that the same agent always gives the same export. */
import type { TSchema } from 'typebox'

interface Shape {
  readonly properties?: Readonly<Record<string, Shape>>
  readonly items?: Shape
  readonly anyOf?: readonly Shape[]
  readonly oneOf?: readonly Shape[]
  readonly discriminator?: { readonly propertyName: string }
  readonly const?: unknown
}

/** Members that the schema does not name come last, sorted by name. Returns the same value when it is in order. */
export function canonicalize<T>(schema: TSchema | object, value: T): T {
  const shape = schema as Shape
  if (Array.isArray(value)) return value.map((each) => canonicalize(shape.items ?? {}, each)) as T
  return isOrdered(shape, value) ? value : (orderMembers(shape, value) as T)
}

function isOrdered(shape: Shape, value: unknown): boolean {
  if (Array.isArray(value)) return value.every((each) => isOrdered(shape.items ?? {}, each))
  if (typeof value !== 'object' || value === null) return true
  const { properties = {} } = shapeFor(shape, value)
  const order = memberOrder(properties)
  const members = value as Record<string, unknown>
  let last = -1
  let lastOther: string | undefined
  for (const name in members) {
    const position = order.get(name)
    if (position === undefined) {
      if (lastOther !== undefined && name <= lastOther) return false
      lastOther = name
    } else {
      if (position <= last || lastOther !== undefined) return false
      last = position
    }
    if (
      members[name] === undefined ||
      !isOrdered((position === undefined ? undefined : properties[name]) ?? {}, members[name])
    )
      return false
  }
  return true
}

function orderMembers(shape: Shape, value: unknown): unknown {
  if (Array.isArray(value)) return value.map((each) => orderMembers(shape.items ?? {}, each))
  if (typeof value !== 'object' || value === null) return value
  const { properties = {} } = shapeFor(shape, value)
  const members = value as Record<string, unknown>
  const result: Record<string, unknown> = {}
  const names = Object.keys(members)
  let knownCount = 0
  for (const name of memberOrder(properties).keys()) {
    if (!Object.hasOwn(members, name)) continue
    knownCount++
    if (members[name] !== undefined) result[name] = orderMembers(properties[name]!, members[name])
  }
  if (knownCount === names.length) return result
  const others = names.filter((name) => !Object.hasOwn(properties, name))
  for (const name of others.sort()) if (members[name] !== undefined) result[name] = orderMembers({}, members[name])
  return result
}

const orderCache = new WeakMap<object, ReadonlyMap<string, number>>()

/** Cached by schema: it is the same for every item of a list, and lists are long. */
function memberOrder(properties: NonNullable<Shape['properties']>): ReadonlyMap<string, number> {
  const cached = orderCache.get(properties)
  if (cached) return cached
  const first = ['id', 'key', 'toolId', 'name'].filter((name) => Object.hasOwn(properties, name))
  const order = new Map([...new Set([...first, ...Object.keys(properties)])].map((name, at) => [name, at]))
  orderCache.set(properties, order)
  return order
}

function shapeFor(shape: Shape, value: object): Shape {
  const shapes = shape.oneOf ?? shape.anyOf
  if (!shapes) return shape
  const by = shape.discriminator?.propertyName
  const matching = by
    ? shapes.find((each) => each.properties?.[by]?.const === (value as Record<string, unknown>)[by])
    : undefined
  return matching ?? shapes.find((each) => each.properties) ?? {}
}
