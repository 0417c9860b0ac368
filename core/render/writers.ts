/** Markup writers: one per markup. Each writes the same lines, and escapes text that looks like its markup. */
import type { Markup } from '../channel/traits.js'
import { isBlank, type Line, type Span } from './lines.js'

type Mark = 'strong' | 'em' | 'strike'
const marks = ['strong', 'em', 'strike'] as const

interface Writer {
  readonly marks: Readonly<Record<Mark, string>>
  /** Marks are read at the edges of words only. */
  readonly atWords: boolean
  readonly escape: (text: string, atLineStart: boolean) => string
  readonly link: (label: string, url: string, plainLabel: string) => string
}

const labelWithUrl = (label: string, url: string, plainLabel: string) =>
  plainLabel === url || `mailto:${plainLabel}` === url || `tel:${plainLabel}` === url ? label : `${label}: ${url}`

/** These markups have no escape, so a zero-width space separates a mark from the word it touches. */
const zeroWidthSpace = '\u200b'
const urlOrWordEdge = /https?:\/\/\S+|(?<![\p{L}\p{N}])[*_~`]|[*_~`](?![\p{L}\p{N}])/giu
function escapeMarks(text: string, atLineStart: boolean): string {
  const separate = (match: string) => (match.length > 1 ? match : `${zeroWidthSpace}${match}${zeroWidthSpace}`)
  const separated = /[*_~`]/.test(text) ? text.replace(urlOrWordEdge, separate) : text
  return atLineStart && /^(?:>|&gt;)/.test(separated) ? zeroWidthSpace + separated : separated
}

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' }
const asEntities = (text: string) =>
  /[&<>]/.test(text) ? text.replace(/[&<>]/g, (character) => entities[character]!) : text

/** Text that would begin a list or a heading in CommonMark, or turn the line above into one. */
const blockStart = /^(\s*)(?:([-+#](?=[\s#]|$)|[-=](?=[-=\s]*$))|(\d{1,9})([.)])(?=\s|$))/

const writers: Readonly<Record<Markup, Writer>> = {
  plain: { marks: { strong: '', em: '', strike: '' }, atWords: false, escape: (text) => text, link: labelWithUrl },
  commonmark: {
    marks: { strong: '**', em: '*', strike: '~~' },
    atWords: false,
    escape: (text, atLineStart) => {
      const escaped = text.replace(/[\\`*~[\]<>&|]|(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])/gu, '\\$&')
      return atLineStart ? escaped.replace(blockStart, '$1$3\\$2$4') : escaped
    },
    link: (label, url) =>
      `[${label}](${url.replace(/[()\\]/g, (each) => `\\${each}`).replace(/[<>\s]/g, encodeURIComponent)})`,
  },
  whatsapp: { marks: { strong: '*', em: '_', strike: '~' }, atWords: true, escape: escapeMarks, link: labelWithUrl },
  slack: {
    marks: { strong: '*', em: '_', strike: '~' },
    atWords: true,
    escape: (text, atLineStart) => escapeMarks(asEntities(text), atLineStart),
    link: (label, url) => `<${asEntities(url.replace(/[|<>]/g, encodeURIComponent))}|${label.replace(/\|/g, '¦')}>`,
  },
}

/** Whether the text contains no syntax of that markup, so that it can be passed on unchanged. */
export function isPlainWords(text: string, markup: Markup): boolean {
  if (/[\\*_~`[\]<>&|\r\t]|^[ +=#-]|^\d+[.)]| $/m.test(text)) return false
  return !text.includes('\n') || (markup !== 'commonmark' && !/^\n|\n\n\n|\n$/.test(text))
}

export function write(lines: readonly Line[], markup: Markup): string {
  let text = ''
  for (let at = 0; at < lines.length; at += 1) {
    if (at > 0) text += lineBreak(lines[at - 1]!, lines[at]!, markup)
    text += writeLine(lines[at]!, markup)
  }
  return text
}

/** CommonMark reads a single line break as a blank, and a line below a list as part of its last entry. */
function lineBreak(above: Line, below: Line, markup: Markup): string {
  if (markup !== 'commonmark' || isBlank(above) || isBlank(below) || below.marker !== '') return '\n'
  const leavesList = !below.isContinuation && (above.marker !== '' || above.isContinuation)
  return leavesList ? '\n\n' : '  \n'
}

export function writeLine({ marker, depth, spans }: Line, markup: Markup): string {
  return '  '.repeat(depth) + marker + writeSpans(spans, markup, marker === '')
}

function writeSpans(spans: readonly Span[], markup: Markup, isLineStart: boolean): string {
  const writer = writers[markup]
  const single = spans[0]
  if (spans.length === 1 && single && !single.link && marksOf(single) === 0)
    return writer.escape(single.text, isLineStart)
  const marksAt = spans.map(marksOf)
  if (writer.atWords) dropMarksInsideWords(spans, marksAt)
  const parts = mergeLinks(spans, marksAt)
  const open = new OpenMarks(writer.marks)
  let text = ''
  /** Blanks are buffered until it is known whether a mark ends before them or begins after them. */
  let blanks = ''
  for (let at = 0; at < parts.length; at += 1) {
    const part = parts[at]!
    const core = part.text.trim()
    const lead = part.text.slice(0, part.text.length - part.text.trimStart().length)
    const isBetween = core === '' && part.url === undefined
    const target = isBetween ? open.current & part.marks & (parts[at + 1]?.marks ?? 0) : part.marks
    text += open.closeExcept(target) + blanks + lead + open.openMissing(target)
    const label = writer.escape(core, isLineStart && text === '')
    text += part.url === undefined ? label : writer.link(label, part.url, core)
    blanks = core === '' ? '' : part.text.slice(lead.length + core.length)
  }
  return text + open.closeExcept(0) + blanks
}

/** The marks of a span as bits: a text may have thousands of spans, most without marks. */
type Marks = number
const bitOf: Readonly<Record<Mark, Marks>> = { strong: 1, em: 2, strike: 4 }

function marksOf({ strong, em, strike }: Span): Marks {
  return (strong ? bitOf.strong : 0) | (em ? bitOf.em : 0) | (strike ? bitOf.strike : 0)
}

/** Marks that are open. Marks close in reverse order. */
class OpenMarks {
  current: Marks = 0
  readonly #inOrder: Mark[] = []
  readonly #written: Writer['marks']

  constructor(written: Writer['marks']) {
    this.#written = written
  }

  closeExcept(target: Marks): string {
    let text = ''
    while ((this.current & ~target) !== 0) {
      const mark = this.#inOrder.pop()!
      this.current &= ~bitOf[mark]
      text += this.#written[mark]
    }
    return text
  }

  openMissing(target: Marks): string {
    let text = ''
    if ((target & ~this.current) === 0) return text
    for (const mark of marks) {
      if ((target & ~this.current & bitOf[mark]) === 0) continue
      this.#inOrder.push(mark)
      this.current |= bitOf[mark]
      text += this.#written[mark]
    }
    return text
  }
}

interface Part {
  readonly text: string
  readonly marks: Marks
  readonly url: string | undefined
}

/** A link is written once, with the marks that its whole label has. */
function mergeLinks(spans: readonly Span[], marksAt: readonly Marks[]): Part[] {
  const parts: Part[] = []
  for (let at = 0; at < spans.length; at += 1) {
    const { link, text: first } = spans[at]!
    let text = first
    let marks = marksAt[at]!
    while (link && spans[at + 1]?.link === link) {
      at += 1
      text += spans[at]!.text
      marks &= marksAt[at]!
    }
    parts.push({ text, marks, url: link?.url })
  }
  return parts
}

const endsInWord = /[\p{L}\p{N}]$/u
const beginsInWord = /^[\p{L}\p{N}]/u

/** Drops marks that begin or end inside a word, since they would be shown as characters. */
function dropMarksInsideWords(spans: readonly Span[], marksAt: Marks[]): void {
  for (const mark of marks) {
    const bit = bitOf[mark]
    for (let at = 0; at < spans.length; at += 1) {
      if ((marksAt[at]! & bit) === 0) continue
      let end = at
      while (((marksAt[end + 1] ?? 0) & bit) !== 0) end += 1
      const before = at > 0 && endsInWord.test(spans[at - 1]!.text) && !/^\s/.test(spans[at]!.text)
      const after = end + 1 < spans.length && beginsInWord.test(spans[end + 1]!.text) && !/\s$/.test(spans[end]!.text)
      if (before || after) for (let each = at; each <= end; each += 1) marksAt[each]! &= ~bit
      at = end
    }
  }
}
