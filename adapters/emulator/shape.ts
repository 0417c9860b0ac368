/** What a provider accepts, written down as data: a shape says what is wrong with a value and where, or nothing. */
import { isRecord } from '../../core/json.js'

/** The first thing that is wrong, beginning with its path; undefined for a value of this shape. */
export type Shape = (value: unknown, at: string) => string | undefined
export type Loose = Readonly<Record<string, unknown>>
type Members = Readonly<Record<string, Shape>>

interface Bounds {
  readonly min?: number
  readonly max?: number
}

export const anything: Shape = () => undefined

/** Characters are code points; `bytes` counts UTF-8 instead. */
export function text({ min = 1, max, bytes, form }: Bounds & { bytes?: true; form?: RegExp } = {}): Shape {
  return (value, at) => {
    if (typeof value !== 'string') return `${at} is not a text`
    const length = bytes ? Buffer.byteLength(value) : [...value].length
    if (length < min) return `${at} is empty`
    if (max !== undefined && length > max) return `${at} is longer than ${max} ${bytes ? 'bytes' : 'characters'}`
    return form && !form.test(value) ? `${at} does not have the form it must have` : undefined
  }
}

export function number({ min = -Infinity, max = Infinity, whole }: Bounds & { whole?: true } = {}): Shape {
  return (value, at) => {
    if (typeof value !== 'number' || !Number.isFinite(value)) return `${at} is not a number`
    if (whole && !Number.isInteger(value)) return `${at} is not a whole number`
    return value < min || value > max ? `${at} is not between ${min} and ${max}` : undefined
  }
}

export const flag: Shape = (value, at) => (typeof value === 'boolean' ? undefined : `${at} is neither true nor false`)

export function among(...values: readonly unknown[]): Shape {
  return (value, at) => (values.includes(value) ? undefined : `${at} is none of ${values.join(', ')}`)
}

export function list(of: Shape, { min = 0, max = Infinity }: Bounds = {}): Shape {
  return (value, at) => {
    if (!Array.isArray(value)) return `${at} is not a list`
    if (value.length < min) return `${at} has fewer than ${min} entries`
    if (value.length > max) return `${at} has more than ${max} entries`
    return first(value.map((each, index) => of(each, `${at}[${index}]`)))
  }
}

/** Closed: a member that is in neither table is an unknown name. `also` sees an object whose members are all right. */
export function object(
  required: Members,
  optional: Members = {},
  also: (value: Loose, at: string) => string | undefined = () => undefined,
): Shape {
  return (value, at) => {
    if (!isRecord(value)) return `${at} is not an object`
    const members = { ...required, ...optional }
    const unknown = Object.keys(value).find((name) => !Object.hasOwn(members, name))
    if (unknown !== undefined) return `${member(at, unknown)} is an unknown name`
    const missing = Object.keys(required).find((name) => value[name] === undefined)
    if (missing !== undefined) return `${member(at, missing)} is missing`
    const wrong = Object.entries(value)
      .filter(([, each]) => each !== undefined)
      .map(([name, each]) => members[name]!(each, member(at, name)))
    return first(wrong) ?? also(value, at)
  }
}

/** Exactly one of these members has to be there. */
export function onlyOne(...names: readonly string[]) {
  return (value: Loose, at: string): string | undefined => {
    const found = names.filter((name) => value[name] !== undefined)
    return found.length === 1 ? undefined : `${at} has ${found.length} of ${names.join(', ')} and not one`
  }
}

export function someOf(...names: readonly string[]) {
  return (value: Loose, at: string): string | undefined =>
    names.some((name) => value[name] !== undefined) ? undefined : `${at} has none of ${names.join(', ')}`
}

/** The member `name` decides which shape holds. */
export function byKind(name: string, kinds: Readonly<Record<string, Shape>>): Shape {
  return (value, at) => {
    if (!isRecord(value)) return `${at} is not an object`
    const kind = value[name]
    if (typeof kind !== 'string' || !Object.hasOwn(kinds, kind)) return `${member(at, name)} is not a known kind`
    return kinds[kind]!(value, at)
  }
}

export function link(max = 2_000): Shape {
  const length = text({ max })
  return (value, at) =>
    length(value, at) ?? (/^https?:\/\/\S+$/.test(value as string) ? undefined : `${at} is not a web address`)
}

function member(at: string, name: string): string {
  return at === '' ? name : `${at}.${name}`
}

function first(problems: readonly (string | undefined)[]): string | undefined {
  return problems.find((each) => each !== undefined)
}
