/** Labels that a person could tap and a carrier would take for a keyword. */
import { keywordIn } from '../../conversation/keywords.js'
import type { LintCode } from './codes.js'
import { type Desk, note } from './findings.js'

const chips = /(\\?)\[\[[ \t]*chips[ \t]*:([^[\]\n]*)\]\]/g

/** The labels of `[[chips: …]]` in a text. */
export function chipLabelsIn(text: string | undefined): string[] {
  if (!text?.includes('chips')) return []
  return [...text.matchAll(chips)].flatMap(([, literal, written]) =>
    literal ? [] : written!.split('|').map((chip) => chip.split(/=|->/, 1)[0]!.trim()),
  )
}

export function lintLabels(desk: Desk, code: LintCode, path: string, labels: readonly string[]): void {
  const standing = { isAnswered: true, isOptedOut: false }
  for (const label of labels) {
    if (keywordIn(label, 'sms', standing))
      note(desk, code, path, `A chip says "${label}", which is a keyword of carriers.`)
  }
}
