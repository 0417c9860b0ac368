/**
 * The loss check: everything in a message that a person should read, derived from the message alone, and what a
 * rendering lacks of it. It does not use the ladders, because it checks them.
 */
import type { Card, Chip, ContentMessage, Event, Part, PlainPart } from '../amf/index.js'
import type { Block, RenderedCard, RenderedChip } from '../channel/blocks.js'
import type { Traits } from '../channel/traits.js'
import type { ChannelName } from '../channelnames.js'
import type { Steps } from '../steps.js'
import type { Reader } from './contract.js'
import { foldLookalikes } from './gsm7.js'
import { placeText } from './place.js'
import { createTextSearch, plainAscii } from './textsearch.js'
import { type FormatOptions, formatOptionsFor, slotLabels, spanText, valueText } from './values.js'

interface Readable {
  readonly text: string
  /**
   * In a row of chips, some may be written above those that are tapped below: the order holds for the row, not inside
   * it.
   */
  readonly inRow?: true
}

/** In the order of the message. On its own channel a native part is a payload, and only the channel can read it. */
export function readableTexts(message: ContentMessage, reader: Reader, channel?: ChannelName): string[] {
  return readablesOf(message, formatOptionsFor(message.locale, reader), channel).map(({ text }) => text)
}

/** What a message says and its blocks do not. */
export function* lossOf(
  message: ContentMessage,
  blocks: readonly Block[],
  traits: Traits,
  reader: Reader,
): Steps<string[]> {
  const format = formatOptionsFor(message.locale, reader)
  const rendered = blocks.flatMap((block) => blockTexts(block, format)).join('\n')
  const search = createTextSearch(searchable(traits.markup === 'slack' ? stripSlackMarkup(rendered) : rendered))
  const missing: string[] = []
  let searchedTo = 0
  let rowFrom = 0
  let wasInRow = false
  const readable = readablesOf(message, format, traits.withoutPayloads ? undefined : traits.channel)
  for (const { text, inRow = false } of readable) {
    if (!wasInRow) rowFrom = searchedTo
    const end = search.endOf(searchable(text), inRow ? rowFrom : searchedTo)
    if (end < 0) missing.push(text)
    else searchedTo = Math.max(searchedTo, end)
    wasInRow = inRow
    yield
  }
  return missing
}

/** Slack alone puts the URL before the label, and encodes special characters as entities. */
const slackLink = /<([^<>|\s]+)\|([^<>]*)>/g
const slackSigns: Readonly<Record<string, string>> = { '&amp;': '&', '&lt;': '<', '&gt;': '>' }

function stripSlackMarkup(text: string): string {
  return text.replace(slackLink, '$2: $1').replace(/&(amp|lt|gt);/g, (sign) => slackSigns[sign]!)
}

function readablesOf({ parts, chips = [] }: ContentMessage, format: FormatOptions, channel?: ChannelName): Readable[] {
  return [
    ...parts.flatMap((part) => partReadables(part, format, channel)),
    ...chips.flatMap((chip) => chipReadables(chip, format)),
  ]
}

const toReadables = (...texts: readonly (string | undefined)[]): Readable[] =>
  texts.filter((text) => text !== undefined).map((text) => ({ text }))
const inRow = (...texts: readonly (string | undefined)[]): Readable[] =>
  toReadables(...texts).map(({ text }) => ({ text, inRow: true }))

function partReadables(part: Part, format: FormatOptions, channel?: ChannelName): Readable[] {
  if (part.type !== 'native') return plainPartReadables(part, format)
  return part.channel === channel ? [] : part.fallback.flatMap((each) => plainPartReadables(each, format))
}

function plainPartReadables(part: PlainPart, format: FormatOptions): Readable[] {
  switch (part.type) {
    case 'text': {
      const runs = typeof part.text === 'string' ? [part.text] : part.text
      const source = runs.map((run) => valueText(run, format)).join('')
      // A link whose label is its URL is written once.
      return toReadables(source.replace(/\[([^[\]\n]{1,2048})\]\(\1\)/g, '$1'))
    }
    case 'media':
      return toReadables(part.alt, part.mediaUrl, part.thumbnailUrl)
    case 'card':
      return cardReadables(part.card, format)
    case 'carousel':
      return part.cards.flatMap((card) => cardReadables(card, format))
    case 'ask.choice':
      return [
        ...toReadables(part.prompt),
        ...part.options.flatMap(({ label, description, mediaUrl }) => inRow(label, description, mediaUrl)),
      ]
    case 'ask.time':
      return [...toReadables(part.prompt), ...inRow(...slotLabels(part.slots, format))]
    case 'confirm': {
      const details = (part.details ?? []).flatMap(({ label, value }) => [label, valueText(value, format)])
      return [...toReadables(part.prompt, ...details), ...inRow(part.yesLabel, part.noLabel)]
    }
    case 'showcase':
      return [...toReadables(part.prompt), ...part.items.flatMap((item) => cardReadables(item, format))]
    case 'ask.location':
      return toReadables(part.prompt)
    case 'share.event':
      return toReadables(...eventTexts(part, format))
    case 'share.place':
      return toReadables(placeText(part))
    case 'share.contact':
      return toReadables(part.name, part.organization, part.phone, part.email, part.url)
  }
}

function cardReadables({ title, description, mediaUrl, chips = [] }: Card, format: FormatOptions): Readable[] {
  return [
    ...toReadables(title, description),
    ...inRow(mediaUrl),
    ...chips.flatMap((chip) => chipReadables(chip, format)),
  ]
}

function chipReadables({ label, kind = 'reply', url, phone, event, place }: Chip, format: FormatOptions): Readable[] {
  const details = {
    reply: [],
    shareLocation: [],
    url: [url],
    dial: [phone],
    calendar: event ? eventTexts(event, format) : [],
    viewLocation: place ? [placeText(place)] : [],
  }
  return inRow(label, ...details[kind])
}

function eventTexts({ title, start, end, description, place }: Event, format: FormatOptions): (string | undefined)[] {
  return [title, spanText(start, end, format), description, place && placeText(place)]
}

/** Everything that a block shows, in reading order. */
function blockTexts(block: Block, format: FormatOptions): (string | undefined)[] {
  switch (block.kind) {
    case 'native':
      return []
    case 'text':
      return [block.text, ...chipTexts(block.chips, format)]
    case 'media': {
      const { alt, url, thumbnailUrl } = block.media
      return [block.text, alt, url, thumbnailUrl, ...chipTexts(block.chips, format)]
    }
    case 'card':
      return [...cardTexts(block.card, format), ...chipTexts(block.chips, format)]
    case 'carousel':
      return [...block.cards.flatMap((card) => cardTexts(card, format)), ...chipTexts(block.chips, format)]
    case 'list':
      return [block.text, ...block.rows.flatMap(({ label, description, mediaUrl }) => [label, description, mediaUrl])]
    case 'times':
      return [block.text, ...block.slots.map(({ label }) => label)]
  }
}

function cardTexts(
  { title, description, mediaUrl, chips }: RenderedCard,
  format: FormatOptions,
): (string | undefined)[] {
  return [title, description, mediaUrl, ...chipTexts(chips, format)]
}

function chipTexts(chips: readonly RenderedChip[] | undefined, format: FormatOptions): (string | undefined)[] {
  // Shared content stands in the text; a chip that is no tap of the message only repeats it.
  return (chips ?? []).flatMap(({ label, tap, url, phone, event, place }) =>
    tap === undefined
      ? [label]
      : [label, url, phone, ...(event ? eventTexts(event, format) : []), place && placeText(place)],
  )
}

/** Look-alikes count as equal, because GSM-7 has only one of them. */
function searchable(text: string): string {
  return plainAscii.test(text) ? text : foldLookalikes(text)
}
