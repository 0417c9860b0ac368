/**
 * Values of slots are text, whatever they look like: none opens or closes a marker, and none is read as Markdown. Which
 * of the two a character needs depends on where its slot stands, so it is noted first and escaped when the text is whole.
 */
import type { SlotReader } from '../agent/index.js'
import { escapeMarkdown } from '../render/escape.js'

/** Stands before a character of a value that would be read as more than text. */
const note = '\uE001'

export function literalSlots(read: SlotReader): SlotReader {
  return (path) => {
    const value = read(path)
    return value === undefined ? undefined : escapeMarkdown(value.replaceAll(note, ''), note)
  }
}

const asMarkdown = (text: string) => text.replaceAll(note, '\\')

/** Brackets in pairs would be markers. */
const inMarker = (text: string) =>
  text.replaceAll(`${note}[${note}[`, '\\[[').replaceAll(`${note}]${note}]`, '] ]').replaceAll(note, '')

/** Within a marker of the template Markdown is not read; elsewhere a backslash makes text of a character. */
export function escapedSlots(text: string): string {
  if (!text.includes(note)) return text
  let escaped = ''
  let from = 0
  for (let opens = text.indexOf('[['); opens >= 0; opens = text.indexOf('[[', Math.max(opens + 1, from))) {
    if (text[opens - 1] === '\\') continue
    // A value closes no marker: a note stands between its brackets.
    const closes = text.indexOf(']]', opens)
    if (closes < 0) break
    escaped += asMarkdown(text.slice(from, opens)) + inMarker(text.slice(opens, closes + 2))
    from = closes + 2
  }
  return escaped + asMarkdown(text.slice(from))
}
