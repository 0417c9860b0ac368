/** Validation context of a message: the current path, and the findings so far. */
import { amf as limits } from '../limits/index.js'

export type ProblemCode = 'invalidMessage' | 'invalidSignal' | 'unsupportedPart' | 'tooLarge'

/** The kind of a fault, for callers that report it as something other than a path. */
export type FaultKind = 'duplicateId' | 'badDate' | 'emptyList'

export interface Finding {
  /** As the caller would spell it: `parts[0].options[1].id`; empty for the message itself. */
  readonly path: string
  readonly message: string
  readonly code: ProblemCode
  readonly rule?: FaultKind
}

export interface ValidationContext {
  readonly path: (string | number)[]
  readonly findings: Finding[]
  readonly intentIds: Set<string>
}

/** True when the value is valid; a check adds its findings to the context. */
export type Check = (value: unknown, context: ValidationContext) => boolean

export function createValidationContext(): ValidationContext {
  return { path: [], findings: [], intentIds: new Set() }
}

/** Always false, so that a check can end with it. */
export function addFinding(
  context: ValidationContext,
  message: string,
  more?: { code?: ProblemCode; rule?: FaultKind },
): false {
  if (context.findings.length < limits.problems) {
    const { code = 'invalidMessage', rule } = more ?? {}
    context.findings.push({ path: pathText(context.path), message, code, ...(rule && { rule }) })
  }
  return false
}

/** Adds a finding about a member of the current value. */
export function addFindingAt(
  context: ValidationContext,
  member: string | number,
  message: string,
  more?: Parameters<typeof addFinding>[2],
): false {
  context.path.push(member)
  addFinding(context, message, more)
  context.path.pop()
  return false
}

/** A caller's value for use in a message: short and escaped, without control characters. */
export function quote(value: unknown): string {
  const text = typeof value === 'string' ? value : typeof value
  return JSON.stringify(text.length > 40 ? `${text.slice(0, 40)}…` : text)
}

function pathText(path: readonly (string | number)[]): string {
  let text = ''
  for (const step of path) {
    if (typeof step === 'number') text += `[${step}]`
    else if (!/^[A-Za-z_$][\w$]{0,39}$/.test(step)) text += `[${quote(step)}]`
    else text += text === '' ? step : `.${step}`
  }
  return text
}
