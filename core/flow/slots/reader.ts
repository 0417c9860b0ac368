/** Reads values for slots from what a person writes: a whole answer, or values that a message mentions. */
import type { AnyFlow } from '../../agent/flows/steps.js'
import { turn } from '../../limits/index.js'
import type { SlotValue } from '../contract.js'
import { datesIn, type ReadingPlace } from './date.js'
import { emailsIn } from './email.js'
import { type Mention, onlyValue, withoutMentions } from './mention.js'
import { numbersIn } from './number.js'
import { phonesIn } from './phone.js'
import { isTimeslot } from './timeslot.js'
import { readYesNo } from './words.js'

export type Slot = NonNullable<AnyFlow['slots']>[number]
export type SlotType = Slot['type']

/** The part of a text that is read, with characters that no message can carry removed. */
export function readableText(text: string): string {
  return text
    .slice(0, turn.textChars)
    .replace(/\p{Surrogate}|\0/gu, '')
    .trim()
}

/** Types whose values are recognized by their form; a choice and a time depend on what was offered. */
export type MentionedType = 'email' | 'phone' | 'date' | 'number'

/** The value of a text that answers a question of this type; undefined when it has none, or several. */
export function readAnswer(type: SlotType, text: string, place: ReadingPlace): SlotValue | undefined {
  switch (type) {
    case 'email':
      return onlyValue(emailsIn(text))
    case 'phone':
      return onlyValue(phonesIn(text, place.region, true))
    case 'date':
      return onlyValue(datesIn(text, place, true))
    case 'number':
      return onlyValue(numbersIn(text, true))
    case 'boolean':
      return readYesNo(text)
    case 'string':
      return text.trim() === '' ? undefined : text.trim()
    case 'enum':
    case 'timeslot':
      return undefined
  }
}

/** The values that a text mentions, one for each type. Digits of an address, a phone or a date are no number. */
export function readMentions(
  text: string,
  types: ReadonlySet<SlotType>,
  place: ReadingPlace,
): ReadonlyMap<SlotType, SlotValue> {
  const values = new Map<SlotType, SlotValue>()
  let rest = text
  const read = <Value extends SlotValue>(type: MentionedType, find: () => readonly Mention<Value>[]) => {
    if (!types.has(type) && !types.has('number')) return
    const mentions = find()
    const value = onlyValue(mentions)
    if (value !== undefined && types.has(type)) values.set(type, value)
    rest = withoutMentions(rest, mentions)
  }
  read('email', () => emailsIn(rest))
  read('phone', () => phonesIn(rest, place.region, false))
  read('date', () => datesIn(rest, place, false))
  read('number', () => numbersIn(rest, false))
  return values
}

/** A value as text: a day and a time as the person read them, yes or no. */
export function textOfValue(value: SlotValue): string {
  if (isTimeslot(value)) return value.label
  return typeof value === 'boolean' ? (value ? 'yes' : 'no') : String(value)
}

/** A value as data: a time is its start. */
export function dataOfValue(value: SlotValue): string | number | boolean {
  return isTimeslot(value) ? value.start : value
}
