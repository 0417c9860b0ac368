/** Text before markup: lines of spans. All text that a person reads passes through this form. */

export interface Span {
  readonly text: string
  readonly strong?: boolean
  readonly em?: boolean
  readonly strike?: boolean
  /** Spans of one link share the same object. */
  readonly link?: { readonly url: string }
}

export interface Line {
  /** `- `, `1. `, or empty. */
  readonly marker: string
  /** The nesting depth of its list. */
  readonly depth: number
  readonly spans: readonly Span[]
  /** Belongs to the line above it, and is separated from it only if there is no other way. */
  readonly isContinuation: boolean
}

export const blank: Line = { marker: '', depth: 0, spans: [], isContinuation: false }

export function isBlank({ marker, spans }: Line): boolean {
  return marker === '' && spans.length === 0
}

/** Lines of literal text: nothing in it is markup. */
export function literal(text: string): Line[] {
  return text.split(/\r\n?|\n/).map((each) => (each.trim() === '' ? blank : { ...blank, spans: [{ text: each }] }))
}

/** The same, as continuation of the line above. */
export function continuationLines(text: string | undefined): Line[] {
  if (text === undefined) return []
  return literal(text).map((line) => (isBlank(line) ? line : { ...line, isContinuation: true }))
}

export function heading(text: string): Line {
  return { ...blank, spans: [{ text: oneLine(text), strong: true }] }
}

export function entry(marker: string, text: string): Line {
  return { ...blank, marker, spans: [{ text: oneLine(text) }] }
}

/** Labels and titles become one line. */
export function oneLine(text: string): string {
  return /[\r\n\t]/.test(text) ? text.replace(/[\r\n\t]+/g, ' ').trim() : text
}

/** Removes blank lines at both ends, and repeated ones. */
export function trimBlankLines(lines: readonly Line[]): Line[] {
  const result = lines.filter((line, at) => !isBlank(line) || (at > 0 && !isBlank(lines[at - 1]!)))
  if (result.length > 0 && isBlank(result[0]!)) result.shift()
  if (result.length > 0 && isBlank(result.at(-1)!)) result.pop()
  return result
}
