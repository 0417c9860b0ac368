/**
 * Escapes slot values, so that none opens or closes a marker and none is read as Markdown. The right escape depends on
 * where the slot stands, so characters are marked first and escaped when the text is complete.
 */
import { escapeMarkdown } from '../../render/escape.js'
import type { SlotReader } from './render.js'

/** Precedes a character of a value that needs an escape. */
const escapeMark = '\uE001'

export function markSlots(read: SlotReader): SlotReader {
  return (path) => {
    const value = read(path)
    return value === undefined
      ? undefined
      : escapeListMarks(escapeMarkdown(value.replaceAll(escapeMark, ''), escapeMark))
  }
}

/** At the start of a line these make a list. */
function escapeListMarks(text: string): string {
  return text
    .replace(/^([ \t]*)([-+])(?=[ \t])/gm, `$1${escapeMark}$2`)
    .replace(/^([ \t]*\d{1,9})([.)])(?=[ \t])/gm, `$1${escapeMark}$2`)
}

const asMarkdown = (text: string) => text.replaceAll(escapeMark, '\\')

/** Brackets in pairs would be markers. */
const inMarker = (text: string) =>
  text
    .replaceAll(`${escapeMark}[${escapeMark}[`, '\\[[')
    .replaceAll(`${escapeMark}]${escapeMark}]`, '] ]')
    .replaceAll(escapeMark, '')

/** Inside a marker of the template there is no Markdown; elsewhere a backslash escapes a character. */
export function escapeSlots(text: string): string {
  if (!text.includes(escapeMark)) return text
  let escaped = ''
  let from = 0
  for (let start = text.indexOf('[['); start >= 0; start = text.indexOf('[[', Math.max(start + 1, from))) {
    if (text[start - 1] === '\\') continue
    // A value never closes a marker: an escape mark stands between its brackets.
    const end = text.indexOf(']]', start)
    if (end < 0) break
    escaped += asMarkdown(text.slice(from, start)) + inMarker(text.slice(start, end + 2))
    from = end + 2
  }
  return escaped + asMarkdown(text.slice(from))
}
