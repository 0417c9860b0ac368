/** Text before it is written in any markup: lines of spans. Everything that a person reads as text passes through here. */

export interface Span {
  readonly text: string
  readonly strong?: boolean
  readonly em?: boolean
  readonly strike?: boolean
  /** Spans of one link share the same object. */
  readonly link?: { readonly url: string }
}

export interface Line {
  /** `- `, `1. `, or nothing. */
  readonly marker: string
  /** How deep its list stands inside other lists. */
  readonly depth: number
  readonly spans: readonly Span[]
  /** Belongs to the line above it, and is parted from it only when there is no other way. */
  readonly isContinuation: boolean
}

export const blank: Line = { marker: '', depth: 0, spans: [], isContinuation: false }

export function isBlank({ marker, spans }: Line): boolean {
  return marker === '' && spans.length === 0
}

/** Words exactly as they are: nothing in them is markup. */
export function literal(text: string): Line[] {
  return text.split(/\r\n?|\n/).map((each) => (each.trim() === '' ? blank : { ...blank, spans: [{ text: each }] }))
}

/** The same, belonging to the line above. */
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

/** Labels and titles are one line, whatever they were written as. */
export function oneLine(text: string): string {
  return /[\r\n\t]/.test(text) ? text.replace(/[\r\n\t]+/g, ' ').trim() : text
}

/** Without blank lines at its ends, and never two in a row. */
export function trimBlankLines(lines: readonly Line[]): Line[] {
  const result = lines.filter((line, at) => !isBlank(line) || (at > 0 && !isBlank(lines[at - 1]!)))
  if (result.length > 0 && isBlank(result[0]!)) result.shift()
  if (result.length > 0 && isBlank(result.at(-1)!)) result.pop()
  return result
}
