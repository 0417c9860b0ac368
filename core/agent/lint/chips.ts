/** Finds chip labels that a carrier would take for a keyword when tapped. */
import { parseKeyword } from '../../conversation/keywords.js'
import type { LintCode } from './codes.js'
import { addFinding, type LintContext } from './findings.js'

const chips = /(\\?)\[\[[ \t]*chips[ \t]*:([^[\]\n]*)\]\]/g

/** The labels of `[[chips: …]]` in a text, without duplicates. */
export function chipLabelsIn(text: string | undefined): string[] {
  if (!text?.includes('chips')) return []
  const labels = new Set<string>()
  for (const [, literal, list] of text.matchAll(chips)) {
    if (!literal) for (const chip of list!.split('|')) labels.add(chip.split(/=|->/, 1)[0]!.trim())
  }
  return [...labels]
}

export function lintLabels(context: LintContext, code: LintCode, path: string, labels: readonly string[]): void {
  const consent = { answersKeywords: true, isOptedOut: false }
  for (const label of labels) {
    if (parseKeyword(label, 'sms', consent))
      addFinding(context, code, path, `A chip says "${label}", which is a keyword of carriers.`)
  }
}
