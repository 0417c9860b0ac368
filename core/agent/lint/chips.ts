/** Labels that a person could tap and a carrier would take for a keyword. */
import { keywordIn } from '../../conversation/keywords.js'
import type { LintCode } from './codes.js'
import { type Desk, note } from './findings.js'

const chips = /(\\?)\[\[[ \t]*chips[ \t]*:([^[\]\n]*)\]\]/g

/** The labels of `[[chips: …]]` in a text, each once. */
export function chipLabelsIn(text: string | undefined): string[] {
  if (!text?.includes('chips')) return []
  const labels = new Set<string>()
  for (const [, literal, written] of text.matchAll(chips)) {
    if (!literal) for (const chip of written!.split('|')) labels.add(chip.split(/=|->/, 1)[0]!.trim())
  }
  return [...labels]
}

export function lintLabels(desk: Desk, code: LintCode, path: string, labels: readonly string[]): void {
  const standing = { isAnswered: true, isOptedOut: false }
  for (const label of labels) {
    if (keywordIn(label, 'sms', standing))
      note(desk, code, path, `A chip says "${label}", which is a keyword of carriers.`)
  }
}
