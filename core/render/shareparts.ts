/** The ladders of text, and of shared items: an event, a place, a contact. */
import type { ChipKind, Place } from '../amf/index.js'
import type { RenderedChip } from '../channel/blocks.js'
import type { Traits } from '../channel/traits.js'
import { eventDetails } from './chiprow.js'
import {
  chipLimits,
  type Fragment,
  isAlways,
  type Ladder,
  type PartOf,
  type RenderContext,
  type Rung,
  textDraft,
} from './fragments.js'
import { continuationLines, type Line, literal, oneLine } from './lines.js'
import { calendarLink, mapsLink } from './links.js'
import { parse } from './markdown.js'
import { phrases } from './phrases.js'
import { type FormatOptions, valueText } from './values.js'

/** A typed value between pieces of CommonMark is literal: its punctuation is escaped. */
function sourceOf({ text }: PartOf<'text'>, format: FormatOptions): string {
  if (typeof text === 'string') return text
  return text
    .map((run) => (typeof run === 'string' ? run : valueText(run, format).replace(/[!-/:-@[-`{-~]/g, '\\$&')))
    .join('')
}

const asText = (part: PartOf<'text'>, { format }: RenderContext): Fragment => ({
  drafts: [textDraft(parse(sourceOf(part, format)))],
  numbered: [],
})

export const textLadder: Ladder<PartOf<'text'>> = [
  { name: 'markup', level: 'native', has: ({ markup }) => markup !== 'plain', show: asText },
  { name: 'plain', level: 'text', has: isAlways, show: asText },
]

/** One chip below the text, if the channel has that kind. */
function chipRung<P>(
  kind: ChipKind,
  level: Rung<P>['level'],
  make: (part: P, format: FormatOptions) => { readonly lines: Line[]; readonly chip: RenderedChip },
): Rung<P> {
  const has = ({ chips }: Traits) => chips?.kinds.includes(kind) === true && chips.min <= 1
  const show = (part: P, context: RenderContext): Fragment | undefined => {
    const limits = chipLimits(context)
    const { lines, chip } = make(part, context.format)
    if (!limits || limits.max < 1 || chip.label.length > limits.labelMax) return undefined
    return { drafts: [textDraft(lines, [chip])], numbered: [] }
  }
  return { name: `${kind} chip`, level, has, show }
}

const eventLines = (part: PartOf<'share.event'>, format: FormatOptions) => [
  ...literal(oneLine(part.title)),
  ...eventDetails(part, format),
]

export const eventLadder: Ladder<PartOf<'share.event'>> = [
  chipRung('calendar', 'native', (part, format) => {
    const { type: _, ...event } = part
    return { lines: eventLines(part, format), chip: { label: phrases.addToCalendar, kind: 'calendar', event } }
  }),
  chipRung('url', 'degraded', (part, format) => ({
    lines: eventLines(part, format),
    chip: { label: phrases.addToCalendar, kind: 'url', url: calendarLink(part) },
  })),
  {
    name: 'link',
    level: 'text',
    has: isAlways,
    show: (part, { format }) => ({
      drafts: [textDraft([...eventLines(part, format), ...continuationLines(calendarLink(part))])],
      numbered: [],
    }),
  },
]

function placeLines({ label, address, latitude, longitude }: Place): Line[] {
  const nameLines = [label, address].flatMap((each) => (each === undefined ? [] : literal(each)))
  return nameLines.length > 0 ? nameLines : literal(`${latitude}, ${longitude}`)
}

export const placeLadder: Ladder<PartOf<'share.place'>> = [
  chipRung('viewLocation', 'native', (part) => {
    const { type: _, ...place } = part
    return { lines: placeLines(part), chip: { label: phrases.viewOnMap, kind: 'viewLocation', place } }
  }),
  chipRung('url', 'degraded', (part) => ({
    lines: placeLines(part),
    chip: { label: phrases.viewOnMap, kind: 'url', url: mapsLink(part) },
  })),
  {
    name: 'link',
    level: 'text',
    has: isAlways,
    show: (part) => ({
      drafts: [textDraft([...placeLines(part), ...continuationLines(mapsLink(part))])],
      numbered: [],
    }),
  },
]

export const contactLadder: Ladder<PartOf<'share.contact'>> = [
  {
    name: 'text',
    level: 'text',
    has: isAlways,
    show: ({ name, organization, phone, email, url }) => ({
      drafts: [
        textDraft([name, organization, phone, email, url].flatMap((each) => (each === undefined ? [] : literal(each)))),
      ],
      numbered: [],
    }),
  },
]
