/** One writer a markup: each writes the same lines, and keeps words that look like its markup from being read as such. */
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

const named = (label: string, url: string, plainLabel: string) =>
  plainLabel === url || `mailto:${plainLabel}` === url || `tel:${plainLabel}` === url ? label : `${label}: ${url}`

/** There is no escape, so a mark is kept off the word it touches by a space without width. */
const gap = '\u200b'
const urlOrWordEdge = /https?:\/\/\S+|(?<![\p{L}\p{N}])[*_~`]|[*_~`](?![\p{L}\p{N}])/giu
function apart(text: string, atLineStart: boolean): string {
  const loosened = (found: string) => (found.length > 1 ? found : `${gap}${found}${gap}`)
  const loose = /[*_~`]/.test(text) ? text.replace(urlOrWordEdge, loosened) : text
  return atLineStart && /^(?:>|&gt;)/.test(loose) ? gap + loose : loose
}

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' }
const asEntities = (text: string) => text.replace(/[&<>]/g, (character) => entities[character]!)

/** What would begin a list or a heading in CommonMark, or make one of the line above. */
const blockStart = /^(\s*)(?:([-+#](?=[\s#]|$)|[-=](?=[-=\s]*$))|(\d{1,9})([.)])(?=\s|$))/

const writers: Readonly<Record<Markup, Writer>> = {
  plain: { marks: { strong: '', em: '', strike: '' }, atWords: false, escape: (text) => text, link: named },
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
  whatsapp: { marks: { strong: '*', em: '_', strike: '~' }, atWords: true, escape: apart, link: named },
  slack: {
    marks: { strong: '*', em: '_', strike: '~' },
    atWords: true,
    escape: (text, atLineStart) => apart(asEntities(text), atLineStart),
    link: (label, url) => `<${asEntities(url.replace(/[|<>]/g, encodeURIComponent))}|${label.replace(/\|/g, '¦')}>`,
  },
}

/** Nothing in it means anything in that markup, so it may be passed on as it is. */
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

/** CommonMark reads a lone line break as a blank, and a line below a list as part of its last entry. */
function lineBreak(above: Line, below: Line, markup: Markup): string {
  if (markup !== 'commonmark' || isBlank(above) || isBlank(below) || below.marker !== '') return '\n'
  const leavesList = !below.follows && (above.marker !== '' || above.follows)
  return leavesList ? '\n\n' : '  \n'
}

export function writeLine({ marker, depth, spans }: Line, markup: Markup): string {
  return '  '.repeat(depth) + marker + writeSpans(spans, markup, marker === '')
}

function writeSpans(spans: readonly Span[], markup: Markup, startsLine: boolean): string {
  const writer = writers[markup]
  const only = spans[0]
  if (spans.length === 1 && only && !only.link && !only.strong && !only.em && !only.strike) {
    return writer.escape(only.text, startsLine)
  }
  const parts = linked(writer.atWords ? withoutMarksInWords(spans) : spans)
  const open: Mark[] = []
  let text = ''
  /** Blanks wait until it is known whether a mark ends before them or begins after them. */
  let blanks = ''
  for (const [at, part] of parts.entries()) {
    const core = part.text.trim()
    const lead = part.text.slice(0, part.text.length - part.text.trimStart().length)
    const wanted =
      core === '' && !part.url
        ? open.filter((mark) => part[mark] && parts[at + 1]?.[mark])
        : marks.filter((mark) => part[mark])
    const stays = open.findIndex((mark) => !wanted.includes(mark))
    if (stays >= 0) for (const mark of open.splice(stays).reverse()) text += writer.marks[mark]
    text += blanks + lead
    blanks = ''
    for (const mark of wanted) {
      if (open.includes(mark)) continue
      open.push(mark)
      text += writer.marks[mark]
    }
    const label = writer.escape(core, startsLine && text === '')
    text += part.url === undefined ? label : writer.link(label, part.url, core)
    if (core !== '') blanks = part.text.slice(lead.length + core.length)
  }
  for (const mark of open.reverse()) text += writer.marks[mark]
  return text + blanks
}

interface Part {
  readonly text: string
  readonly strong: boolean
  readonly em: boolean
  readonly strike: boolean
  readonly url?: string
}

/** A link is written in one go, with the marks that its whole label has. */
function linked(spans: readonly Span[]): Part[] {
  const parts: Part[] = []
  let at = 0
  while (at < spans.length) {
    const { link } = spans[at]!
    let end = at + 1
    while (link && spans[end]?.link === link) end += 1
    const group = spans.slice(at, end)
    const all = (mark: Mark) => group.every((span) => span[mark])
    const text = group.map((span) => span.text).join('')
    parts.push({ text, strong: all('strong'), em: all('em'), strike: all('strike'), ...(link && { url: link.url }) })
    at = end
  }
  return parts
}

const endsInWord = /[\p{L}\p{N}]$/u
const beginsInWord = /^[\p{L}\p{N}]/u

/** Marks that begin or end inside a word would be shown as they are, so they are left out. */
function withoutMarksInWords(spans: readonly Span[]): Span[] {
  const kept = spans.map((span) => ({ ...span }))
  for (const mark of marks) {
    for (let at = 0; at < kept.length; at += 1) {
      if (!kept[at]![mark]) continue
      let end = at
      while (kept[end + 1]?.[mark]) end += 1
      const before = at > 0 && endsInWord.test(kept[at - 1]!.text) && !/^\s/.test(kept[at]!.text)
      const after = end + 1 < kept.length && beginsInWord.test(kept[end + 1]!.text) && !/\s$/.test(kept[end]!.text)
      if (before || after) for (const span of kept.slice(at, end + 1)) span[mark] = false
      at = end
    }
  }
  return kept
}
