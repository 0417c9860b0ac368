/** Splits a text into passages: between paragraphs if possible, then between lines, sentences and words. */
import { knowledge as limits } from '../limits/index.js'

const heading = /^#{1,6} \S/

/** Loses nothing but space, repeats nothing, and always splits the same text the same way. */
export function passagesOf(text: string): string[] {
  const passages: string[] = []
  let current = ''
  const flush = () => {
    if (current !== '') passages.push(current)
    current = ''
  }
  for (const piece of normalizeText(text).split('\n\n').flatMap(splitParagraph)) {
    const isFull = current.length + 2 + piece.length > limits.passageChars
    // A heading starts a passage, since its content follows it.
    if (isFull || (heading.test(piece) && current.length >= limits.passageMinChars)) flush()
    current = current === '' ? piece : `${current}\n\n${piece}`
  }
  flush()
  return passages
}

function normalizeText(text: string): string {
  return text
    .replace(/\r\n?/g, '\n')
    .replace(/[^\S\n]+/g, ' ')
    .replace(/ ?\n ?/g, '\n')
    .replace(/\n{3,}/g, '\n\n')
    .trim()
}

function splitParagraph(paragraph: string): string[] {
  const maxChars = limits.passageChars
  const parts: string[] = []
  let from = 0
  while (paragraph.length - from > maxChars) {
    const end = from + breakPosition(paragraph.slice(from, from + maxChars))
    parts.push(paragraph.slice(from, end))
    from = end
  }
  parts.push(paragraph.slice(from))
  return parts.map((piece) => piece.trim()).filter((piece) => piece !== '')
}

/** Where a passage may end, best first. */
const breakMarks: readonly (readonly string[])[] = [
  ['\n'],
  ['. ', '! ', '? ', '。', '！', '？'],
  ['; ', ', ', '、'],
  [' '],
]

/** The length of the next piece of a paragraph that exceeds the window: at least half of the window. */
function breakPosition(window: string): number {
  for (const marks of breakMarks) {
    const end = Math.max(...marks.map((mark) => endOfLast(window, mark)))
    if (end > window.length / 2) return end
  }
  const last = window.charCodeAt(window.length - 1)
  const splitsSurrogate = last >= 0xd800 && last <= 0xdbff
  return window.length - Number(splitsSurrogate)
}

function endOfLast(window: string, mark: string): number {
  const at = window.lastIndexOf(mark)
  return at < 0 ? 0 : at + mark.length
}
