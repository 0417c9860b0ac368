/**
 * Validation of provider requests as data: a shape returns the first problem of a value with its path, or undefined.
 */
import { isRecord } from '../../core/json.js'

/** The first problem, beginning with its path; undefined for a value of this shape. */
export type Shape = (value: unknown, path: string) => string | undefined
export type JsonObject = Readonly<Record<string, unknown>>
type Members = Readonly<Record<string, Shape>>

interface Bounds {
  readonly min?: number
  readonly max?: number
}

export const anything: Shape = () => undefined

/** Characters are code points; `bytes` counts UTF-8 instead. */
export function text({ min = 1, max, bytes, form }: Bounds & { bytes?: true; form?: RegExp } = {}): Shape {
  return (value, path) => {
    if (typeof value !== 'string') return `${path} is not a text`
    const length = bytes ? Buffer.byteLength(value) : [...value].length
    if (length < min) return `${path} is empty`
    if (max !== undefined && length > max) return `${path} is longer than ${max} ${bytes ? 'bytes' : 'characters'}`
    return form && !form.test(value) ? `${path} does not have the form it must have` : undefined
  }
}

export function number({ min = -Infinity, max = Infinity, whole }: Bounds & { whole?: true } = {}): Shape {
  return (value, path) => {
    if (typeof value !== 'number' || !Number.isFinite(value)) return `${path} is not a number`
    if (whole && !Number.isInteger(value)) return `${path} is not a whole number`
    return value < min || value > max ? `${path} is not between ${min} and ${max}` : undefined
  }
}

export const flag: Shape = (value, path) =>
  typeof value === 'boolean' ? undefined : `${path} is neither true nor false`

export function oneOf(...values: readonly unknown[]): Shape {
  return (value, path) => (values.includes(value) ? undefined : `${path} is none of ${values.join(', ')}`)
}

export function list(of: Shape, { min = 0, max = Infinity }: Bounds = {}): Shape {
  return (value, path) => {
    if (!Array.isArray(value)) return `${path} is not a list`
    if (value.length < min) return `${path} has fewer than ${min} entries`
    if (value.length > max) return `${path} has more than ${max} entries`
    return first(value.map((each, index) => of(each, `${path}[${index}]`)))
  }
}

/** Closed: a member that is in neither table is an error. `check` runs only when all members are valid. */
export function object(
  required: Members,
  optional: Members = {},
  check: (value: JsonObject, path: string) => string | undefined = () => undefined,
): Shape {
  return (value, path) => {
    if (!isRecord(value)) return `${path} is not an object`
    const members = { ...required, ...optional }
    const unknown = Object.keys(value).find((name) => !Object.hasOwn(members, name))
    if (unknown !== undefined) return `${member(path, unknown)} is an unknown name`
    const missing = Object.keys(required).find((name) => value[name] === undefined)
    if (missing !== undefined) return `${member(path, missing)} is missing`
    const problems = Object.entries(value)
      .filter(([, each]) => each !== undefined)
      .map(([name, each]) => members[name]!(each, member(path, name)))
    return first(problems) ?? check(value, path)
  }
}

/** Exactly one of these members must be present. */
export function onlyOne(...names: readonly string[]) {
  return (value: JsonObject, path: string): string | undefined => {
    const present = names.filter((name) => value[name] !== undefined)
    return present.length === 1 ? undefined : `${path} has ${present.length} of ${names.join(', ')} and not one`
  }
}

export function someOf(...names: readonly string[]) {
  return (value: JsonObject, path: string): string | undefined =>
    names.some((name) => value[name] !== undefined) ? undefined : `${path} has none of ${names.join(', ')}`
}

/** The member `name` selects the shape. */
export function byKind(name: string, kinds: Readonly<Record<string, Shape>>): Shape {
  return (value, path) => {
    if (!isRecord(value)) return `${path} is not an object`
    const kind = value[name]
    if (typeof kind !== 'string' || !Object.hasOwn(kinds, kind)) return `${member(path, name)} is not a known kind`
    return kinds[kind]!(value, path)
  }
}

export function link(max = 2_000): Shape {
  const length = text({ max })
  return (value, path) =>
    length(value, path) ?? (/^https?:\/\/\S+$/.test(value as string) ? undefined : `${path} is not a web address`)
}

function member(path: string, name: string): string {
  return path === '' ? name : `${path}.${name}`
}

function first(problems: readonly (string | undefined)[]): string | undefined {
  return problems.find((each) => each !== undefined)
}
