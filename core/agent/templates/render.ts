/**
 * Renders a message template for one person: fills in known values, and treats a missing one by the policy of its slot.
 */
import type { MissingSlotPolicy } from '../resources/templates.js'
import { piecesOf, type Slot } from './slots.js'

export interface MissingSlot {
  readonly path: string
  readonly action: 'default' | MissingSlotPolicy
}

export interface Rendered {
  /** Null when it must not be sent; empty when the message is omitted. */
  readonly renderedText: string | null
  readonly missingSlots: readonly MissingSlot[]
  readonly blocked: boolean
}

/** The value of a slot; undefined, empty and blank values are missing. */
export type SlotReader = (path: string) => string | undefined

interface Template {
  readonly body: string
  readonly defaultOnMissingSlot?: MissingSlotPolicy
}

/** For slots without a policy in templates without one. */
export const defaultPolicy: MissingSlotPolicy = 'omit-sentence'

/** Replaces slots while the text is split into sentences, so that no value and no fallback can end one. */
const placeholder = '\uE000'

/** A parsed template, independent of the person. */
interface Parsed {
  readonly slots: readonly Slot[]
  /** In order they make up the text, with a placeholder for each slot. */
  readonly sentences: readonly { readonly text: string; readonly placeholders: number }[]
}

/** A send to many people parses the template once. */
const parseCache = new WeakMap<Template, Parsed>()

function parse(template: Template): Parsed {
  const cached = parseCache.get(template)
  if (cached) return cached
  const pieces = piecesOf(template.body.replaceAll(placeholder, ''))
  const masked = pieces.map((piece) => (piece.kind === 'slot' ? placeholder : piece.text)).join('')
  const sentences = sentencesOf(masked).map((text) => ({ text, placeholders: text.split(placeholder).length - 1 }))
  const result = { slots: pieces.filter((piece) => piece.kind === 'slot'), sentences }
  parseCache.set(template, result)
  return result
}

export function renderTemplate(template: Template, read: SlotReader): Rendered {
  const { defaultOnMissingSlot = defaultPolicy } = template
  const { slots, sentences } = parse(template)
  const filledSlots = slots.map((slot) => fillSlot(slot, read, defaultOnMissingSlot))
  const missingSlots = filledSlots.flatMap(({ missing }) => missing ?? []).filter(isFirst)
  const actions = new Set(missingSlots.map(({ action }) => action))
  if (actions.has('block-send')) return { renderedText: null, missingSlots, blocked: true }
  if (actions.has('omit-message')) return { renderedText: '', missingSlots, blocked: false }
  const isShortened = actions.has('omit-sentence')
  let next = 0
  const rendered = sentences.map(({ text, placeholders }) => {
    const values = filledSlots.slice(next, next + placeholders)
    next += placeholders
    if (values.some(({ missing }) => missing?.action === 'omit-sentence')) return ''
    let nth = 0
    return text.replaceAll(placeholder, () => values[nth++]?.text ?? '')
  })
  const text = rendered.join('')
  return { renderedText: isShortened ? collapseBlankLines(text) : text, missingSlots, blocked: false }
}

interface FilledSlot {
  readonly text: string
  readonly missing?: MissingSlot
}

function fillSlot({ path, fallback }: Slot, read: SlotReader, fallbackPolicy: MissingSlotPolicy): FilledSlot {
  const value = read(path)
  if (value !== undefined && value.trim() !== '') return { text: value }
  if (fallback && 'text' in fallback) return { text: fallback.text, missing: { path, action: 'default' } }
  return { text: '', missing: { path, action: fallback?.policy ?? fallbackPolicy } }
}

function isFirst(slot: MissingSlot, index: number, all: readonly MissingSlot[]): boolean {
  return all.findIndex(({ path, action }) => path === slot.path && action === slot.action) === index
}

/** A marker is never split; a line break ends a sentence, a full stop does when space follows it. */
const sentenceBreak = /\[\[[^[\]]*\]\]|[.!?…]+["'’”)]*[ \t]+|\n+/g
const abbreviation = /(?:^|[\s(])(?:Dr|Mr|Mrs|Ms|Prof|St|No|vs|e\.g|i\.e)\.\s*$/

/** The sentences in order make up the text; line breaks are entries of their own. */
function sentencesOf(text: string): string[] {
  const sentences: string[] = []
  let from = 0
  for (const { 0: match, index } of text.matchAll(sentenceBreak)) {
    if (match.startsWith('[[')) continue
    const isLine = match.startsWith('\n')
    const end = isLine ? index : index + match.length
    if (!isLine && abbreviation.test(text.slice(Math.max(from, end - 12), end))) continue
    if (end > from) sentences.push(text.slice(from, end))
    if (isLine) sentences.push(match)
    from = index + match.length
  }
  if (from < text.length) sentences.push(text.slice(from))
  return sentences
}

/** Collapses the blank lines that omitted sentences leave. */
function collapseBlankLines(text: string): string {
  return text
    .split('\n')
    .map((line) => line.trimEnd())
    .join('\n')
    .replace(/\n{3,}/g, '\n\n')
    .trim()
}

interface PersonLike {
  readonly customFields?: Readonly<Record<string, string>>
  readonly [field: string]: unknown
}

/** Reads slots from a person and an agent (its name, description and identity). */
export function createSlotReader(person: PersonLike, agent: Readonly<Record<string, unknown>>): SlotReader {
  return (path) => {
    const [root, ...rest] = path.split('.')
    if (root === 'agent') return asText(ownMember(agent, rest.join('.')))
    if (root !== 'person') return undefined
    if (rest[0] === 'customFields') return asText(ownMember(person.customFields ?? {}, rest.slice(1).join('.')))
    return asText(rest.reduce<unknown>((value, name) => ownMember(value, name), person))
  }
}

function ownMember(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? (value as Record<string, unknown>)[name]
    : undefined
}

function asText(value: unknown): string | undefined {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
    ? String(value)
    : undefined
}
