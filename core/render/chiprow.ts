/** A row of chips: those that the channel can show as buttons, and lines of text for all others. */
import type { Chip, ChipKind, Event, Place } from '../amf/index.js'
import type { RenderedChip } from '../channel/blocks.js'
import type { Traits } from '../channel/traits.js'
import { chipLabels } from './labels.js'
import { continuationLines, entry, type Line, literal, oneLine } from './lines.js'
import { calendarLink, mapsLink } from './links.js'
import { phrases } from './phrases.js'
import { placeText } from './place.js'
import { type FormatOptions, spanText } from './values.js'

export interface ChipWithTap {
  readonly chip: Chip
  readonly tap: number
}

/** The limits of a chip row, below a message or in a card. */
export interface ChipLimits {
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
  candidates: readonly ChipWithTap[],
  limits: ChipLimits | undefined,
  firstNumber: number,
  encoding: Traits['text']['encoding'],
  format: FormatOptions,
): Row {
  const tappable = new Set(limits ? tappableIn(candidates, limits) : [])
  const tappableChips = candidates.filter((each) => tappable.has(each))
  const labels =
    tappableChips.length > 0
      ? chipLabels(
          tappableChips.map(({ chip }) => chip.label),
          limits!.labelMax,
          encoding,
        )
      : []
  // If labels would look the same once cut, every chip is written out instead.
  if (!labels) return rowOf(candidates, undefined, firstNumber, encoding, format)
  const numbered: number[] = []
  const lines: Line[] = []
  for (const each of candidates) {
    if (tappable.has(each)) {
      if (labels[tappableChips.indexOf(each)] !== oneLine(each.chip.label)) lines.push(entry('- ', each.chip.label))
    } else if (kindOf(each.chip) === 'reply') {
      numbered.push(each.tap)
      lines.push(entry(`${firstNumber + numbered.length - 1}. `, each.chip.label))
    } else lines.push(...linesOfAction(each.chip, format))
  }
  return { chips: tappableChips.map(({ chip, tap }, index) => asChip(chip, labels[index]!, tap)), lines, numbered }
}

export function kindOf({ kind = 'reply' }: Chip): ChipKind {
  return kind
}

/** If there are too many, actions give way to replies, since a person can also follow a link in the text. */
function tappableIn(candidates: readonly ChipWithTap[], limits: ChipLimits): readonly ChipWithTap[] {
  const loneKinds = limits.alone ?? []
  const ofKind = candidates.filter(({ chip }) => limits.kinds.includes(kindOf(chip)))
  const joinable = ofKind.filter(({ chip }) => !loneKinds.includes(kindOf(chip)))
  const isFitting = (chips: readonly ChipWithTap[]) =>
    chips.length >= Math.max(1, limits.min) && chips.length <= limits.max
  const replies = joinable.filter(({ chip }) => kindOf(chip) === 'reply')
  const actions = joinable.filter(({ chip }) => kindOf(chip) !== 'reply')
  const single = joinable.length === 0 ? ofKind.slice(0, 1) : []
  return [joinable, replies, actions, single].find(isFitting) ?? []
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

/** The text form of an action: its label, and what a person needs to do it by hand. */
function linesOfAction({ label, kind, url, phone, event, place }: Chip, format: FormatOptions): Line[] {
  const name = oneLine(label)
  if (kind === 'dial') return literal(`${name}: ${phone}`)
  if (kind === 'url') return literal(`${name}: ${url}`)
  if (kind === 'calendar' && event)
    return [...literal(`${name}: ${oneLine(event.title)}`), ...eventLines(event, format)]
  if (kind === 'viewLocation' && place)
    return [...literal(`${name}: ${oneLine(placeText(place))}`), ...continuationLines(mapsLink(place))]
  return [...literal(name), ...continuationLines(phrases.byAddress)]
}

/** Everything of an event but its title, the link last. */
function eventLines(event: Event, format: FormatOptions): Line[] {
  return [...eventDetails(event, format), ...continuationLines(calendarLink(event))]
}

export function eventDetails({ start, end, description, place }: Event, format: FormatOptions): Line[] {
  return [
    ...continuationLines(spanText(start, end, format)),
    ...continuationLines(description),
    ...continuationLines(placeLine(place)),
  ]
}

function placeLine(place: Place | undefined): string | undefined {
  return place && oneLine(placeText(place))
}
