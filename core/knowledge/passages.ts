/** Cuts a text into passages: between paragraphs if it can, then between lines, sentences and words. */
import { knowledge as limits } from '../limits.js'

const heading = /^#{1,6} \S/

/** Nothing is lost but space, nothing is said twice, and the same text is always cut alike. */
export function passagesOf(text: string): string[] {
  const passages: string[] = []
  let held = ''
  const turn = () => {
    if (held !== '') passages.push(held)
    held = ''
  }
  for (const piece of tidied(text).split('\n\n').flatMap(pieces)) {
    const isFull = held.length + 2 + piece.length > limits.passageChars
    // What a heading is about stands below it.
    if (isFull || (heading.test(piece) && held.length >= limits.passageLeastChars)) turn()
    held = held === '' ? piece : `${held}\n\n${piece}`
  }
  turn()
  return passages
}

function tidied(text: string): string {
  return text
    .replace(/\r\n?/g, '\n')
    .replace(/[^\S\n]+/g, ' ')
    .replace(/ ?\n ?/g, '\n')
    .replace(/\n{3,}/g, '\n\n')
    .trim()
}

function pieces(paragraph: string): string[] {
  const most = limits.passageChars
  const cut: string[] = []
  let from = 0
  while (paragraph.length - from > most) {
    const end = from + breakIn(paragraph.slice(from, from + most))
    cut.push(paragraph.slice(from, end))
    from = end
  }
  cut.push(paragraph.slice(from))
  return cut.map((piece) => piece.trim()).filter((piece) => piece !== '')
}

/** Where a passage may end, what is better first. */
const breaks: readonly (readonly string[])[] = [['\n'], ['. ', '! ', '? ', '。', '！', '？'], ['; ', ', ', '、'], [' ']]

/** How much of a window that is too small for the paragraph goes into one piece: at least half of it. */
function breakIn(window: string): number {
  for (const marks of breaks) {
    const end = Math.max(...marks.map((mark) => endOfLast(window, mark)))
    if (end > window.length / 2) return end
  }
  const last = window.charCodeAt(window.length - 1)
  const isHalfAPair = last >= 0xd800 && last <= 0xdbff
  return window.length - Number(isHalfAPair)
}

function endOfLast(window: string, mark: string): number {
  const at = window.lastIndexOf(mark)
  return at < 0 ? 0 : at + mark.length
}
