/**
 * Splits lines into pages that fit a channel: between paragraphs if possible, then between lines, sentences and words,
 * and inside a word only if the word alone is too long. Marks are closed on one page and opened again on the next.
 */
import type { Markup, Traits } from '../channel/traits.js'
import { runToEnd, type Steps } from '../steps.js'
import { isBlank, type Line, type Span, trimBlankLines } from './lines.js'
import { write, writeLine } from './writers.js'

export function sizeOf(text: string, unit: 'characters' | 'bytes'): number {
  if (unit === 'characters') return text.length
  let bytes = 0
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at)
    // Each half of a surrogate pair counts two, so the pair counts its four bytes.
    bytes += code < 0x80 ? 1 : code < 0x800 || (code >= 0xd800 && code <= 0xdfff) ? 2 : 3
  }
  return bytes
}

/** CommonMark needs two blanks before a hard break. */
function breakSize(markup: Markup): number {
  return markup === 'commonmark' ? 3 : 1
}

export function splitPages(lines: readonly Line[], traits: Traits, lastMax?: number): string[] {
  return runToEnd(splitPagesInSteps(lines, traits, lastMax))
}

/** The same, with a pause after each page. */
export function* splitPagesInSteps(
  lines: readonly Line[],
  traits: Traits,
  lastMax: number = traits.text.max,
): Steps<string[]> {
  const { markup } = traits
  const { max, unit } = traits.text
  const whole = write(lines, markup)
  if (sizeOf(whole, unit) <= Math.min(max, lastMax)) return [whole]
  yield
  const pages = yield* paginate(lines, max, traits)
  const last = pages.pop() ?? []
  return [...pages, ...(yield* splitLastPage(last, Math.min(max, lastMax), traits))].map((page) => write(page, markup))
}

/** Only the end of a page must be short: the chips or the list stand below it. */
function* splitLastPage(page: readonly Line[], max: number, traits: Traits): Steps<Line[][]> {
  const groups = groupsOf(page)
  let from = groups.length
  let size = 0
  while (from > 0) {
    size += groups[from - 1]!.reduce((sum, line) => sum + lineSize(line, traits), 0)
    if (size > max) break
    from -= 1
  }
  const isTooLong = from === groups.length
  const head = trimBlankLines(groups.slice(0, isTooLong ? from - 1 : from).flat())
  const end = groups.slice(isTooLong ? from - 1 : from).flat()
  return [
    ...(head.length > 0 ? [head] : []),
    ...(isTooLong ? yield* paginate(end, max, traits) : [trimBlankLines(end)]),
  ]
}

function lineSize(line: Line, { markup, text }: Traits): number {
  return sizeOf(writeLine(line, markup), text.unit) + breakSize(markup)
}

function* paginate(lines: readonly Line[], max: number, traits: Traits): Steps<Line[][]> {
  const measure = (line: Line) => lineSize(line, traits)
  const pages: Line[][] = []
  let page: Line[] = []
  let size = 0
  const flush = () => {
    const trimmedPage = trimBlankLines(page)
    if (trimmedPage.length > 0) pages.push(trimmedPage)
    page = []
    size = 0
  }
  let yieldedAt = 0
  for (const group of groupsOf(lines)) {
    if (pages.length > yieldedAt) yield
    yieldedAt = pages.length
    const groupSize = group.reduce((sum, line) => sum + measure(line), 0)
    if (size + groupSize > max && size > 0) {
      const movedLines = afterParagraph(page, size, measure)
      page.length -= movedLines.length
      flush()
      page = [...movedLines]
      size = movedLines.reduce((sum, line) => sum + measure(line), 0)
      if (size + groupSize > max) flush()
    }
    if (groupSize <= max) {
      page.push(...group)
      size += groupSize
      continue
    }
    for (const line of group.flatMap((each) => (measure(each) > max ? cutLine(each, max, traits) : [each]))) {
      if (size > 0 && size + measure(line) > max) flush()
      page.push(line)
      size += measure(line)
    }
  }
  flush()
  return pages
}

/** Groups of lines that stay together if possible: an entry and its continuation. */
function groupsOf(lines: readonly Line[]): Line[][] {
  const groups: Line[][] = []
  for (const line of lines) {
    if (line.isContinuation && groups.length > 0) groups.at(-1)!.push(line)
    else groups.push([line])
  }
  return groups
}

/** The lines after the last paragraph break of a page, if the page stays at least half full without them. */
function afterParagraph(page: readonly Line[], size: number, measure: (line: Line) => number): Line[] {
  let tail = 0
  for (let at = page.length - 1; at > 0; at -= 1) {
    if (isBlank(page[at]!)) return page.slice(at + 1)
    tail += measure(page[at]!)
    if (tail * 2 > size) break
  }
  return []
}

interface Atom {
  readonly spans: readonly Span[]
  readonly size: number
  /** A break may stand before this atom. */
  readonly afterBlank: boolean
  readonly endsSentence: boolean
}

function cutLine(line: Line, max: number, traits: Traits): Line[] {
  const room = Math.max(1, max - breakSize(traits.markup))
  const lines: Line[] = []
  let atoms: Atom[] = []
  let size = 0
  const start = () => (lines.length === 0 ? line.marker.length + 2 * line.depth : 0)
  const flush = (count: number) => {
    const spans = trimSpans(atoms.slice(0, count).flatMap((atom) => atom.spans))
    const first = lines.length === 0
    lines.push({
      marker: first ? line.marker : '',
      depth: first ? line.depth : 0,
      spans,
      isContinuation: !first || line.isContinuation,
    })
    atoms = atoms.slice(count)
    size = atoms.reduce((sum, atom) => sum + atom.size, 0)
  }
  for (const atom of atomsOf(line.spans, room - line.marker.length - 2 * line.depth, traits)) {
    while (atoms.length > 0 && start() + size + atom.size > room) flush(breakBefore(atoms, size, atom))
    atoms.push(atom)
    size += atom.size
  }
  if (atoms.length > 0) flush(atoms.length)
  return lines
}

/**
 * How many of the collected atoms go out: up to the end of a sentence in the second half, else up to a blank, else all.
 */
function breakBefore(atoms: readonly Atom[], size: number, next: Atom): number {
  let tail = 0
  for (let at = atoms.length - 1; at >= 0 && tail * 2 <= size; at -= 1) {
    if (atoms[at]!.endsSentence) return at + 1
    tail += atoms[at]!.size
  }
  if (next.afterBlank) return atoms.length
  for (let at = atoms.length - 1; at > 0; at -= 1) if (atoms[at]!.afterBlank) return at
  return atoms.length
}

/** Words with the blanks around them. A run of blanks alone is one match, which avoids a retry at each blank. */
const wordsAndBlanks = /\s*\S+\s*|\s+/gu

function atomsOf(spans: readonly Span[], room: number, traits: Traits): Atom[] {
  const atoms: Atom[] = []
  let afterBlank = false
  const add = (parts: readonly Span[]) => {
    const text = parts.map((span) => span.text).join('')
    const size = sizeOf(
      writeLine({ marker: '', depth: 0, spans: parts, isContinuation: false }, traits.markup),
      traits.text.unit,
    )
    if (size <= room || [...text].length <= 1) {
      atoms.push({
        spans: parts,
        size,
        afterBlank: afterBlank || /^\s/.test(text),
        endsSentence: /[.!?…。！？]\s+$/u.test(text),
      })
      afterBlank = /\s$/.test(text)
      return
    }
    for (const part of splitAtom(parts, room, traits)) add([part])
  }
  let at = 0
  while (at < spans.length) {
    const { link } = spans[at]!
    let end = at + 1
    while (link && spans[end]?.link === link) end += 1
    if (link) add(spans.slice(at, end))
    else for (const text of spans[at]!.text.match(wordsAndBlanks) ?? [spans[at]!.text]) add([{ ...spans[at]!, text }])
    at = end
  }
  return atoms
}

/** A link that is too long becomes its label and its URL; a word that is too long is cut into pieces. */
function splitAtom(parts: readonly Span[], room: number, { text: { unit } }: Traits): Span[] {
  const link = parts[0]?.link
  if (link) return [...parts.map(({ link: _, ...span }) => ({ ...span })), { text: ': ' }, { text: link.url }]
  return parts.flatMap((span) => {
    const words = span.text.match(wordsAndBlanks) ?? []
    if (words.length > 1) return words.map((text) => ({ ...span, text }))
    // A span that is short enough by itself and still does not fit has grown by its markup: it is halved until it fits.
    const size = sizeOf(span.text, unit)
    const max = size > room ? room : Math.ceil(size / 2)
    return cutWord(span.text, max, unit).map((text) => ({ ...span, text }))
  })
}

/**
 * Pieces of at most that size. A grapheme is split only if it is too long alone. Grapheme boundaries are looked up only
 * at the ends of pieces, since listing all of them is far slower.
 */
export function cutWord(word: string, max: number, unit: 'characters' | 'bytes'): string[] {
  const segments = plainAscii.test(word) ? undefined : graphemes.segment(word)
  const isOne = segments?.containing(0)?.segment.length === word.length
  const pieces: string[] = []
  for (let from = 0; from < word.length; ) {
    const room = hardEnd(word, from, max, unit)
    const end = isOne || !segments || room === word.length ? room : graphemeEnd(segments, from, room)
    pieces.push(word.slice(from, end))
    from = end
  }
  return pieces
}

/** The end of the code points that fit; at least one is taken, even if it is larger. */
function hardEnd(word: string, from: number, max: number, unit: 'characters' | 'bytes'): number {
  let end = from
  for (let size = 0; end < word.length; ) {
    const length = word.codePointAt(end)! > 0xffff ? 2 : 1
    size += unit === 'characters' ? length : sizeOf(word.slice(end, end + length), unit)
    if (size > max && end > from) break
    end += length
  }
  return end
}

function graphemeEnd(segments: Intl.Segments, from: number, room: number): number {
  const { index } = segments.containing(room)!
  if (index > from) return index
  const first = segments.containing(from)!
  return first.index + first.segment.length
}

const plainAscii = /^[\x20-\x7e]*$/
export const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' })

function trimSpans(spans: readonly Span[]): Span[] {
  const result = spans.map((span) => ({ ...span }))
  const first = result[0]
  if (first) result[0] = { ...first, text: first.text.trimStart() }
  const last = result.at(-1)
  if (last) result[result.length - 1] = { ...last, text: last.text.trimEnd() }
  return result.filter(({ text }) => text !== '')
}
