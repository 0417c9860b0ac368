/**
 * Emphasis, links and escapes of one paragraph. Delimiters are paired as CommonMark pairs them. To keep that linear, a
 * kind of closer that found no opener is not searched below that point again.
 */
import type { Span } from './lines.js'

type Mark = 'strong' | 'em' | 'strike'

interface Piece {
  text: string
  link?: { readonly url: string }
  /** Marks that end before this piece, and that begin after it. */
  ends?: Mark[]
  begins?: Mark[]
}

interface Delimiter {
  readonly character: string
  readonly piece: Piece
  readonly length: number
  left: number
  readonly opens: boolean
  readonly closes: boolean
}

interface Bracket {
  readonly piece: number
  readonly delimiters: number
}

const schemes = /(?:https?:\/\/|mailto:|tel:)[^\s()]/iy
const special = /[\\*_~[\]!]/g
const escapable = /[!-/:-@[-`{-~]/

export function inline(text: string): Span[] {
  const pieces: Piece[] = []
  const delimiters: Delimiter[] = []
  const brackets: Bracket[] = []
  const closing = closingBrackets(text)
  let at = 0
  while (at < text.length) {
    special.lastIndex = at
    const next = special.exec(text)?.index ?? text.length
    if (next > at) pieces.push({ text: text.slice(at, next) })
    at = next
    const character = text[at]
    if (character === undefined) break
    if (character === '\\') {
      const escaped = text[at + 1]
      const isEscape = escaped !== undefined && escapable.test(escaped)
      pieces.push({ text: isEscape ? escaped : '\\' })
      at += isEscape ? 2 : 1
    } else if (character === '[' || (character === '!' && text[at + 1] === '[')) {
      brackets.push({ piece: pieces.length, delimiters: delimiters.length })
      pieces.push({ text: character === '!' ? '![' : '[' })
      at += character === '!' ? 2 : 1
    } else if (character === '!') {
      pieces.push({ text: '!' })
      at += 1
    } else if (character === ']') {
      at = closeBracket(text, at, closing, pieces, delimiters, brackets)
    } else {
      const run = delimiterRun(text, at)
      pieces.push(run.piece)
      delimiters.push(run)
      at += run.length
    }
  }
  pairDelimiters(delimiters, 0)
  return spansOf(pieces)
}

/**
 * For each `(`, the position of the `)` that would end a link target there: without blanks, and with balanced brackets
 * inside.
 */
function closingBrackets(text: string): Map<number, number> {
  const closingByOpening = new Map<number, number>()
  if (!text.includes('](')) return closingByOpening
  let open: number[] = []
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at]!
    if (character === '\\') at += 1
    else if (character <= ' ') open = []
    else if (character === '(') open.push(at)
    else if (character === ')' && open.length > 0) closingByOpening.set(open.pop()!, at)
  }
  return closingByOpening
}

/** Turns the bracketed text into a link, if an allowed target follows; otherwise `]` is plain text. */
function closeBracket(
  text: string,
  at: number,
  closing: Map<number, number>,
  pieces: Piece[],
  delimiters: Delimiter[],
  brackets: Bracket[],
): number {
  const bracket = brackets.pop()
  const end = text[at + 1] === '(' ? closing.get(at + 1) : undefined
  schemes.lastIndex = at + 2
  if (!bracket || end === undefined || bracket.piece === pieces.length - 1 || !schemes.test(text)) {
    pieces.push({ text: ']' })
    return at + 1
  }
  pairDelimiters(delimiters, bracket.delimiters)
  delimiters.length = bracket.delimiters
  const link = { url: text.slice(at + 2, end).replace(/\\([!-/:-@[-`{-~])/g, '$1') }
  pieces[bracket.piece]!.text = ''
  for (const piece of pieces.slice(bracket.piece + 1)) piece.link = link
  // A link contains no link, so earlier open brackets cannot become one.
  brackets.length = 0
  return end + 1
}

const digit = /\d/

type Neighbour = 'blank' | 'punctuation' | 'word'
const asciiNeighbours = Array.from({ length: 128 }, (_, code) => neighbourOf(String.fromCharCode(code)))

function neighbourOf(character: string): Neighbour {
  if (/\s/.test(character)) return 'blank'
  return /[\p{P}\p{S}]/u.test(character) ? 'punctuation' : 'word'
}

/** The class of the character at a position; both ends of a text count as blank. */
function neighbourAt(text: string, at: number): Neighbour {
  const code = text.charCodeAt(at)
  return Number.isNaN(code) ? 'blank' : (asciiNeighbours[code] ?? neighbourOf(text[at]!))
}

function delimiterRun(text: string, at: number): Delimiter {
  const character = text[at]!
  let end = at + 1
  while (text[end] === character) end += 1
  const length = end - at
  const before = neighbourAt(text, at - 1)
  const after = neighbourAt(text, end)
  const left = after !== 'blank' && (after === 'word' || before !== 'word')
  const right = before !== 'blank' && (before === 'word' || after !== 'word')
  const piece = { text: text.slice(at, end) }
  if (character === '_') {
    const opens = left && (!right || before === 'punctuation')
    const closes = right && (!left || after === 'punctuation')
    return { character, piece, length, left: length, opens, closes }
  }
  // A single tilde means "about", and a star between digits multiplies: neither may vanish from a text.
  const multiplies = length === 1 && digit.test(text[at - 1] ?? '') && digit.test(text[end] ?? '')
  const isMarkup = character === '~' ? length === 2 : !multiplies
  return { character, piece, length, left: length, opens: left && isMarkup, closes: right && isMarkup }
}

/** Pairs the delimiters from an index on; those without a partner stay as text. */
function pairDelimiters(delimiters: Delimiter[], bottom: number): void {
  const stack: Delimiter[] = []
  const lowest = new Array<number>('*_~'.length * 4).fill(0)
  for (let each = bottom; each < delimiters.length; each += 1) {
    const closer = delimiters[each]!
    const kind = '*_~'.indexOf(closer.character) * 4 + (closer.opens ? closer.length % 3 : 3)
    while (closer.closes && closer.left > 0) {
      const from = lowest[kind]!
      let index = stack.length - 1
      while (index >= from && !matches(stack[index]!, closer)) index -= 1
      if (index < from) {
        lowest[kind] = stack.length
        break
      }
      const opener = stack[index]!
      joinDelimiters(opener, closer)
      stack.length = opener.left > 0 ? index + 1 : index
      for (let kind = 0; kind < lowest.length; kind += 1) lowest[kind] = Math.min(lowest[kind]!, stack.length)
    }
    if (closer.opens && closer.left > 0) stack.push(closer)
  }
  for (const { piece, character, left } of delimiters.slice(bottom)) piece.text = character.repeat(left)
}

function matches(opener: Delimiter, closer: Delimiter): boolean {
  if (opener.character !== closer.character) return false
  const both = opener.closes || closer.opens
  const breaksRuleOfThree =
    (opener.length + closer.length) % 3 === 0 && (opener.length % 3 !== 0 || closer.length % 3 !== 0)
  return !(both && breaksRuleOfThree && opener.character !== '~')
}

function joinDelimiters(opener: Delimiter, closer: Delimiter): void {
  const double = opener.left >= 2 && closer.left >= 2
  const mark: Mark = opener.character === '~' ? 'strike' : double ? 'strong' : 'em'
  opener.left -= double ? 2 : 1
  closer.left -= double ? 2 : 1
  opener.piece.begins ??= []
  opener.piece.begins.push(mark)
  closer.piece.ends ??= []
  closer.piece.ends.push(mark)
}

function spansOf(pieces: readonly Piece[]): Span[] {
  const open = { strong: 0, em: 0, strike: 0 }
  const spans: (Span & { text: string })[] = []
  for (const { text, link, ends = [], begins = [] } of pieces) {
    for (const mark of ends) open[mark] -= 1
    if (text !== '') {
      const strong = open.strong > 0
      const em = open.em > 0
      const strike = open.strike > 0
      const last = spans.at(-1)
      const continuesLast =
        last && last.link === link && last.strong === strong && last.em === em && last.strike === strike
      if (continuesLast) last.text += text
      else spans.push({ text, strong, em, strike, ...(link && { link }) })
    }
    for (const mark of begins) open[mark] += 1
  }
  return spans
}
