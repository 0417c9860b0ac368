/** A walk through a value that claims to be a message: where it stands, and what it has found wrong so far. */
import { amf as limits } from '../limits/index.js'

export type ProblemCode = 'invalidMessage' | 'invalidSignal' | 'unsupportedPart' | 'tooLarge'

/** What kind of fault it is, for those who say it in other words than a path. */
export type Rule = 'duplicateId' | 'badDate' | 'emptyList'

export interface Finding {
  /** As the writer would spell it: `parts[0].options[1].id`; empty for the message itself. */
  readonly path: string
  readonly message: string
  readonly code: ProblemCode
  readonly rule?: Rule
}

export interface ValidationContext {
  readonly path: (string | number)[]
  readonly findings: Finding[]
  readonly intentIds: Set<string>
}

/** True when the value is as it should be; what is wrong is noted on the walk. */
export type Check = (value: unknown, context: ValidationContext) => boolean

export function createValidationContext(): ValidationContext {
  return { path: [], findings: [], intentIds: new Set() }
}

/** Always false, so that a check can end with it. */
export function addFinding(
  context: ValidationContext,
  message: string,
  more?: { code?: ProblemCode; rule?: Rule },
): false {
  if (context.findings.length < limits.problems) {
    const { code = 'invalidMessage', rule } = more ?? {}
    context.findings.push({ path: pathText(context.path), message, code, ...(rule && { rule }) })
  }
  return false
}

/** Notes something about a member of what the walk stands at. */
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

/** A value of the writer's as a message may repeat it: short, and with nothing in it that moves a cursor. */
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
