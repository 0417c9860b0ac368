/** Full labels of all taps of a message as the reader sees them, by tap index. */
import { type ContentMessage, type PlainPart, tapsOf } from '../amf/index.js'
import type { Reader } from './contract.js'
import { phrases } from './phrases.js'
import { formatOptionsFor, slotLabels, slotNames } from './values.js'

export function labelsOf(message: ContentMessage, reader: Reader): readonly string[] {
  const format = formatOptionsFor(message.locale, reader)
  const slots = plainParts(message).flatMap((part) => (part.type === 'ask.time' ? slotLabels(part.slots, format) : []))
  let slot = 0
  return tapsOf(message).map(({ intent, optionId, label, kind }) => {
    if (intent === 'ask.time') return slots[slot++]!
    if (label !== undefined) return label
    if (intent === 'confirm') return optionId === 'yes' ? phrases.yes : phrases.no
    return kind === 'shareLocation' ? phrases.shareLocation : optionId
  })
}

/** The same, with the shorter forms of times that a channel may have shown. */
export function namesOf(message: ContentMessage, reader: Reader): readonly (readonly [string, ...string[]])[] {
  const format = formatOptionsFor(message.locale, reader)
  const forms = plainParts(message).flatMap((part) =>
    part.type === 'ask.time' ? part.slots.map((slot) => slotNames(slot, format)) : [],
  )
  let slot = 0
  const labels = labelsOf(message, reader)
  return tapsOf(message).map(({ intent }, index) => [labels[index]!, ...(intent === 'ask.time' ? forms[slot++]! : [])])
}

function plainParts({ parts }: ContentMessage): readonly PlainPart[] {
  return parts.flatMap((part) => (part.type === 'native' ? part.fallback : part))
}
