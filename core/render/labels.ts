/** Cuts labels to the length that a channel shows; labels that would no longer differ are not cut. */
import { rendering } from '../limits/index.js'
import { oneLine } from './lines.js'
import { graphemes } from './split.js'

/** Undefined if the labels cannot be told apart at that length: then they are numbered. */
export function cutLabels(
  labels: readonly string[] | undefined,
  max: number,
  encoding: 'gsm7' | 'unicode',
): string[] | undefined {
  if (!labels) return undefined
  const whole = labels.map(oneLine)
  if (whole.every((label) => label.length <= max)) return whole
  if (max < rendering.labelMinChars) return undefined
  const used = new Set(whole.filter((label) => label.length <= max))
  const ellipsis = encoding === 'unicode' ? '…' : ''
  const result: string[] = []
  for (const label of whole) {
    const cut = label.length <= max ? label : distinctLabel(label, max, ellipsis, used)
    if (cut === undefined) return undefined
    used.add(cut)
    result.push(cut)
  }
  return result
}

/**
 * The same for chips: undefined also if labels are equal from the start, since they help no reader and some providers
 * refuse them.
 */
export function chipLabels(
  labels: readonly string[] | undefined,
  max: number,
  encoding: 'gsm7' | 'unicode',
): string[] | undefined {
  const cut = cutLabels(labels, max, encoding)
  return cut && areDistinct(cut) ? cut : undefined
}

export function areDistinct(labels: readonly string[]): boolean {
  return new Set(labels).size === labels.length
}

function distinctLabel(label: string, max: number, ellipsis: string, used: ReadonlySet<string>): string | undefined {
  for (let copy = 1; copy <= used.size + 1; copy += 1) {
    const ending = copy === 1 ? ellipsis : `${ellipsis} ${copy}`
    const prefix = truncate(label, max - ending.length)
    if (prefix === '') return undefined
    if (!used.has(prefix + ending)) return prefix + ending
  }
  return undefined
}

/** As much of a label as fits, without splitting a character and without blanks at its end. */
function truncate(label: string, max: number): string {
  let prefix = ''
  for (const { segment } of graphemes.segment(label.slice(0, max + 1))) {
    if (prefix.length + segment.length > max) break
    prefix += segment
  }
  return prefix.trimEnd()
}
