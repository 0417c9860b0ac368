/** The ladders of text, and of what is shared to be kept: an event, a place, a contact. */
import type { ChipKind, Place } from '../amf/index.js'
import type { RenderedChip } from '../channel/blocks.js'
import type { Traits } from '../channel/traits.js'
import { type At, always, type Ladder, type PartOf, type Piece, type Rung, roomBelow, textDraft } from './drafts.js'
import { below, type Line, literal, oneLine } from './lines.js'
import { calendarLink, mapsLink } from './links.js'
import { parse } from './markdown.js'
import { eventDetails } from './row.js'
import { type Say, valueText } from './values.js'
import { words } from './words.js'

/** A value between pieces of CommonMark is words, whatever its characters would mean there. */
function sourceOf({ text }: PartOf<'text'>, say: Say): string {
  if (typeof text === 'string') return text
  return text
    .map((run) => (typeof run === 'string' ? run : valueText(run, say).replace(/[!-/:-@[-`{-~]/g, '\\$&')))
    .join('')
}

const asText = (part: PartOf<'text'>, { say }: At): Piece => ({
  drafts: [textDraft(parse(sourceOf(part, say)))],
  numbered: [],
})

export const textLadder: Ladder<PartOf<'text'>> = [
  { name: 'markup', level: 'native', has: ({ markup }) => markup !== 'plain', show: asText },
  { name: 'plain', level: 'text', has: always, show: asText },
]

/** One chip below the text, if the channel has that kind. */
function chipRung<P>(
  kind: ChipKind,
  level: Rung<P>['level'],
  make: (part: P, say: Say) => { readonly lines: Line[]; readonly chip: RenderedChip },
): Rung<P> {
  const has = ({ chips }: Traits) => chips?.kinds.includes(kind) === true && chips.min <= 1
  const show = (part: P, at: At): Piece | undefined => {
    const room = roomBelow(at)
    const { lines, chip } = make(part, at.say)
    if (!room || room.max < 1 || chip.label.length > room.labelMax) return undefined
    return { drafts: [textDraft(lines, [chip])], numbered: [] }
  }
  return { name: `${kind} chip`, level, has, show }
}

const eventLines = (part: PartOf<'share.event'>, say: Say) => [
  ...literal(oneLine(part.title)),
  ...eventDetails(part, say),
]

export const eventLadder: Ladder<PartOf<'share.event'>> = [
  chipRung('calendar', 'native', (part, say) => {
    const { type: _, ...event } = part
    return { lines: eventLines(part, say), chip: { label: words.addToCalendar, kind: 'calendar', event } }
  }),
  chipRung('url', 'degraded', (part, say) => ({
    lines: eventLines(part, say),
    chip: { label: words.addToCalendar, kind: 'url', url: calendarLink(part) },
  })),
  {
    name: 'link',
    level: 'text',
    has: always,
    show: (part, { say }) => ({
      drafts: [textDraft([...eventLines(part, say), ...below(calendarLink(part))])],
      numbered: [],
    }),
  },
]

function placeLines({ label, address, latitude, longitude }: Place): Line[] {
  const named = [label, address].flatMap((each) => (each === undefined ? [] : literal(each)))
  return named.length > 0 ? named : literal(`${latitude}, ${longitude}`)
}

export const placeLadder: Ladder<PartOf<'share.place'>> = [
  chipRung('viewLocation', 'native', (part) => {
    const { type: _, ...place } = part
    return { lines: placeLines(part), chip: { label: words.viewOnMap, kind: 'viewLocation', place } }
  }),
  chipRung('url', 'degraded', (part) => ({
    lines: placeLines(part),
    chip: { label: words.viewOnMap, kind: 'url', url: mapsLink(part) },
  })),
  {
    name: 'link',
    level: 'text',
    has: always,
    show: (part) => ({ drafts: [textDraft([...placeLines(part), ...below(mapsLink(part))])], numbered: [] }),
  },
]

export const contactLadder: Ladder<PartOf<'share.contact'>> = [
  {
    name: 'text',
    level: 'text',
    has: always,
    show: ({ name, organization, phone, email, url }) => ({
      drafts: [
        textDraft([name, organization, phone, email, url].flatMap((each) => (each === undefined ? [] : literal(each)))),
      ],
      numbered: [],
    }),
  },
]
