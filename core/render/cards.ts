/** The ladders of cards: one, several side by side, and the items of a showcase, which are cards to choose from. */
import type { Card, Chip } from '../amf/index.js'
import type { RenderedCard } from '../channel/blocks.js'
import { asChips, inList, inWords, type Question, takesReplies } from './asks.js'
import {
  type At,
  always,
  climb,
  type Draft,
  type Ladder,
  type PartOf,
  type Piece,
  roomBelow,
  textDraft,
} from './drafts.js'
import { below, entry, heading, isBlank, type Line, literal, oneLine, tidy } from './lines.js'
import { linkTo, mediaOf } from './media.js'
import { type PlacedChip, type Row, rowOf } from './row.js'
import { sizeOf } from './split.js'
import { words } from './words.js'
import { write } from './writers.js'

/** A card, and the places of its chips. */
interface Placed {
  readonly card: Card
  readonly chips: readonly PlacedChip[]
}

const placed = (card: Card, firstTap: number): Placed => ({
  card,
  chips: (card.chips ?? []).map((chip, place) => ({ chip, tap: firstTap + place })),
})

interface Made {
  readonly card: RenderedCard
  readonly numbered: readonly number[]
}

/** The card as the channel shows it, or undefined. Nothing is cut off: what has no room in the title leads the description. */
function makeCard({ card: { title, description, mediaUrl }, chips }: Placed, at: At): Made | undefined {
  const { card: room, text, markup } = at.traits
  if (!room) return undefined
  const inCard = { kinds: room.chipKinds, min: 0, max: room.chipsMax, labelMax: room.chipLabelMax }
  const row = rowOf(chips, inCard, at.firstNumber, text.encoding, at.say)
  const picture = mediaUrl === undefined ? undefined : mediaOf(mediaUrl, at.traits, at.say.links)
  if (room.needsMedia && !picture) return undefined
  const name = title === undefined ? undefined : oneLine(title)
  const shownTitle = name !== undefined && name.length <= room.titleMax ? name : undefined
  const lines = [
    ...(name !== undefined && shownTitle === undefined ? [heading(name)] : []),
    ...(description === undefined ? [] : literal(description)),
    ...(picture ? [] : linkTo(mediaUrl, at.say.links)),
    ...row.lines,
  ]
  const body = write(tidy(lines), markup)
  if (sizeOf(body, text.unit) > room.descriptionMax) return undefined
  const rendered: RenderedCard = {
    ...(shownTitle !== undefined && { title: shownTitle }),
    ...(body !== '' && { description: body }),
    ...(picture && { mediaUrl }),
    ...(row.chips.length > 0 && { chips: row.chips }),
  }
  const mayLend = row.lines.length === 0
  const made = room.needsTitle ? withTitle(rendered, mayLend ? room.titleMax : 0) : rendered
  return made && { card: made, numbered: row.numbered }
}

/** A card without a title borrows its description for one, if that is its own and short enough. */
function withTitle({ title, description, ...others }: RenderedCard, titleMax: number): RenderedCard | undefined {
  const isOneLine = description !== undefined && description.length <= titleMax && !description.includes('\n')
  const titled =
    title !== undefined
      ? { title, ...(description !== undefined && { description }), ...others }
      : isOneLine
        ? { title: description, ...others }
        : undefined
  return titled && Object.keys(titled).length > 1 ? titled : undefined
}

function cardDraft(card: RenderedCard): Draft {
  return { kind: 'whole', block: { kind: 'card', card } }
}

function asCard(part: Placed, at: At): Piece | undefined {
  const made = makeCard(part, at)
  // Where cards only exist side by side, a single one is a picture with words below it.
  if (!made || at.traits.carousel?.alike) return undefined
  return { drafts: [cardDraft(made.card)], numbered: made.numbered }
}

function wordsOf({ title, description }: Card, row: Row, link: readonly Line[] = []): Line[] {
  const lines = [
    ...(title === undefined ? [] : [heading(title)]),
    ...(description === undefined ? [] : literal(description)),
    ...link,
    ...row.lines,
  ]
  return row.chips.length > 0 && lines.every(isBlank) ? literal(words.choose) : lines
}

function asPicture({ card, chips }: Placed, at: At): Piece | undefined {
  const media = card.mediaUrl === undefined ? undefined : mediaOf(card.mediaUrl, at.traits, at.say.links)
  if (!media) return undefined
  const row = rowOf(chips, roomBelow(at), at.firstNumber, at.traits.text.encoding, at.say)
  return {
    drafts: [{ kind: 'media', media, lines: wordsOf(card, row), chips: row.chips }],
    numbered: row.numbered,
  }
}

function asText({ card, chips }: Placed, at: At): Piece {
  const row = rowOf(chips, roomBelow(at), at.firstNumber, at.traits.text.encoding, at.say)
  return {
    drafts: [textDraft(wordsOf(card, row, linkTo(card.mediaUrl, at.say.links)), row.chips)],
    numbered: row.numbered,
  }
}

const placedLadder: Ladder<Placed> = [
  { name: 'card', level: 'native', has: ({ card }) => !!card, show: asCard },
  { name: 'picture', level: 'degraded', has: ({ media }) => !!media, show: asPicture },
  { name: 'text', level: 'text', has: always, show: asText },
]

export const cardLadder: Ladder<PartOf<'card'>> = placedLadder.map((rung) => ({
  ...rung,
  show: ({ card }, at) => rung.show(placed(card, at.firstTap), at),
}))

/** Cards side by side, in as many rows as the channel needs; undefined unless every card fits. */
function asCarousels(cards: readonly Placed[], at: At): Piece | undefined {
  const { carousel } = at.traits
  if (!carousel || cards.length < Math.max(2, carousel.min)) return undefined
  const numbered: number[] = []
  const made: RenderedCard[] = []
  for (const each of cards) {
    const one = makeCard(each, { ...at, firstNumber: at.firstNumber + numbered.length })
    if (!one) return undefined
    numbered.push(...one.numbered)
    made.push(one.card)
  }
  if (carousel.alike && !areAlike(made)) return undefined
  const rows = evenly(made, carousel.max)
  if (rows.some((row) => row.length < carousel.min)) return undefined
  const drafts = rows.map(
    (row): Draft =>
      row.length === 1 ? cardDraft(row[0]!) : { kind: 'whole', block: { kind: 'carousel', cards: row } },
  )
  return { drafts, numbered }
}

function areAlike(cards: readonly RenderedCard[]): boolean {
  const kinds = new Set(cards.map(({ chips = [] }) => chips.map(({ kind }) => kind).join(' ')))
  return kinds.size === 1 && !kinds.has('')
}

/** Rows of nearly the same length, so that none is left with a single card. */
function evenly<T>(all: readonly T[], max: number): T[][] {
  const rows = Math.ceil(all.length / max)
  const ends = Array.from({ length: rows + 1 }, (_, row) => Math.round((row * all.length) / rows))
  return ends.slice(1).map((end, row) => all.slice(ends[row], end))
}

function oneByOne(cards: readonly Placed[], at: At): Piece {
  const drafts: Draft[] = []
  const numbered: number[] = []
  for (const [place, card] of cards.entries()) {
    const isLast = at.isLast && place === cards.length - 1
    const piece = climb(placedLadder, card, { ...at, isLast, firstNumber: at.firstNumber + numbered.length })
    drafts.push(...piece.drafts)
    numbered.push(...piece.numbered)
  }
  return { drafts, numbered }
}

function cardsOf({ cards }: PartOf<'carousel'>, at: At): Placed[] {
  let tap = at.firstTap
  return cards.map((card) => {
    const each = placed(card, tap)
    tap += each.chips.length
    return each
  })
}

export const carouselLadder: Ladder<PartOf<'carousel'>> = [
  {
    name: 'carousel',
    level: 'native',
    has: ({ card, carousel }) => !!card && !!carousel,
    show: (part, at) => asCarousels(cardsOf(part, at), at),
  },
  {
    name: 'one by one',
    level: 'degraded',
    has: ({ card, media }) => !!card || !!media,
    show: (part, at) => oneByOne(cardsOf(part, at), at),
  },
  { name: 'text', level: 'text', has: always, show: (part, at) => oneByOne(cardsOf(part, at), at) },
]

type Showcase = PartOf<'showcase'>
interface Item {
  readonly card: Card
  readonly tap: number
  readonly chips: readonly PlacedChip[]
}

function itemsOf({ items }: Showcase, at: At): Item[] {
  let tap = at.firstTap
  return items.map(({ id: _, ...card }) => {
    const item = { card, tap, chips: placed(card, tap + 1).chips }
    tap += 1 + item.chips.length
    return item
  })
}

const above = ({ prompt }: Showcase): Draft[] => (prompt === undefined ? [] : [textDraft(literal(prompt))])

/** Each card gets a chip that chooses it, before its own; where that has no room, the showcase is no carousel. */
function asShowcase(part: Showcase, at: At): Piece | undefined {
  const { card } = at.traits
  if (!card?.chipKinds.includes('reply') || card.chipsMax < 1 || card.chipLabelMax < words.select.length)
    return undefined
  const select: Chip = { label: words.select }
  const cards = itemsOf(part, at).map((item) => ({
    card: item.card,
    chips: [{ chip: select, tap: item.tap }, ...item.chips],
  }))
  const piece = asCarousels(cards, at)
  if (!piece || cards.some(({ chips }) => piece.numbered.includes(chips[0]!.tap))) return undefined
  return { ...piece, drafts: [...above(part), ...piece.drafts] }
}

/** A single item is shown, not offered: a card without Select. In text alone, YES takes it. */
function asSingle(part: Showcase, at: At): Piece | undefined {
  const [item, second] = itemsOf(part, at)
  if (!item || second) return undefined
  const rich = placedLadder.filter(({ level, has }) => level !== 'text' && has(at.traits))
  for (const { show } of rich) {
    const piece = show(item, at)
    if (piece) return { ...piece, drafts: [...above(part), ...piece.drafts] }
  }
  return undefined
}

/** Chips of an item have no place in a list of titles. */
function plainly(part: Showcase, at: At): Question | undefined {
  const items = itemsOf(part, at)
  if (items.length < 2 || items.some(({ chips }) => chips.length > 0)) return undefined
  const choices = items.map(({ card, tap }) => ({ ...card, label: card.title!, tap }))
  return { ...(part.prompt !== undefined && { prompt: part.prompt }), choices }
}

function asDigest(part: Showcase, at: At): Piece {
  const items = itemsOf(part, at)
  const [first] = items
  const lines = part.prompt === undefined ? [] : literal(part.prompt)
  if (items.length === 1 && first && first.chips.length === 0) {
    const { title, ...card } = first.card
    return inWords(
      {
        ...(part.prompt !== undefined && { prompt: part.prompt }),
        choices: [{ ...card, label: title!, tap: first.tap }],
      },
      at,
    )
  }
  const numbered: number[] = []
  for (const { card, tap, chips } of items) {
    if (items.length === 1) lines.push(...literal(oneLine(card.title!)))
    else lines.push(entry(`${at.firstNumber + numbered.push(tap) - 1}. `, card.title!))
    lines.push(...below(card.description), ...below(card.mediaUrl))
    const row = rowOf(chips, undefined, at.firstNumber + numbered.length, at.traits.text.encoding, at.say)
    numbered.push(...row.numbered)
    lines.push(...row.lines)
  }
  if (items.length > 1) return { drafts: [textDraft(lines, [], words.byNumber)], numbered, prompted: true }
  return { drafts: [textDraft([...lines, ...literal(words.yesToChoose)])], numbered }
}

const asked = (show: (question: Question, at: At) => Piece | undefined) => (part: Showcase, at: At) => {
  const question = plainly(part, at)
  return question && show(question, at)
}

export const showcaseLadder: Ladder<Showcase> = [
  { name: 'carousel', level: 'native', has: ({ card, carousel }) => !!card && !!carousel, show: asShowcase },
  { name: 'single', level: 'degraded', has: ({ card, media }) => !!card || !!media, show: asSingle },
  { name: 'list', level: 'degraded', has: ({ list }) => !!list, show: asked(inList) },
  { name: 'chips', level: 'degraded', has: takesReplies, show: asked(asChips) },
  { name: 'digest', level: 'text', has: always, show: asDigest },
]
