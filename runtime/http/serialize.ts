/** How a reply becomes text: by code made from its schema where that is plain, which costs half of what JSON does. */
import fastJson from 'fast-json-stringify'
import type { TSchema } from 'typebox'

export type Serialize = (value: unknown) => string

interface Shape {
  readonly type?: unknown
  readonly properties?: Readonly<Record<string, Shape>>
  readonly items?: Shape
  readonly additionalProperties?: unknown
}

const simple = new Set<unknown>(['string', 'integer', 'number', 'boolean'])

export function compileSerialize(schema: TSchema): Serialize {
  if (!isPlain(schema as Shape)) return JSON.stringify
  // Like checks, compiled when it is first needed.
  let write: Serialize | undefined
  return (value) => {
    write ??= fastJson(JSON.parse(JSON.stringify(schema)), { rounding: 'trunc' }) as Serialize
    return write(value)
  }
}

/** Closed objects and lists of plain values. Whatever leaves a choice is better left to JSON itself. */
function isPlain(shape: Shape): boolean {
  if (simple.has(shape.type)) return true
  if (shape.type === 'array') return shape.items !== undefined && isPlain(shape.items)
  const closed = shape.type === 'object' && shape.additionalProperties === false
  return closed && Object.values(shape.properties ?? {}).every(isPlain)
}
