/**
 * Renders a message to the blocks of one channel: climbs the ladder of each part, places the chips, writes the text.
 */
import { type ContentMessage, type PlainPart, tapsOf } from '../amf/index.js'
import type { Block, RenderedChip } from '../channel/blocks.js'
import type { Traits } from '../channel/traits.js'
import { runToEnd, type Steps } from '../steps.js'
import { kindOf, type Row, rowOf } from './chiprow.js'
import type { Reader, Render, Rendering } from './contract.js'
import { showPart } from './degrade.js'
import { type Draft, type Fragment, type RenderContext, textDraft } from './fragments.js'
import { foldLookalikes, isGsm7 } from './gsm7.js'
import { areDistinct } from './labels.js'
import { blank, isBlank, type Line, literal, trimBlankLines } from './lines.js'
import { lossOf } from './losscheck.js'
import { phrases } from './phrases.js'
import { splitPagesInSteps } from './split.js'
import { type FormatOptions, formatOptionsFor } from './values.js'
import { isPlainWords } from './writers.js'

export const render: Render = (message, traits, reader) => runToEnd(renderInSteps(message, traits, reader))

/** The same in steps: part by part and page by page. */
export function* renderInSteps(message: ContentMessage, traits: Traits, reader: Reader): Steps<Rendering> {
  return renderPlainText(message, traits) ?? (yield* renderFully(message, traits, reader))
}

/** The fast path for a message of short plain text, which is the same on every channel. */
function renderPlainText({ parts, chips }: ContentMessage, { text: limits, markup }: Traits): Rendering | undefined {
  const [part] = parts
  if (parts.length !== 1 || chips || part?.type !== 'text' || typeof part.text !== 'string') return undefined
  const { text } = part
  const isSimple = limits.encoding === 'unicode' && limits.unit === 'characters' ? /\S/ : /^[\n\x20-\x7e]+$/
  if (text.length > limits.max || !isSimple.test(text) || !isPlainWords(text, markup)) return undefined
  return { blocks: [{ kind: 'text', text }], numbered: [], loss: [] }
}

function* renderFully(message: ContentMessage, traits: Traits, reader: Reader): Steps<Rendering> {
  const format = formatOptionsFor(message.locale, reader)
  const partDrafts = yield* showParts(message, traits, format)
  const result = attachChips(message, partDrafts, traits, format)
  const drafts = prompted({ ...result, drafts: result.drafts.map(withClosing) })
  const blocks = yield* finishDrafts(drafts, traits)
  return {
    blocks,
    numbered: result.numbered,
    // Computed lazily: senders do not read it, and it takes longer than the rendering.
    get loss() {
      return runToEnd(lossOf(message, blocks, traits, reader))
    },
  }
}

/** The drafts of all parts, and the number of their taps. */
interface PartDrafts extends Fragment {
  readonly taps: number
}

function* showParts({ parts, chips = [] }: ContentMessage, traits: Traits, format: FormatOptions): Steps<PartDrafts> {
  const drafts: Draft[] = []
  const numbered: number[] = []
  let taps = 0
  let isPrompted = false
  const inRow = (traits.chips?.kinds ?? []).filter((kind) => !traits.chips?.alone?.includes(kind))
  const tail = chips.filter((chip) => inRow.includes(kindOf(chip))).length
  const addPart = (part: PlainPart, isLast: boolean) => {
    const context: RenderContext = {
      traits,
      format,
      firstTap: taps,
      firstNumber: numbered.length + 1,
      isLast,
      trailingChips: tail,
    }
    const fragment = showPart(part, context)
    drafts.push(...fragment.drafts)
    numbered.push(...fragment.numbered)
    // Numbers after the last closing sentence need another one.
    if (fragment.numbered.length > 0) isPrompted = fragment.prompted === true
    taps += tapsOf({ parts: [part] }).length
  }
  for (const [index, part] of parts.entries()) {
    const isLast = index === parts.length - 1
    if (part.type !== 'native') addPart(part, isLast)
    else if (part.channel === traits.channel && !traits.withoutPayloads) {
      drafts.push({ kind: 'whole', block: { kind: 'native', payload: part.payload } })
      taps += tapsOf({ parts: [part] }).length
    } else
      for (const [each, plain] of part.fallback.entries()) addPart(plain, isLast && each === part.fallback.length - 1)
    yield
  }
  return { drafts, numbered, taps, prompted: isPrompted }
}

/** Chips of the message stand below its last text, or below a text of their own if there is none. */
function attachChips(
  { chips = [] }: ContentMessage,
  partDrafts: PartDrafts,
  traits: Traits,
  format: FormatOptions,
): Fragment {
  if (chips.length === 0) return partDrafts
  const chipsWithTaps = chips.map((chip, index) => ({ chip, tap: partDrafts.taps + index }))
  const last = partDrafts.drafts.at(-1)
  const rowWithin = (limits: Traits['chips']) =>
    rowOf(chipsWithTaps, limits, partDrafts.numbered.length + 1, traits.text.encoding, format)
  const preferredRow = rowWithin(traits.chips)
  // On such a channel another message would take away the chips of the last one; the row is then written into the last
  // one.
  const mustNumber =
    last !== undefined && hasChips(last) && traits.chips?.whileNewest && !canHoldRow(last, preferredRow, traits)
  const row = mustNumber ? rowWithin(undefined) : preferredRow
  const numbered = [...partDrafts.numbered, ...row.numbered]
  const isNumbered = row.numbered.length > 0
  const lines = [...row.lines, ...(isNumbered ? literal(phrases.byNumber) : [])]
  const result = { numbered, prompted: partDrafts.prompted || isNumbered }
  if (last && canHoldRow(last, row, traits)) {
    const open = isNumbered ? last : withClosing(last)
    const spaced = lines.length > 0 ? [blank, ...lines] : []
    const joined = { ...last, lines: [...open.lines, ...spaced], chips: [...last.chips, ...row.chips] }
    return { ...result, drafts: [...partDrafts.drafts.slice(0, -1), withoutClosing(joined)] }
  }
  const ownLines = lines.length > 0 ? lines : literal(last ? phrases.orChoose : phrases.choose)
  return { ...result, drafts: [...partDrafts.drafts, textDraft(ownLines, row.chips)] }
}

/** The draft with its closing sentence written out. */
function withClosing<D extends Draft>(draft: D): D {
  if (draft.kind !== 'text' || draft.closing === undefined) return draft
  return withoutClosing({ ...draft, lines: [...draft.lines, ...literal(draft.closing)] })
}

function withoutClosing<D extends Draft>(draft: D): D {
  const { closing: _written, ...rest } = draft as D & { closing?: string }
  return rest as unknown as D
}

type TextDraft = Extract<Draft, { kind: 'text' | 'media' }>

function hasText(draft: Draft): draft is TextDraft {
  return (draft.kind === 'text' || draft.kind === 'media') && !draft.lines.every(isBlank)
}

function hasChips(draft: Draft): boolean {
  return 'chips' in draft && draft.chips.length > 0
}

function canHoldRow(draft: Draft, row: Row, { chips: limits }: Traits): draft is TextDraft {
  if (!hasText(draft)) return false
  if (draft.chips.length === 0 || row.chips.length === 0) return true
  const all: readonly RenderedChip[] = [...draft.chips, ...row.chips]
  const hasLoneKind = all.some(({ kind }) => limits?.alone?.includes(kind))
  return !hasLoneKind && areDistinct(all.map(({ label }) => label)) && all.length <= (limits?.max ?? 0)
}

/** If only chips of cards have numbers, the closing sentence comes at the end. */
function prompted({ drafts, numbered, prompted: isPrompted }: Fragment): readonly Draft[] {
  if (numbered.length === 0 || isPrompted) return drafts
  const last = drafts.at(-1)
  if (!last || !hasText(last)) return [...drafts, textDraft(literal(phrases.byNumber))]
  return [...drafts.slice(0, -1), { ...last, lines: [...last.lines, ...literal(phrases.byNumber)] }]
}

function* finishDrafts(drafts: readonly Draft[], traits: Traits): Steps<Block[]> {
  const trimmed = drafts.map((draft) => ('lines' in draft ? { ...draft, lines: trimBlankLines(draft.lines) } : draft))
  yield
  const joined = isTextAlone(traits) ? joinText(trimmed) : trimmed
  yield
  const folded = traits.text.encoding === 'gsm7' ? foldToGsm7(joined) : joined
  yield
  const blocks: Block[] = []
  for (const draft of folded) {
    blocks.push(...(yield* blocksOf(draft, traits)))
    yield
  }
  return blocks
}

/** On a text-only channel several messages would mean several prices and chances to arrive out of order. */
function isTextAlone({ chips, card, list, timePicker, media }: Traits): boolean {
  return !chips && !card && !list && !timePicker && !media
}

function joinText(drafts: readonly Draft[]): Draft[] {
  const joined: Draft[] = []
  /** Lines of the last one. */
  let lines: Line[] = []
  for (const draft of drafts) {
    const last = joined.at(-1)
    if (draft.kind === 'text' && last?.kind === 'text') lines.push(blank, ...draft.lines)
    else {
      lines = 'lines' in draft ? [...draft.lines] : []
      joined.push('lines' in draft ? { ...draft, lines } : draft)
    }
  }
  return joined.map((draft) => ('lines' in draft ? { ...draft, lines: trimBlankLines(draft.lines) } : draft))
}

/** Folds only if that brings the whole message into GSM-7. */
function foldToGsm7(drafts: readonly Draft[]): Draft[] {
  const fold = (line: Line): Line => ({
    ...line,
    spans: line.spans.map(({ link, ...span }) => ({
      ...span,
      text: foldLookalikes(span.text),
      ...(link && { link: normalizeLink(link) }),
    })),
  })
  const links = new Map<object, { readonly url: string }>()
  const normalizeLink = (link: { readonly url: string }) => {
    const cached = links.get(link) ?? { url: link.url.normalize('NFC') }
    links.set(link, cached)
    return cached
  }
  const folded = drafts.map((draft) => ('lines' in draft ? { ...draft, lines: draft.lines.map(fold) } : draft))
  const isGsm7Line = (line: Line) => line.spans.every(({ text, link }) => isGsm7(text) && isGsm7(link?.url ?? ''))
  return folded.every((draft) => !('lines' in draft) || draft.lines.every(isGsm7Line)) ? folded : [...drafts]
}

function* blocksOf(draft: Draft, traits: Traits): Steps<Block[]> {
  if (draft.kind === 'whole') return [draft.block]
  const chips = 'chips' in draft && draft.chips.length > 0 ? { chips: draft.chips } : {}
  const isAlone = draft.kind === 'text' && draft.chips.length === 0
  const needsText = draft.kind !== 'media' && !isAlone && draft.lines.length === 0
  const lines = needsText ? literal(phrases.choose) : draft.lines
  if (isAlone && lines.length === 0) return []
  const pages = yield* splitPagesInSteps(
    lines,
    traits,
    isAlone ? traits.text.max : (traits.text.besideMax ?? traits.text.max),
  )
  const before = pages.slice(0, -1).map((text): Block => ({ kind: 'text', text }))
  const text = pages.at(-1) ?? ''
  switch (draft.kind) {
    case 'text':
      return [...before, { kind: 'text', text, ...chips }]
    case 'media':
      return [...before, { kind: 'media', media: draft.media, ...(text !== '' && { text }), ...chips }]
    case 'list':
      return [...before, { kind: 'list', text, rows: draft.rows }]
    case 'times':
      return [...before, { kind: 'times', text, slots: draft.slots }]
  }
}

/** The text of a rendering that consists of text alone, as one string. */
export function floorText({ blocks }: Pick<Rendering, 'blocks'>): string {
  return blocks.flatMap((block) => (block.kind === 'text' ? [block.text] : [])).join('\n\n')
}
