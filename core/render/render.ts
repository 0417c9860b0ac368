/** Turns a message into what one channel sends: climbs the ladder of each part, places the chips, writes the text. */
import { type ContentMessage, type PlainPart, tapsOf } from '../amf/index.js'
import type { Block, RenderedChip } from '../channel/blocks.js'
import type { Traits } from '../channel/traits.js'
import { finish, type Steps } from '../steps.js'
import type { Reader, Render, Rendering } from './contract.js'
import { showPart } from './degrade.js'
import { type At, type Draft, type Piece, textDraft } from './drafts.js'
import { foldLookalikes, isGsm7 } from './gsm7.js'
import { areUnlike } from './labels.js'
import { blank, isBlank, type Line, literal, tidy } from './lines.js'
import { lossOf } from './readables.js'
import { kindOf, type Row, rowOf } from './row.js'
import { pagesIn } from './split.js'
import { type Say, sayFor } from './values.js'
import { words } from './words.js'
import { isPlainWords } from './writers.js'

export const render: Render = (message, traits, reader) => finish(renderingIn(message, traits, reader))

/** The same part by part and page by page. */
export function* renderingIn(message: ContentMessage, traits: Traits, reader: Reader): Steps<Rendering> {
  return plainWords(message, traits) ?? (yield* whole(message, traits, reader))
}

/** Most messages are a line of words, which is the same everywhere. */
function plainWords({ parts, chips }: ContentMessage, { text: limits, markup }: Traits): Rendering | undefined {
  const [part] = parts
  if (parts.length !== 1 || chips || part?.type !== 'text' || typeof part.text !== 'string') return undefined
  const { text } = part
  const isSimple = limits.encoding === 'unicode' && limits.unit === 'characters' ? /\S/ : /^[\n\x20-\x7e]+$/
  if (text.length > limits.max || !isSimple.test(text) || !isPlainWords(text, markup)) return undefined
  return { blocks: [{ kind: 'text', text }], numbered: [], loss: [] }
}

function* whole(message: ContentMessage, traits: Traits, reader: Reader): Steps<Rendering> {
  const say = sayFor(message.locale, reader)
  const shown = yield* showParts(message, traits, say)
  const withChips = placeChips(message, shown, traits, say)
  const drafts = prompted({ ...withChips, drafts: withChips.drafts.map(closed) })
  const blocks = yield* finished(drafts, traits)
  return {
    blocks,
    numbered: withChips.numbered,
    // Whoever sends does not ask, and the answer takes longer than the rendering.
    get loss() {
      return finish(lossOf(message, blocks, traits, reader))
    },
  }
}

/** What the parts came to, and how many taps they have. */
interface Shown extends Piece {
  readonly taps: number
}

function* showParts({ parts, chips = [] }: ContentMessage, traits: Traits, say: Say): Steps<Shown> {
  const drafts: Draft[] = []
  const numbered: number[] = []
  let taps = 0
  let isPrompted = false
  const inRow = (traits.chips?.kinds ?? []).filter((kind) => !traits.chips?.alone?.includes(kind))
  const tail = chips.filter((chip) => inRow.includes(kindOf(chip))).length
  const show = (part: PlainPart, isLast: boolean) => {
    const at: At = { traits, say, firstTap: taps, firstNumber: numbered.length + 1, isLast, tail }
    const piece = showPart(part, at)
    drafts.push(...piece.drafts)
    numbered.push(...piece.numbered)
    // Numbers behind the last such sentence have one behind them too.
    if (piece.numbered.length > 0) isPrompted = piece.prompted === true
    taps += tapsOf({ parts: [part] }).length
  }
  for (const [place, part] of parts.entries()) {
    const isLast = place === parts.length - 1
    if (part.type !== 'native') show(part, isLast)
    else if (part.channel === traits.channel && !traits.withoutPayloads) {
      drafts.push({ kind: 'whole', block: { kind: 'native', payload: part.payload } })
      taps += tapsOf({ parts: [part] }).length
    } else for (const [each, plain] of part.fallback.entries()) show(plain, isLast && each === part.fallback.length - 1)
    yield
  }
  return { drafts, numbered, taps, prompted: isPrompted }
}

/** Chips of the message stand below its last words, or below words of their own where there are none. */
function placeChips({ chips = [] }: ContentMessage, shown: Shown, traits: Traits, say: Say): Piece {
  if (chips.length === 0) return shown
  const placed = chips.map((chip, place) => ({ chip, tap: shown.taps + place }))
  const last = shown.drafts.at(-1)
  const rowIn = (room: Traits['chips']) => rowOf(placed, room, shown.numbered.length + 1, traits.text.encoding, say)
  const wanted = rowIn(traits.chips)
  // One more message would take away the chips of the last one; the row is then written into that one.
  const isBarred = last !== undefined && hasChips(last) && traits.chips?.whileNewest && !takesRow(last, wanted, traits)
  const row = isBarred ? rowIn(undefined) : wanted
  const numbered = [...shown.numbered, ...row.numbered]
  const isNumbered = row.numbered.length > 0
  const lines = [...row.lines, ...(isNumbered ? literal(words.byNumber) : [])]
  const result = { numbered, prompted: shown.prompted || isNumbered }
  if (last && takesRow(last, row, traits)) {
    const open = isNumbered ? last : closed(last)
    const spaced = lines.length > 0 ? [blank, ...lines] : []
    const joined = { ...last, lines: [...open.lines, ...spaced], chips: [...last.chips, ...row.chips] }
    return { ...result, drafts: [...shown.drafts.slice(0, -1), withoutClosing(joined)] }
  }
  const own = lines.length > 0 ? lines : literal(last ? words.orChoose : words.choose)
  return { ...result, drafts: [...shown.drafts, textDraft(own, row.chips)] }
}

/** The draft with its closing sentence written out. */
function closed<D extends Draft>(draft: D): D {
  if (draft.kind !== 'text' || draft.closing === undefined) return draft
  return withoutClosing({ ...draft, lines: [...draft.lines, ...literal(draft.closing)] })
}

function withoutClosing<D extends Draft>(draft: D): D {
  const { closing: _written, ...rest } = draft as D & { closing?: string }
  return rest as unknown as D
}

type Worded = Extract<Draft, { kind: 'text' | 'media' }>

function hasWords(draft: Draft): draft is Worded {
  return (draft.kind === 'text' || draft.kind === 'media') && !draft.lines.every(isBlank)
}

function hasChips(draft: Draft): boolean {
  return 'chips' in draft && draft.chips.length > 0
}

function takesRow(draft: Draft, row: Row, { chips: room }: Traits): draft is Worded {
  if (!hasWords(draft)) return false
  if (draft.chips.length === 0 || row.chips.length === 0) return true
  const all: readonly RenderedChip[] = [...draft.chips, ...row.chips]
  const lonely = all.some(({ kind }) => room?.alone?.includes(kind))
  return !lonely && areUnlike(all.map(({ label }) => label)) && all.length <= (room?.max ?? 0)
}

/** Numbers that only chips of cards have are explained at the end. */
function prompted({ drafts, numbered, prompted: isPrompted }: Piece): readonly Draft[] {
  if (numbered.length === 0 || isPrompted) return drafts
  const last = drafts.at(-1)
  if (!last || !hasWords(last)) return [...drafts, textDraft(literal(words.byNumber))]
  return [...drafts.slice(0, -1), { ...last, lines: [...last.lines, ...literal(words.byNumber)] }]
}

function* finished(drafts: readonly Draft[], traits: Traits): Steps<Block[]> {
  const tidied = drafts.map((draft) => ('lines' in draft ? { ...draft, lines: tidy(draft.lines) } : draft))
  yield
  const joined = isTextAlone(traits) ? joinedText(tidied) : tidied
  yield
  const folded = traits.text.encoding === 'gsm7' ? inCheapAlphabet(joined) : joined
  yield
  const blocks: Block[] = []
  for (const draft of folded) {
    blocks.push(...(yield* blocksOf(draft, traits)))
    yield
  }
  return blocks
}

/** On a channel of text alone several messages would be several bubbles, prices and chances to arrive out of order. */
function isTextAlone({ chips, card, list, timePicker, media }: Traits): boolean {
  return !chips && !card && !list && !timePicker && !media
}

function joinedText(drafts: readonly Draft[]): Draft[] {
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
  return joined.map((draft) => ('lines' in draft ? { ...draft, lines: tidy(draft.lines) } : draft))
}

/** Folding is worth it only where it makes the whole message cheap. */
function inCheapAlphabet(drafts: readonly Draft[]): Draft[] {
  const fold = (line: Line): Line => ({
    ...line,
    spans: line.spans.map(({ link, ...span }) => ({
      ...span,
      text: foldLookalikes(span.text),
      ...(link && { link: linkOnce(link) }),
    })),
  })
  const links = new Map<object, { readonly url: string }>()
  const linkOnce = (link: { readonly url: string }) => {
    const known = links.get(link) ?? { url: link.url.normalize('NFC') }
    links.set(link, known)
    return known
  }
  const folded = drafts.map((draft) => ('lines' in draft ? { ...draft, lines: draft.lines.map(fold) } : draft))
  const isCheap = (line: Line) => line.spans.every(({ text, link }) => isGsm7(text) && isGsm7(link?.url ?? ''))
  return folded.every((draft) => !('lines' in draft) || draft.lines.every(isCheap)) ? folded : [...drafts]
}

function* blocksOf(draft: Draft, traits: Traits): Steps<Block[]> {
  if (draft.kind === 'whole') return [draft.block]
  const chips = 'chips' in draft && draft.chips.length > 0 ? { chips: draft.chips } : {}
  const isAlone = draft.kind === 'text' && draft.chips.length === 0
  const needsWords = draft.kind !== 'media' && !isAlone && draft.lines.length === 0
  const lines = needsWords ? literal(words.choose) : draft.lines
  if (isAlone && lines.length === 0) return []
  const pages = yield* pagesIn(lines, traits, isAlone ? traits.text.max : (traits.text.besideMax ?? traits.text.max))
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

/** The text of a rendering in which there is nothing else, as one string. */
export function floorText({ blocks }: Pick<Rendering, 'blocks'>): string {
  return blocks.flatMap((block) => (block.kind === 'text' ? [block.text] : [])).join('\n\n')
}
