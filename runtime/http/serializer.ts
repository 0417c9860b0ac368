/** Serializers of replies: compiled from the schema where it is plain, and JSON.stringify otherwise. */
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
  // Compiled with the first reply, as checks are.
  let write: Serialize | undefined
  return (value) => {
    write ??= fastJson(JSON.parse(JSON.stringify(schema)), { rounding: 'trunc' }) as Serialize
    return write(value)
  }
}

/** Closed objects and arrays of plain values. JSON.stringify writes every schema that leaves a choice. */
function isPlain(shape: Shape): boolean {
  if (simple.has(shape.type)) return true
  if (shape.type === 'array') return shape.items !== undefined && isPlain(shape.items)
  const closed = shape.type === 'object' && shape.additionalProperties === false
  return closed && Object.values(shape.properties ?? {}).every(isPlain)
}
