/** One way to write a value: members in the order of its schema, so that the same agent is always the same export. */
import type { TSchema } from 'typebox'

interface Shape {
  readonly properties?: Readonly<Record<string, Shape>>
  readonly items?: Shape
  readonly anyOf?: readonly Shape[]
  readonly oneOf?: readonly Shape[]
  readonly discriminator?: { readonly propertyName: string }
  readonly const?: unknown
}

/** Members that no schema names stand behind the others, by their names. */
export function canonical<T>(schema: TSchema | object, value: T): T {
  return ordered(schema as Shape, value) as T
}

function ordered(shape: Shape, value: unknown): unknown {
  if (Array.isArray(value)) return value.map((each) => ordered(shape.items ?? {}, each))
  if (typeof value !== 'object' || value === null) return value
  const { properties = {} } = shapeFor(shape, value)
  const members = value as Record<string, unknown>
  const written: Record<string, unknown> = {}
  for (const name of orderOf(properties)) {
    if (Object.hasOwn(members, name) && members[name] !== undefined)
      written[name] = ordered(properties[name]!, members[name])
  }
  const others = Object.keys(members).filter((name) => !Object.hasOwn(properties, name))
  for (const name of others.sort()) if (members[name] !== undefined) written[name] = ordered({}, members[name])
  return written
}

const orders = new WeakMap<object, readonly string[]>()

/** The same for every item of a list, and lists are long. */
function orderOf(properties: NonNullable<Shape['properties']>): readonly string[] {
  const known = orders.get(properties)
  if (known) return known
  const first = ['id', 'key', 'toolId', 'name'].filter((name) => Object.hasOwn(properties, name))
  const order = [...new Set([...first, ...Object.keys(properties)])]
  orders.set(properties, order)
  return order
}

function shapeFor(shape: Shape, value: object): Shape {
  const shapes = shape.oneOf ?? shape.anyOf
  if (!shapes) return shape
  const by = shape.discriminator?.propertyName
  const meant = by
    ? shapes.find((each) => each.properties?.[by]?.const === (value as Record<string, unknown>)[by])
    : undefined
  return meant ?? shapes.find((each) => each.properties) ?? {}
}
