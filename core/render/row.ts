/** A row of chips: those that the channel can tap, and lines of text for all the others. */
import type { Chip, ChipKind, Event, Place } from '../amf/index.js'
import type { RenderedChip } from '../channel/blocks.js'
import type { Traits } from '../channel/traits.js'
import { chipLabels } from './labels.js'
import { below, entry, type Line, literal, oneLine } from './lines.js'
import { calendarLink, mapsLink } from './links.js'
import { placeText } from './place.js'
import { type Say, spanText } from './values.js'
import { words } from './words.js'

export interface PlacedChip {
  readonly chip: Chip
  readonly tap: number
}

/** What stands below a message, or in a card. */
export interface Room {
  readonly kinds: readonly ChipKind[]
  readonly min: number
  readonly max: number
  readonly labelMax: number
  readonly alone?: readonly ChipKind[]
}

export interface Row {
  readonly chips: readonly RenderedChip[]
  readonly lines: readonly Line[]
  readonly numbered: readonly number[]
}

export function rowOf(
  placed: readonly PlacedChip[],
  room: Room | undefined,
  firstNumber: number,
  encoding: Traits['text']['encoding'],
  say: Say,
): Row {
  const tappable = new Set(room ? tappableIn(placed, room) : [])
  const shown = placed.filter((each) => tappable.has(each))
  const labels =
    shown.length > 0
      ? chipLabels(
          shown.map(({ chip }) => chip.label),
          room!.labelMax,
          encoding,
        )
      : []
  // Labels that would look the same are not worth tapping: every chip is then written out.
  if (!labels) return rowOf(placed, undefined, firstNumber, encoding, say)
  const numbered: number[] = []
  const lines: Line[] = []
  for (const each of placed) {
    if (tappable.has(each)) {
      if (labels[shown.indexOf(each)] !== oneLine(each.chip.label)) lines.push(entry('- ', each.chip.label))
    } else if (kindOf(each.chip) === 'reply') {
      numbered.push(each.tap)
      lines.push(entry(`${firstNumber + numbered.length - 1}. `, each.chip.label))
    } else lines.push(...linesOfAction(each.chip, say))
  }
  return { chips: shown.map(({ chip, tap }, at) => asChip(chip, labels[at]!, tap)), lines, numbered }
}

export function kindOf({ kind = 'reply' }: Chip): ChipKind {
  return kind
}

/** When there are too many, actions give way to replies, since a link can be followed from the text as well. */
function tappableIn(placed: readonly PlacedChip[], room: Room): readonly PlacedChip[] {
  const lonely = room.alone ?? []
  const ofKind = placed.filter(({ chip }) => room.kinds.includes(kindOf(chip)))
  const together = ofKind.filter(({ chip }) => !lonely.includes(kindOf(chip)))
  const fitting = (chips: readonly PlacedChip[]) => chips.length >= Math.max(1, room.min) && chips.length <= room.max
  const replies = together.filter(({ chip }) => kindOf(chip) === 'reply')
  const actions = together.filter(({ chip }) => kindOf(chip) !== 'reply')
  const single = together.length === 0 ? ofKind.slice(0, 1) : []
  return [together, replies, actions, single].find(fitting) ?? []
}

function asChip({ kind = 'reply', url, phone, event, place }: Chip, label: string, tap: number): RenderedChip {
  return {
    label,
    kind,
    tap,
    ...(kind === 'url' && { url }),
    ...(kind === 'dial' && { phone }),
    ...(kind === 'calendar' && { event }),
    ...(kind === 'viewLocation' && { place }),
  }
}

/** What an action comes down to in text: its label, and what a person needs to do it by hand. */
function linesOfAction({ label, kind, url, phone, event, place }: Chip, say: Say): Line[] {
  const name = oneLine(label)
  if (kind === 'dial') return literal(`${name}: ${phone}`)
  if (kind === 'url') return literal(`${name}: ${url}`)
  if (kind === 'calendar' && event) return [...literal(`${name}: ${oneLine(event.title)}`), ...aboutEvent(event, say)]
  if (kind === 'viewLocation' && place)
    return [...literal(`${name}: ${oneLine(placeText(place))}`), ...below(mapsLink(place))]
  return [...literal(name), ...below(words.byAddress)]
}

/** Everything of an event but its title, the link last. */
function aboutEvent(event: Event, say: Say): Line[] {
  return [...eventDetails(event, say), ...below(calendarLink(event))]
}

export function eventDetails({ start, end, description, place }: Event, say: Say): Line[] {
  return [...below(spanText(start, end, say)), ...below(description), ...below(placeLine(place))]
}

function placeLine(place: Place | undefined): string | undefined {
  return place && oneLine(placeText(place))
}
