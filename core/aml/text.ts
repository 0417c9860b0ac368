/** Joins the text around inline markers, without extra space where a marker stood. */
import type { Position } from './contract.js'

export interface TextBuffer {
  add(chunk: string, at: Position): void
  /** The collected text, trimmed; undefined when it is empty. */
  flush(): { readonly text: string; readonly at: Position } | undefined
}

export function createTextBuffer(): TextBuffer {
  let chunks: string[] = []
  let pendingSpace = noSpace
  let position: Position | undefined
  return {
    add(chunk, at) {
      const trimmed = chunk.trim()
      if (trimmed === '') {
        pendingSpace = widerSpace(pendingSpace, spaceOf(chunk))
        return
      }
      const before = spaceOf(chunk.slice(0, chunk.length - chunk.trimStart().length))
      if (position) chunks.push(widerSpace(pendingSpace, before).text)
      position ??= positionAfter(before, at)
      chunks.push(trimmed)
      pendingSpace = spaceOf(chunk.slice(before.text.length + trimmed.length))
    },
    flush() {
      const text = position && { text: chunks.join(''), at: position }
      chunks = []
      pendingSpace = noSpace
      position = undefined
      return text
    },
  }
}

/** Line breaks are counted once, so that a long run of space before many markers is not counted again for each. */
interface Space {
  readonly text: string
  readonly breaks: number
}

const noSpace: Space = { text: '', breaks: 0 }

function spaceOf(text: string): Space {
  return { text, breaks: text.split('\n').length - 1 }
}

/** Of two adjacent runs of space the one with more line breaks; of equals the later, which has the indentation. */
function widerSpace(left: Space, right: Space): Space {
  return right.text === '' || left.breaks > right.breaks ? left : right
}

function positionAfter({ text, breaks }: Space, at: Position): Position {
  if (breaks === 0) return { line: at.line, column: at.column + text.length }
  return { line: at.line + breaks, column: text.length - text.lastIndexOf('\n') }
}

/** Splits text into pieces of at most `maxChars` characters, at a paragraph, line, sentence or word if possible. */
export function splitPages(text: string, maxChars: number): string[] {
  const pages: string[] = []
  let rest = text
  while (rest.length > maxChars) {
    const end = breakOf(rest.slice(0, maxChars))
    pages.push(rest.slice(0, end).trimEnd())
    rest = rest.slice(end).trimStart()
  }
  return rest === '' ? pages : [...pages, rest]
}

/** A break in the second half, so that no page is nearly empty. Never splits a surrogate pair. */
function breakOf(page: string): number {
  for (const mark of ['\n\n', '\n', '. ', ' ']) {
    const at = page.lastIndexOf(mark)
    if (at > page.length / 2) return at + mark.length
  }
  const splitsSurrogate = /[\ud800-\udbff]$/.test(page)
  return splitsSurrogate ? page.length - 1 : page.length
}
