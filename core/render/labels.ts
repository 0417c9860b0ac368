/** Labels as long as a channel shows them: what is cut stays unlike the others, or is not cut at all. */
import { rendering } from '../limits.js'
import { oneLine } from './lines.js'
import { graphemes } from './split.js'

/** Undefined where the labels cannot be told apart at that length: then they are numbered. */
export function cutLabels(
  labels: readonly string[] | undefined,
  max: number,
  encoding: 'gsm7' | 'unicode',
): string[] | undefined {
  if (!labels) return undefined
  const whole = labels.map(oneLine)
  if (whole.every((label) => label.length <= max)) return whole
  if (max < rendering.labelLeastChars) return undefined
  const taken = new Set(whole.filter((label) => label.length <= max))
  const sign = encoding === 'unicode' ? '…' : ''
  const shown: string[] = []
  for (const label of whole) {
    const cut = label.length <= max ? label : unlike(label, max, sign, taken)
    if (cut === undefined) return undefined
    taken.add(cut)
    shown.push(cut)
  }
  return shown
}

/** The same for what is tapped: labels that read alike from the start are no help to anybody, and some providers refuse them. */
export function chipLabels(
  labels: readonly string[] | undefined,
  max: number,
  encoding: 'gsm7' | 'unicode',
): string[] | undefined {
  const cut = cutLabels(labels, max, encoding)
  return cut && areUnlike(cut) ? cut : undefined
}

export function areUnlike(labels: readonly string[]): boolean {
  return new Set(labels).size === labels.length
}

function unlike(label: string, max: number, sign: string, taken: ReadonlySet<string>): string | undefined {
  for (let copy = 1; copy <= taken.size + 1; copy += 1) {
    const ending = copy === 1 ? sign : `${sign} ${copy}`
    const kept = beginning(label, max - ending.length)
    if (kept === '') return undefined
    if (!taken.has(kept + ending)) return kept + ending
  }
  return undefined
}

/** As much of a label as fits, without half a character and without blanks at its end. */
function beginning(label: string, max: number): string {
  let kept = ''
  for (const { segment } of graphemes.segment(label.slice(0, max + 1))) {
    if (kept.length + segment.length > max) break
    kept += segment
  }
  return kept.trimEnd()
}
