/**
 * Parses the CommonMark subset of text parts: bold, italic, strikethrough, links, lists, paragraphs, breaks and
 * escapes. Other syntax stays as text, so no content is lost. Every step is linear in the text, for any input.
 */
import { inline } from './inline.js'
import { blank, type Line, type Span } from './lines.js'

const listItem = /^( {0,12}|\t{1,3})([-*+]|\d{1,9}[.)])[ \t]+(?=\S)/
/** A backslash at the end of a line that is not itself escaped. */
const hardBreak = /(?<!\\)((?:\\\\)*)\\$/

interface Block {
  readonly marker: string
  readonly depth: number
  readonly rows: string[]
}

export function parse(source: string): Line[] {
  return blocksOf(source).flatMap((block) => (block ? linesOf(block) : [blank]))
}

/** Paragraphs and list items; undefined is a blank line between them. */
function blocksOf(source: string): (Block | undefined)[] {
  const blocks: (Block | undefined)[] = []
  for (const row of source.split(/\r\n?|\n/)) {
    if (row.trim() === '') {
      blocks.push(undefined)
      continue
    }
    const item = listItem.exec(row)
    const last = blocks.at(-1)
    if (item) {
      const [all, indent = '', bullet = ''] = item
      const marker = /\d/.test(bullet) ? `${bullet} ` : '- '
      blocks.push({ marker, depth: depthOf(indent), rows: [row.slice(all.length)] })
    } else if (last) last.rows.push(row.trimStart())
    else blocks.push({ marker: '', depth: 0, rows: [row.trimStart()] })
  }
  return blocks
}

function depthOf(indent: string): number {
  return indent.startsWith('\t') ? indent.length : Math.floor(indent.length / 2)
}

/** Emphasis and links may span line breaks, so a block is parsed whole and split afterwards. */
function linesOf({ marker, depth, rows }: Block): Line[] {
  const last = rows.length - 1
  const text = rows.map((row, at) => (at < last ? row.trimEnd().replace(hardBreak, '$1') : row.trimEnd())).join('\n')
  return splitAtBreaks(inline(text)).map((spans, at) => ({
    marker: at === 0 ? marker : '',
    depth: at === 0 ? depth : 0,
    spans,
    isContinuation: at > 0,
  }))
}

function splitAtBreaks(spans: readonly Span[]): Span[][] {
  const lines: Span[][] = [[]]
  for (const span of spans) {
    if (span.text !== '' && !span.text.includes('\n')) {
      lines.at(-1)!.push(span)
      continue
    }
    const [first = '', ...others] = span.text.split('\n')
    if (first !== '') lines.at(-1)!.push({ ...span, text: first })
    for (const text of others) lines.push(text === '' ? [] : [{ ...span, text }])
  }
  return lines
}
