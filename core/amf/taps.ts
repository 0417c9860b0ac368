/**
 * Everything in a message that a person can tap, pick or answer, in the order in which it stands there. The place in this
 * list names it for ever: renderings, postbacks and answers all speak of places, so a tap is never matched by its label.
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
  /** The intent it answers; `chips` for a reply chip, which belongs to no intent. */
  readonly intent: IntentType | 'chips'
  /** Absent for chips: there it is the id of the message. */
  readonly intentId?: string
  /** The option's id, or what the chip returns. */
  readonly optionId: string
  /** As the message says it; absent where it is left to the reader's language (yes, no, a slot's day and time). */
  readonly label?: string
  /** What happens on the device; `reply` is an answer, everything else a notification. */
  readonly kind: ChipKind
}

export function tapsOf(message: Pick<ContentMessage, 'parts' | 'chips'>): readonly Tap[] {
  return [...message.parts.flatMap(tapsOfPart), ...(message.chips ?? []).map(tapOfChip)]
}

/** Whether a person may answer it: by a reply of any kind, or with a place. */
export function isQuestion(message: OutboundMessage): boolean {
  return !isSignal(message) && tapsOf(message).some(({ kind, intent }) => kind === 'reply' || intent === 'ask.location')
}

/** The taps of a native part are those of its fallback: what its payload offers only its channel knows. */
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
