/**
 * Taps of a message: everything that a person can tap, pick or answer, in the order of the message. The index in this
 * list identifies a tap for good: renderings, postbacks and answers use the index, so a tap is never matched by its
 * label.
 */
import {
  type Chip,
  type ChipKind,
  type ContentMessage,
  type IntentType,
  isSignal,
  type OutboundMessage,
  type Part,
  type PlainPart,
} from './message.js'

export interface Tap {
  /** The intent it answers; `chips` for a reply chip, which has no intent. */
  readonly intent: IntentType | 'chips'
  /** Absent for chips: there it is the id of the message. */
  readonly intentId?: string
  /** The option's id, or the value that the chip returns. */
  readonly optionId: string
  /**
   * The label in the message; absent when the renderer supplies one in the reader's language (yes, no, a slot's day and
   * time).
   */
  readonly label?: string
  /** What happens on the device; `reply` is an answer, everything else a notification. */
  readonly kind: ChipKind
}

export function tapsOf(message: Pick<ContentMessage, 'parts' | 'chips'>): readonly Tap[] {
  return [...message.parts.flatMap(tapsOfPart), ...(message.chips ?? []).map(tapOfChip)]
}

/** Whether a person may answer it: by a reply of any kind, or with a location. */
export function isQuestion(message: OutboundMessage): boolean {
  return !isSignal(message) && tapsOf(message).some(({ kind, intent }) => kind === 'reply' || intent === 'ask.location')
}

/** The taps of a native part are those of its fallback: only its channel can read the payload. */
function tapsOfPart(part: Part): readonly Tap[] {
  return part.type === 'native' ? part.fallback.flatMap(tapsOfPlain) : tapsOfPlain(part)
}

function tapsOfPlain(part: PlainPart): readonly Tap[] {
  switch (part.type) {
    case 'ask.choice':
      return part.options.map(({ id, label }) => option(part, id, label))
    case 'ask.time':
      return part.slots.map(({ id, label }) => option(part, id, label))
    case 'confirm':
      return [option(part, 'yes', part.yesLabel), option(part, 'no', part.noLabel)]
    case 'showcase':
      return part.items.flatMap(({ id, title, chips = [] }) => [option(part, id, title), ...chips.map(tapOfChip)])
    case 'ask.location':
      return [{ ...option(part, 'location'), kind: 'shareLocation' }]
    case 'card':
      return (part.card.chips ?? []).map(tapOfChip)
    case 'carousel':
      return part.cards.flatMap(({ chips = [] }) => chips.map(tapOfChip))
    default:
      return []
  }
}

function option(part: { type: IntentType; intentId: string }, optionId: string, label?: string): Tap {
  return { intent: part.type, intentId: part.intentId, optionId, ...(label !== undefined && { label }), kind: 'reply' }
}

function tapOfChip({ label, kind = 'reply', value = label }: Chip): Tap {
  return { intent: 'chips', optionId: value, label, kind }
}
