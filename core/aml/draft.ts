/** Draft of a message while its markers are read: unvalidated parts, and the source position of each. */
import { amf as limits } from '../limits/index.js'
import type { AmlProblem, CompileOptions, Position, ProblemCode, Reference, WarningCode } from './contract.js'
import type { Marker } from './scanner.js'

interface DraftContent {
  readonly parts: Record<string, unknown>[]
  readonly chips: Record<string, unknown>[]
  readonly signals: { readonly name: string; readonly at: Position }[]
  /** Source positions by path. */
  readonly origins: Map<string, Position>
  readonly references: Reference[]
}

export interface Draft extends DraftContent {
  readonly options: CompileOptions
  /** Run after the validation: each puts the id of an image in place of its placeholder address. */
  readonly afterValidation: (() => void)[]
  readonly problems: AmlProblem[]
  readonly warnings: AmlProblem[]
}

export function createDraft(options: CompileOptions): Draft {
  return {
    options,
    parts: [],
    chips: [],
    signals: [],
    origins: new Map(),
    references: [],
    afterValidation: [],
    problems: [],
    warnings: [],
  }
}

export function addProblem(draft: Draft, at: Position, code: ProblemCode, message: string): undefined {
  // Problems come in the order of their positions, so those beyond the limit are never among the first.
  if (draft.problems.length < limits.problems) draft.problems.push({ line: at.line, column: at.column, code, message })
}

export function addWarning(draft: Draft, at: Position, code: WarningCode, message: string): void {
  if (draft.warnings.length < limits.problems) draft.warnings.push({ line: at.line, column: at.column, code, message })
}

/** The path of the next part. */
export function nextPath(draft: Draft): string {
  return `parts[${draft.parts.length}]`
}

/** Adds a part; a harmless placeholder when a problem left none, so that later paths stay right. */
export function addPart(draft: Draft, part: Record<string, unknown> | undefined, at: Position): void {
  draft.origins.set(nextPath(draft), at)
  draft.parts.push(part ?? { type: 'text', text: '…' })
}

/** The source position of the smallest value that contains the path, and the rest of the path as its name. */
export function originOf({ origins }: Draft, path: string): { at: Position; name: string } {
  for (let prefix = path; prefix !== ''; prefix = parentPath(prefix)) {
    const at = origins.get(prefix)
    if (at)
      return { at, name: path.slice(prefix.length).replace(/^\./, '') || (/\.?([A-Za-z]+)$/.exec(path)?.[1] ?? '') }
  }
  return { at: { line: 1, column: 1 }, name: path }
}

function parentPath(path: string): string {
  return path.slice(0, Math.max(path.lastIndexOf('.'), path.lastIndexOf('['), 0))
}

/** The fields of a line marker: the text after its colon, split at the bars. */
export function fieldsOf(
  draft: Draft,
  { name, head, at }: Marker,
  maxFields = Number.POSITIVE_INFINITY,
): string[] | undefined {
  const text = head.trimStart()
  if (!text.startsWith(':'))
    return addProblem(draft, at, 'badMarker', `Write [[${name}: …]], with a colon after the name`)
  const fields = text
    .slice(1)
    .split('|')
    .map((field) => field.trim())
  if (fields.length <= maxFields) return fields
  return addProblem(
    draft,
    at,
    'badMarker',
    `${name} takes at most ${maxFields} fields between bars, and here are ${fields.length}`,
  )
}

/** Drops members that are undefined or empty. */
export function withoutEmpty(members: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined && value !== ''))
}
