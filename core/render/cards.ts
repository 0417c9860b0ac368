/** The ladders of cards: a single card, a carousel, and a showcase, whose items are cards to choose from. */
import type { Card, Chip } from '../amf/index.js'
import type { RenderedCard } from '../channel/blocks.js'
import { asChips, asList, asNumberedText, hasReplyChips, type Question } from './askparts.js'
import { type ChipWithTap, type Row, rowOf } from './chiprow.js'
import {
  chipLimits,
  type Draft,
  type Fragment,
  isAlways,
  type Ladder,
  type PartOf,
  type RenderContext,
  showOnLadder,
  textDraft,
} from './fragments.js'
import { continuationLines, entry, heading, isBlank, type Line, literal, oneLine, trimBlankLines } from './lines.js'
import { linkTo, mediaOf } from './media.js'
import { phrases } from './phrases.js'
import { sizeOf } from './split.js'
import { write } from './writers.js'

/** A card, and the tap indexes of its chips. */
interface CardWithTaps {
  readonly card: Card
  readonly chips: readonly ChipWithTap[]
}

const withTaps = (card: Card, firstTap: number): CardWithTaps => ({
  card,
  chips: (card.chips ?? []).map((chip, index) => ({ chip, tap: firstTap + index })),
})

interface CardResult {
  readonly card: RenderedCard
  readonly numbered: readonly number[]
}

/** The card as the channel shows it, or undefined. No text is cut: a title that does not fit leads the description. */
function renderCard(
  { card: { title, description, mediaUrl }, chips }: CardWithTaps,
  context: RenderContext,
): CardResult | undefined {
  const { card: limits, text, markup } = context.traits
  if (!limits) return undefined
  const cardChipLimits = { kinds: limits.chipKinds, min: 0, max: limits.chipsMax, labelMax: limits.chipLabelMax }
  const row = rowOf(chips, cardChipLimits, context.firstNumber, text.encoding, context.format)
  const picture = mediaUrl === undefined ? undefined : mediaOf(mediaUrl, context.traits, context.format.links)
  if (limits.needsMedia && !picture) return undefined
  const name = title === undefined ? undefined : oneLine(title)
  const shownTitle = name !== undefined && name.length <= limits.titleMax ? name : undefined
  const lines = [
    ...(name !== undefined && shownTitle === undefined ? [heading(name)] : []),
    ...(description === undefined ? [] : literal(description)),
    ...(picture ? [] : linkTo(mediaUrl, context.format.links)),
    ...row.lines,
  ]
  const body = write(trimBlankLines(lines), markup)
  if (sizeOf(body, text.unit) > limits.descriptionMax) return undefined
  const rendered: RenderedCard = {
    ...(shownTitle !== undefined && { title: shownTitle }),
    ...(body !== '' && { description: body }),
    ...(picture && { mediaUrl }),
    ...(row.chips.length > 0 && { chips: row.chips }),
  }
  const canUseBodyAsTitle = row.lines.length === 0
  const result = limits.needsTitle ? withTitle(rendered, canUseBodyAsTitle ? limits.titleMax : 0) : rendered
  return result && { card: result, numbered: row.numbered }
}

/** A card without a title uses its description as one, if the description is one line and short enough. */
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

function asCard(part: CardWithTaps, context: RenderContext): Fragment | undefined {
  const result = renderCard(part, context)
  // If the channel has cards only side by side, a single card is a picture with text below it.
  if (!result || context.traits.carousel?.alike) return undefined
  return { drafts: [cardDraft(result.card)], numbered: result.numbered }
}

function cardLines({ title, description }: Card, row: Row, link: readonly Line[] = []): Line[] {
  const lines = [
    ...(title === undefined ? [] : [heading(title)]),
    ...(description === undefined ? [] : literal(description)),
    ...link,
    ...row.lines,
  ]
  return row.chips.length > 0 && lines.every(isBlank) ? literal(phrases.choose) : lines
}

function asPicture({ card, chips }: CardWithTaps, context: RenderContext): Fragment | undefined {
  const media = card.mediaUrl === undefined ? undefined : mediaOf(card.mediaUrl, context.traits, context.format.links)
  if (!media) return undefined
  const row = rowOf(chips, chipLimits(context), context.firstNumber, context.traits.text.encoding, context.format)
  return {
    drafts: [{ kind: 'media', media, lines: cardLines(card, row), chips: row.chips }],
    numbered: row.numbered,
  }
}

function asText({ card, chips }: CardWithTaps, context: RenderContext): Fragment {
  const row = rowOf(chips, chipLimits(context), context.firstNumber, context.traits.text.encoding, context.format)
  return {
    drafts: [textDraft(cardLines(card, row, linkTo(card.mediaUrl, context.format.links)), row.chips)],
    numbered: row.numbered,
  }
}

const cardWithTapsLadder: Ladder<CardWithTaps> = [
  { name: 'card', level: 'native', has: ({ card }) => !!card, show: asCard },
  { name: 'picture', level: 'degraded', has: ({ media }) => !!media, show: asPicture },
  { name: 'text', level: 'text', has: isAlways, show: asText },
]

export const cardLadder: Ladder<PartOf<'card'>> = cardWithTapsLadder.map((rung) => ({
  ...rung,
  show: ({ card }, context) => rung.show(withTaps(card, context.firstTap), context),
}))

/** Cards side by side, in as many carousels as the channel needs; undefined unless every card fits. */
function asCarousels(cards: readonly CardWithTaps[], context: RenderContext): Fragment | undefined {
  const { carousel } = context.traits
  if (!carousel || cards.length < Math.max(2, carousel.min)) return undefined
  const numbered: number[] = []
  const rendered: RenderedCard[] = []
  for (const each of cards) {
    const result = renderCard(each, { ...context, firstNumber: context.firstNumber + numbered.length })
    if (!result) return undefined
    numbered.push(...result.numbered)
    rendered.push(result.card)
  }
  if (carousel.alike && !areAlike(rendered)) return undefined
  const rows = splitEvenly(rendered, carousel.max)
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

/** Splits into rows of nearly the same length, so that no row is left with a single card. */
function splitEvenly<T>(all: readonly T[], max: number): T[][] {
  const rows = Math.ceil(all.length / max)
  const ends = Array.from({ length: rows + 1 }, (_, row) => Math.round((row * all.length) / rows))
  return ends.slice(1).map((end, row) => all.slice(ends[row], end))
}

function asSeparateCards(cards: readonly CardWithTaps[], context: RenderContext): Fragment {
  const drafts: Draft[] = []
  const numbered: number[] = []
  for (const [index, card] of cards.entries()) {
    const isLast = context.isLast && index === cards.length - 1
    const fragment = showOnLadder(cardWithTapsLadder, card, {
      ...context,
      isLast,
      firstNumber: context.firstNumber + numbered.length,
    })
    drafts.push(...fragment.drafts)
    numbered.push(...fragment.numbered)
  }
  return { drafts, numbered }
}

function cardsOf({ cards }: PartOf<'carousel'>, context: RenderContext): CardWithTaps[] {
  let tap = context.firstTap
  return cards.map((card) => {
    const each = withTaps(card, tap)
    tap += each.chips.length
    return each
  })
}

export const carouselLadder: Ladder<PartOf<'carousel'>> = [
  {
    name: 'carousel',
    level: 'native',
    has: ({ card, carousel }) => !!card && !!carousel,
    show: (part, context) => asCarousels(cardsOf(part, context), context),
  },
  {
    name: 'one by one',
    level: 'degraded',
    has: ({ card, media }) => !!card || !!media,
    show: (part, context) => asSeparateCards(cardsOf(part, context), context),
  },
  {
    name: 'text',
    level: 'text',
    has: isAlways,
    show: (part, context) => asSeparateCards(cardsOf(part, context), context),
  },
]

type Showcase = PartOf<'showcase'>
interface Item {
  readonly card: Card
  readonly tap: number
  readonly chips: readonly ChipWithTap[]
}

function itemsOf({ items }: Showcase, context: RenderContext): Item[] {
  let tap = context.firstTap
  return items.map(({ id: _, ...card }) => {
    const item = { card, tap, chips: withTaps(card, tap + 1).chips }
    tap += 1 + item.chips.length
    return item
  })
}

const promptDrafts = ({ prompt }: Showcase): Draft[] => (prompt === undefined ? [] : [textDraft(literal(prompt))])

/** Each card gets a chip that chooses it, before its own chips; undefined if a card has no room for that. */
function asShowcase(part: Showcase, context: RenderContext): Fragment | undefined {
  const { card } = context.traits
  if (!card?.chipKinds.includes('reply') || card.chipsMax < 1 || card.chipLabelMax < phrases.select.length)
    return undefined
  const select: Chip = { label: phrases.select }
  const cards = itemsOf(part, context).map((item) => ({
    card: item.card,
    chips: [{ chip: select, tap: item.tap }, ...item.chips],
  }))
  const fragment = asCarousels(cards, context)
  if (!fragment || cards.some(({ chips }) => fragment.numbered.includes(chips[0]!.tap))) return undefined
  return { ...fragment, drafts: [...promptDrafts(part), ...fragment.drafts] }
}

/** A single item is shown as a card without Select, not as a choice. In text alone, YES chooses it. */
function asSingle(part: Showcase, context: RenderContext): Fragment | undefined {
  const [item, second] = itemsOf(part, context)
  if (!item || second) return undefined
  const rich = cardWithTapsLadder.filter(({ level, has }) => level !== 'text' && has(context.traits))
  for (const { show } of rich) {
    const fragment = show(item, context)
    if (fragment) return { ...fragment, drafts: [...promptDrafts(part), ...fragment.drafts] }
  }
  return undefined
}

/** A list of titles has no place for chips of items. */
function questionOf(part: Showcase, context: RenderContext): Question | undefined {
  const items = itemsOf(part, context)
  if (items.length < 2 || items.some(({ chips }) => chips.length > 0)) return undefined
  const choices = items.map(({ card, tap }) => ({ ...card, label: card.title!, tap }))
  return { ...(part.prompt !== undefined && { prompt: part.prompt }), choices }
}

function asDigest(part: Showcase, context: RenderContext): Fragment {
  const items = itemsOf(part, context)
  const [first] = items
  const lines = part.prompt === undefined ? [] : literal(part.prompt)
  if (items.length === 1 && first && first.chips.length === 0) {
    const { title, ...card } = first.card
    return asNumberedText(
      {
        ...(part.prompt !== undefined && { prompt: part.prompt }),
        choices: [{ ...card, label: title!, tap: first.tap }],
      },
      context,
    )
  }
  const numbered: number[] = []
  for (const { card, tap, chips } of items) {
    if (items.length === 1) lines.push(...literal(oneLine(card.title!)))
    else lines.push(entry(`${context.firstNumber + numbered.push(tap) - 1}. `, card.title!))
    lines.push(...continuationLines(card.description), ...continuationLines(card.mediaUrl))
    const row = rowOf(
      chips,
      undefined,
      context.firstNumber + numbered.length,
      context.traits.text.encoding,
      context.format,
    )
    numbered.push(...row.numbered)
    lines.push(...row.lines)
  }
  if (items.length > 1) return { drafts: [textDraft(lines, [], phrases.byNumber)], numbered, prompted: true }
  return { drafts: [textDraft([...lines, ...literal(phrases.yesToChoose)])], numbered }
}

const asQuestion =
  (show: (question: Question, context: RenderContext) => Fragment | undefined) =>
  (part: Showcase, context: RenderContext) => {
    const question = questionOf(part, context)
    return question && show(question, context)
  }

export const showcaseLadder: Ladder<Showcase> = [
  { name: 'carousel', level: 'native', has: ({ card, carousel }) => !!card && !!carousel, show: asShowcase },
  { name: 'single', level: 'degraded', has: ({ card, media }) => !!card || !!media, show: asSingle },
  { name: 'list', level: 'degraded', has: ({ list }) => !!list, show: asQuestion(asList) },
  { name: 'chips', level: 'degraded', has: hasReplyChips, show: asQuestion(asChips) },
  { name: 'digest', level: 'text', has: isAlways, show: asDigest },
]
