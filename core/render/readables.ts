/**
 * Everything in a message that a person should read, told from the message alone, and what of it is missing in a
 * rendering. It knows nothing of ladders on purpose: it is what they are checked against.
 */
import type { Card, Chip, ContentMessage, Event, Part, PlainPart } from '../amf/index.js'
import type { Block, RenderedCard, RenderedChip } from '../channel/blocks.js'
import type { Traits } from '../channel/traits.js'
import type { ChannelName } from '../channelnames.js'
import type { Steps } from '../steps.js'
import type { Reader } from './contract.js'
import { foldLookalikes } from './gsm7.js'
import { placeText } from './place.js'
import { newSaid, plainAscii } from './said.js'
import { type Say, sayFor, slotLabels, spanText, valueText } from './values.js'

interface Readable {
  readonly text: string
  /** Of what stands in one row, some may be written above what is tapped below: order holds for the row, not inside it. */
  readonly inRow?: true
}

/** In the order of the message. On its own channel a native part is its payload, which nobody can read but the channel. */
export function readables(message: ContentMessage, reader: Reader, channel?: ChannelName): string[] {
  return readablesOf(message, sayFor(message.locale, reader), channel).map(({ text }) => text)
}

/** What a message says and its blocks do not. */
export function* lossOf(
  message: ContentMessage,
  blocks: readonly Block[],
  traits: Traits,
  reader: Reader,
): Steps<string[]> {
  const say = sayFor(message.locale, reader)
  const shown = blocks.flatMap((block) => sayingsOf(block, say)).join('\n')
  const said = newSaid(searchable(traits.markup === 'slack' ? withoutSlack(shown) : shown))
  const lost: string[] = []
  let reached = 0
  let rowFrom = 0
  let wasInRow = false
  const readable = readablesOf(message, say, traits.withoutPayloads ? undefined : traits.channel)
  for (const { text, inRow = false } of readable) {
    if (!wasInRow) rowFrom = reached
    const end = said.endOf(searchable(text), inRow ? rowFrom : reached)
    if (end < 0) lost.push(text)
    else reached = Math.max(reached, end)
    wasInRow = inRow
    yield
  }
  return lost
}

/** The one markup that puts the address before its label, and that writes signs in letters. */
const slackLink = /<([^<>|\s]+)\|([^<>]*)>/g
const slackSigns: Readonly<Record<string, string>> = { '&amp;': '&', '&lt;': '<', '&gt;': '>' }

function withoutSlack(text: string): string {
  return text.replace(slackLink, '$2: $1').replace(/&(amp|lt|gt);/g, (sign) => slackSigns[sign]!)
}

function readablesOf({ parts, chips = [] }: ContentMessage, say: Say, channel?: ChannelName): Readable[] {
  return [...parts.flatMap((part) => ofPart(part, say, channel)), ...chips.flatMap((chip) => ofChip(chip, say))]
}

const plainly = (...texts: readonly (string | undefined)[]): Readable[] =>
  texts.filter((text) => text !== undefined).map((text) => ({ text }))
const inRow = (...texts: readonly (string | undefined)[]): Readable[] =>
  plainly(...texts).map(({ text }) => ({ text, inRow: true }))

function ofPart(part: Part, say: Say, channel?: ChannelName): Readable[] {
  if (part.type !== 'native') return ofPlain(part, say)
  return part.channel === channel ? [] : part.fallback.flatMap((each) => ofPlain(each, say))
}

function ofPlain(part: PlainPart, say: Say): Readable[] {
  switch (part.type) {
    case 'text': {
      const runs = typeof part.text === 'string' ? [part.text] : part.text
      const source = runs.map((run) => valueText(run, say)).join('')
      // A link that is its own label is written once.
      return plainly(source.replace(/\[([^[\]\n]{1,2048})\]\(\1\)/g, '$1'))
    }
    case 'media':
      return plainly(part.alt, part.mediaUrl, part.thumbnailUrl)
    case 'card':
      return ofCard(part.card, say)
    case 'carousel':
      return part.cards.flatMap((card) => ofCard(card, say))
    case 'ask.choice':
      return [
        ...plainly(part.prompt),
        ...part.options.flatMap(({ label, description, mediaUrl }) => inRow(label, description, mediaUrl)),
      ]
    case 'ask.time':
      return [...plainly(part.prompt), ...inRow(...slotLabels(part.slots, say))]
    case 'confirm': {
      const details = (part.details ?? []).flatMap(({ label, value }) => [label, valueText(value, say)])
      return [...plainly(part.prompt, ...details), ...inRow(part.yesLabel, part.noLabel)]
    }
    case 'showcase':
      return [...plainly(part.prompt), ...part.items.flatMap((item) => ofCard(item, say))]
    case 'ask.location':
      return plainly(part.prompt)
    case 'share.event':
      return plainly(...ofEvent(part, say))
    case 'share.place':
      return plainly(placeText(part))
    case 'share.contact':
      return plainly(part.name, part.organization, part.phone, part.email, part.url)
  }
}

function ofCard({ title, description, mediaUrl, chips = [] }: Card, say: Say): Readable[] {
  return [...plainly(title, description), ...inRow(mediaUrl), ...chips.flatMap((chip) => ofChip(chip, say))]
}

function ofChip({ label, kind = 'reply', url, phone, event, place }: Chip, say: Say): Readable[] {
  const about = {
    reply: [],
    shareLocation: [],
    url: [url],
    dial: [phone],
    calendar: event ? ofEvent(event, say) : [],
    viewLocation: place ? [placeText(place)] : [],
  }
  return inRow(label, ...about[kind])
}

function ofEvent({ title, start, end, description, place }: Event, say: Say): (string | undefined)[] {
  return [title, spanText(start, end, say), description, place && placeText(place)]
}

/** Everything that a block shows, in the order in which it is read. */
function sayingsOf(block: Block, say: Say): (string | undefined)[] {
  switch (block.kind) {
    case 'native':
      return []
    case 'text':
      return [block.text, ...chipSayings(block.chips, say)]
    case 'media': {
      const { alt, url, thumbnailUrl } = block.media
      return [block.text, alt, url, thumbnailUrl, ...chipSayings(block.chips, say)]
    }
    case 'card':
      return [...cardSayings(block.card, say), ...chipSayings(block.chips, say)]
    case 'carousel':
      return [...block.cards.flatMap((card) => cardSayings(card, say)), ...chipSayings(block.chips, say)]
    case 'list':
      return [block.text, ...block.rows.flatMap(({ label, description, mediaUrl }) => [label, description, mediaUrl])]
    case 'times':
      return [block.text, ...block.slots.map(({ label }) => label)]
  }
}

function cardSayings({ title, description, mediaUrl, chips }: RenderedCard, say: Say): (string | undefined)[] {
  return [title, description, mediaUrl, ...chipSayings(chips, say)]
}

function chipSayings(chips: readonly RenderedChip[] | undefined, say: Say): (string | undefined)[] {
  // What is shared is told in the text; a chip that is no tap of the message only repeats it.
  return (chips ?? []).flatMap(({ label, tap, url, phone, event, place }) =>
    tap === undefined ? [label] : [label, url, phone, ...(event ? ofEvent(event, say) : []), place && placeText(place)],
  )
}

/** Look-alikes count as the same, because the cheap alphabet of SMS has only one of them. */
function searchable(text: string): string {
  return plainAscii.test(text) ? text : foldLookalikes(text)
}
