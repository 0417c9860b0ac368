/** Text between markers, put together: what surrounds a marker that shows nothing there leaves no hole behind. */
import type { Place } from './contract.js'

export interface Text {
  add(chunk: string, at: Place): void
  /** What was gathered, without the space around it; undefined when that is nothing. */
  take(): { readonly text: string; readonly at: Place } | undefined
}

export function gatherText(): Text {
  let chunks: string[] = []
  let gap = noSpace
  let begins: Place | undefined
  return {
    add(chunk, at) {
      const words = chunk.trim()
      if (words === '') {
        gap = wider(gap, spaceOf(chunk))
        return
      }
      const before = spaceOf(chunk.slice(0, chunk.length - chunk.trimStart().length))
      if (begins) chunks.push(wider(gap, before).text)
      begins ??= behind(before, at)
      chunks.push(words)
      gap = spaceOf(chunk.slice(before.text.length + words.length))
    },
    take() {
      const taken = begins && { text: chunks.join(''), at: begins }
      chunks = []
      gap = noSpace
      begins = undefined
      return taken
    },
  }
}

/** Counted once, so that a long stretch before many markers is not counted again at each of them. */
interface Space {
  readonly text: string
  readonly breaks: number
}

const noSpace: Space = { text: '', breaks: 0 }

function spaceOf(text: string): Space {
  return { text, breaks: text.split('\n').length - 1 }
}

/** Of two stretches of space that met, the one with more line breaks; of equals the later, which holds the indentation. */
function wider(left: Space, right: Space): Space {
  return right.text === '' || left.breaks > right.breaks ? left : right
}

function behind({ text, breaks }: Space, at: Place): Place {
  if (breaks === 0) return { line: at.line, column: at.column + text.length }
  return { line: at.line + breaks, column: text.length - text.lastIndexOf('\n') }
}

/** Text in pieces of at most so many characters, cut at a paragraph, a line, a sentence or a word where there is one. */
export function pagesOf(text: string, most: number): string[] {
  const pages: string[] = []
  let rest = text
  while (rest.length > most) {
    const end = cutOf(rest.slice(0, most))
    pages.push(rest.slice(0, end).trimEnd())
    rest = rest.slice(end).trimStart()
  }
  return rest === '' ? pages : [...pages, rest]
}

/** In the later half, so that no page is nearly empty. Half of a character is never left behind. */
function cutOf(page: string): number {
  for (const mark of ['\n\n', '\n', '. ', ' ']) {
    const at = page.lastIndexOf(mark)
    if (at > page.length / 2) return at + mark.length
  }
  const isHalf = /[\ud800-\udbff]$/.test(page)
  return isHalf ? page.length - 1 : page.length
}
