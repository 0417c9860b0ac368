/** Fills the texts of a flow, and the arguments of its actions, with values. */
import { renderTemplate, type SlotReader } from '../agent/index.js'
import { escapeSlots, markSlots } from '../agent/templates/escape.js'
import { piecesOf } from '../agent/templates/slots.js'
import { isRecord } from '../json.js'
import { amf, flow as limits } from '../limits/index.js'
import type { NameReader } from './names.js'
import { dataOfValue, textOfValue } from './slots/reader.js'
import { isTimeslot } from './slots/timeslot.js'

/** AML: a value is shown as it is, and opens no marker and no Markdown. Empty when missing values leave nothing. */
export function fillAml(text: string, read: NameReader): string {
  if (!text.includes('{')) return text
  const rendered = renderTemplate({ body: text }, markSlots(oneLine(bounded(read))))
  return escapeSlots(rendered.renderedText ?? '').trim()
}

/** Text that is not the operator's, as AML that shows it as it is. */
export function literalAml(text: string): string {
  return fillAml('{text}', () => text)
}

/** Text without markers or Markdown: a prompt, a label. */
export function fillPlain(text: string, read: NameReader): string {
  if (!text.includes('{')) return text.trim()
  return (renderTemplate({ body: text }, bounded(read)).renderedText ?? '').trim()
}

/** Operator text in a message: within the length of a text, and never blank. */
export function shown(text: string, otherwise: string): string {
  const cut = text
    .trim()
    .slice(0, amf.textChars)
    .replace(/\p{Surrogate}|\0/gu, '')
  return cut.trim() === '' ? otherwise : cut
}

/** A line break of a value could begin a line of a marker, or of a list. */
function oneLine(read: SlotReader): SlotReader {
  return (path) =>
    read(path)
      ?.replace(/\s*[\r\n\u2028\u2029]+\s*/g, ' ')
      .trim()
}

/** Values as text, until they are too long together: a text may name the same long value many times. */
function bounded(read: NameReader): SlotReader {
  let remaining: number = limits.filledChars
  return (path) => {
    const text = asText(read(path))?.slice(0, remaining)
    remaining -= text?.length ?? 0
    return text
  }
}

function asText(value: unknown): string | undefined {
  if (isTimeslot(value)) return textOfValue(value)
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
    ? textOfValue(value)
    : undefined
}

/**
 * The arguments of an action. A text that is one slot alone gets its value, with its type, and is left out without one;
 * elsewhere values are text. A time is its start.
 */
export function fillArguments(
  values: Readonly<Record<string, unknown>>,
  read: NameReader,
): Readonly<Record<string, unknown>> {
  let remaining: number = limits.filledChars
  const dataAt = (path: string): unknown => {
    const value = read(path)
    const data = isTimeslot(value) ? dataOfValue(value) : value
    const length = typeof data === 'string' ? data.length : isRecord(data) || Array.isArray(data) ? lengthOf(data) : 0
    if (typeof data !== 'string' && length > remaining) return undefined
    const kept = typeof data === 'string' ? data.slice(0, remaining) : data
    remaining -= Math.min(length, remaining)
    return kept
  }
  return fillMember(values, dataAt) as Readonly<Record<string, unknown>>
}

const lengthOf = (value: object) => JSON.stringify(value).length

function fillMember(value: unknown, dataAt: NameReader): unknown {
  if (typeof value === 'string') return fillText(value, dataAt)
  if (Array.isArray(value)) return value.map((each) => fillMember(each, dataAt)).filter((each) => each !== undefined)
  if (!isRecord(value)) return value
  const members = Object.entries(value).map(([name, each]) => [name, fillMember(each, dataAt)] as const)
  return Object.fromEntries(members.filter(([, each]) => each !== undefined))
}

function fillText(text: string, dataAt: NameReader): unknown {
  if (!text.includes('{')) return text
  const pieces = piecesOf(text)
  const [only] = pieces
  const filled = (piece: (typeof pieces)[number]): unknown => {
    if (piece.kind === 'text') return piece.text
    const value = dataAt(piece.path)
    if (value !== undefined && value !== null && value !== '') return value
    return piece.fallback && 'text' in piece.fallback ? piece.fallback.text : undefined
  }
  if (only?.kind === 'slot' && pieces.length === 1) return filled(only)
  return pieces.map((piece) => dataText(filled(piece))).join('')
}

function dataText(value: unknown): string {
  if (value === undefined || value === null) return ''
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}
