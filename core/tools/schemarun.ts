/** One check of a value against a schema: its faults, and the steps that it may still take. */
import { isRecord } from '../json.js'
import { tools as limits } from '../limits/index.js'

type Path = readonly (string | number)[]

/** Why a value does not fit, and where in it. The message follows the name of the field: `must be text`. */
export interface SchemaFault {
  readonly path: Path
  readonly message: string
}

export interface Run {
  readonly root: unknown
  readonly path: (string | number)[]
  stepsLeft: number
  depth: number
  /** Set once, with the fault of the whole check: an alternative that is left does not undo it. */
  stopped?: SchemaFault
}

export type Members = Readonly<Record<string, unknown>>

/** One keyword of a schema. Its operand is as the operator wrote it. */
export type Keyword = (operand: unknown, value: unknown, run: Run, schema: Members) => SchemaFault | undefined
export type NamedKeyword = readonly [name: string, keyword: Keyword]

export function newRun(root: unknown): Run {
  return { root, path: [], stepsLeft: limits.argumentsSteps, depth: 0 }
}

export function faultAt({ path }: Run, message: string, ...below: Path): SchemaFault {
  return { path: [...path, ...below], message }
}

/** Ends the whole check with this fault. */
export function stop(run: Run, message: string): SchemaFault {
  run.stepsLeft = 0
  run.stopped ??= faultAt(run, message)
  return run.stopped
}

export function stopMalformed(run: Run, keyword: string): SchemaFault {
  return stop(run, `is described by a schema whose ${keyword} cannot be read`)
}

export function takeSteps(run: Run, count: number): SchemaFault | undefined {
  run.stepsLeft -= count
  return run.stepsLeft < 0 ? stop(run, 'takes too many steps to check') : undefined
}

/** The steps of work that grows with so many characters, members or states. */
export function takeChars(run: Run, count: number): SchemaFault | undefined {
  return takeSteps(run, Math.ceil(count / limits.charsPerStep))
}

/** A member that is undefined is none: it does not reach JSON. */
export function hasMember(value: Members, name: string): boolean {
  return Object.hasOwn(value, name) && value[name] !== undefined
}

export function firstFault<T>(list: Iterable<T>, test: (each: T) => SchemaFault | undefined): SchemaFault | undefined {
  for (const each of list) {
    const fault = test(each)
    if (fault) return fault
  }
  return undefined
}

/** A keyword whose operand is a list. */
export function ofList(
  name: string,
  test: (operand: readonly unknown[], value: unknown, run: Run) => SchemaFault | undefined,
): NamedKeyword {
  return [
    name,
    (operand, value, run) => (Array.isArray(operand) ? test(operand, value, run) : stopMalformed(run, name)),
  ]
}

/** A keyword whose operand is an object, for objects. */
export function ofObject(
  name: string,
  test: (operand: Members, value: Members, run: Run) => SchemaFault | undefined,
): NamedKeyword {
  return [
    name,
    (operand, value, run) => {
      if (!isRecord(operand)) return stopMalformed(run, name)
      return isRecord(value) ? test(operand, value, run) : undefined
    },
  ]
}

/** A keyword whose operand is a text, for texts. */
export function ofText(
  name: string,
  test: (operand: string, value: string, run: Run, schema: Members) => SchemaFault | undefined,
): NamedKeyword {
  return [
    name,
    (operand, value, run, schema) => {
      if (typeof operand !== 'string') return stopMalformed(run, name)
      return typeof value === 'string' ? test(operand, value, run, schema) : undefined
    },
  ]
}

/** Deep equality of JSON values. Counts its steps; once they are used up, values count as different. */
export function isSame(one: unknown, other: unknown, run: Run): boolean {
  if (takeSteps(run, 1)) return false
  if (one === other) return true
  if (Array.isArray(one) && Array.isArray(other))
    return one.length === other.length && one.every((each, index) => isSame(each, other[index], run))
  if (!isRecord(one) || !isRecord(other)) return false
  const names = Object.keys(one)
  return (
    names.length === Object.keys(other).length &&
    names.every((name) => Object.hasOwn(other, name) && isSame(one[name], other[name], run))
  )
}
