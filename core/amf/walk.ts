/** A walk through a value that claims to be a message: where it stands, and what it has found wrong so far. */
import { amf as limits } from '../limits.js'

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

export interface Walk {
  readonly path: (string | number)[]
  readonly findings: Finding[]
  readonly intentIds: Set<string>
}

/** True when the value is as it should be; what is wrong is noted on the walk. */
export type Check = (value: unknown, walk: Walk) => boolean

export function newWalk(): Walk {
  return { path: [], findings: [], intentIds: new Set() }
}

/** Always false, so that a check can end with it. */
export function note(walk: Walk, message: string, more?: { code?: ProblemCode; rule?: Rule }): false {
  if (walk.findings.length < limits.problems) {
    const { code = 'invalidMessage', rule } = more ?? {}
    walk.findings.push({ path: pathText(walk.path), message, code, ...(rule && { rule }) })
  }
  return false
}

/** Notes something about a member of what the walk stands at. */
export function noteAt(walk: Walk, member: string | number, message: string, more?: Parameters<typeof note>[2]): false {
  walk.path.push(member)
  note(walk, message, more)
  walk.path.pop()
  return false
}

/** A value of the writer's as a message may repeat it: short, and with nothing in it that moves a cursor. */
export function quoted(value: unknown): string {
  const text = typeof value === 'string' ? value : typeof value
  return JSON.stringify(text.length > 40 ? `${text.slice(0, 40)}…` : text)
}

function pathText(path: readonly (string | number)[]): string {
  let text = ''
  for (const step of path) {
    if (typeof step === 'number') text += `[${step}]`
    else if (!/^[A-Za-z_$][\w$]{0,39}$/.test(step)) text += `[${quoted(step)}]`
    else text += text === '' ? step : `.${step}`
  }
  return text
}
