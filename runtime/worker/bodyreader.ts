/** Reads a body that is too long for the event loop: parses it, validates it by its schema, and returns it in parts. */
import type { TSchema } from 'typebox'
import { importFaults, normalizeThings } from '../../core/agent/index.js'
import { faultsOf } from '../../core/agent/schemacheck.js'
import type { FieldError } from '../../core/errors.js'
import { isRecord } from '../../core/json.js'
import { http, worker as limits } from '../../core/limits/index.js'
import { readJson } from '../http/json.js'
import { readYaml, tooManyNamesError } from './yaml.js'

export interface ReadBody {
  readonly bytes: Uint8Array
  readonly type: 'json' | 'yaml'
  /** The schema of the value; paths of its faults begin with `at`. */
  readonly schema?: TSchema
  readonly at?: string
  /** Things are validated without members that their actions do not have, an import section by section. */
  readonly as?: 'things' | 'import'
  /** The nesting limit, where it is higher than for other bodies. */
  readonly depth?: number
}

type Shape = Omit<ReadBody, 'bytes' | 'type' | 'depth'>

/** The value without the items of its long lists, those items list by list, or the reason why there is no value. */
export type BodyPart =
  | { readonly value: unknown }
  | { readonly path: readonly string[]; readonly items: readonly unknown[] }
  | { readonly faults: readonly FieldError[] }

export function* readBody({ bytes, type, depth = http.jsonDepth, ...shape }: ReadBody): Iterable<BodyPart> {
  const read =
    type === 'yaml'
      ? readYaml(bytes, { maxNames: maxNames(shape), depth })
      : readJson(bufferOf(bytes), { ...limits, jsonDepth: depth })
  if ('problem' in read) return yield { faults: [read.problem] }
  const value = shape.as === 'things' ? normalizeThings(read.value) : read.value
  const faults = findFaults(value, shape)
  if (faults.length > 0) return yield { faults }
  const lists: List[] = []
  yield { value: extractLists(value, [], lists) }
  for (const list of lists) yield* splitList(list)
}

function findFaults(value: unknown, { schema, at = '', as }: Shape): readonly FieldError[] {
  if (as === 'import') return tooManyNames(value) ?? importFaults(value)
  return schema ? faultsOf(schema, value, at) : []
}

function maxNames({ as }: Shape): number {
  return as === 'import' ? limits.importNames : Number.POSITIVE_INFINITY
}

/** Each unknown name is a fault, and creating millions of them takes longer than parsing. */
function tooManyNames(value: unknown): readonly FieldError[] | undefined {
  if (!isRecord(value)) return undefined
  let names = 0
  for (const _name in value) if (++names > limits.importNames) return [tooManyNamesError(limits.importNames)]
  return undefined
}

function bufferOf({ buffer, byteOffset, length }: Uint8Array): Buffer {
  return Buffer.from(buffer, byteOffset, length)
}

interface List {
  readonly path: readonly string[]
  readonly items: readonly unknown[]
}

/** The deepest level of an agent's document with lists that may be long. */
const maxDepth = 3
const shortItems = 16

function extractLists(value: unknown, path: readonly string[], lists: List[]): unknown {
  if (Array.isArray(value)) {
    if (value.length <= shortItems) return value
    lists.push({ path, items: value })
    return []
  }
  if (typeof value !== 'object' || value === null || path.length >= maxDepth) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => [name, extractLists(each, [...path, name], lists)]),
  )
}

function* splitList({ path, items }: List): Iterable<BodyPart> {
  let part: unknown[] = []
  let bytes = 0
  for (const item of items) {
    part.push(item)
    bytes += JSON.stringify(item).length
    if (bytes < limits.partBytes) continue
    yield { path, items: part }
    part = []
    bytes = 0
  }
  if (part.length > 0) yield { path, items: part }
}

/** Reassembles the parts of a body. */
export class BodyAssembler {
  value: unknown
  faults: readonly FieldError[] | undefined

  readonly onPart = (part: BodyPart): void => {
    if ('faults' in part) this.faults = part.faults
    else if ('value' in part) this.value = part.value
    else {
      let list = this.value
      for (const name of part.path) list = (list as Readonly<Record<string, unknown>>)[name]
      ;(list as unknown[]).push(...part.items)
    }
  }
}
