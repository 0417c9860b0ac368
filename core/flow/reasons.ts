/** Sentences that say why an answer was not taken. */
import type { SlotType } from './slots/reader.js'

const byType: Readonly<Record<SlotType, string>> = {
  string: 'Please answer in a few words.',
  email: 'I need an email address, such as name@example.com.',
  phone: 'I need a phone number, such as +1 415 555 0100.',
  number: 'I need a number.',
  date: 'I need a date, such as May 14.',
  timeslot: 'Please choose one of the times.',
  enum: 'Please choose one of the options.',
  boolean: 'Please answer yes or no.',
}

/** For a text that is no value of the type. */
export function typeReason(type: SlotType): string {
  return byType[type]
}

const byPredicate: Readonly<Record<string, string>> = {
  email: byType.email,
  phone: byType.phone,
  number: byType.number,
  integer: 'I need a whole number.',
  date: byType.date,
  url: 'I need a web address, such as https://example.com.',
  nonempty: byType.string,
}

/** The sentences that name an address or a number as an example. */
export const reasonsWithExamples: readonly string[] = [byType.email, byType.phone, byPredicate.url!]

const byBound: Readonly<Record<string, (bound: string) => string>> = {
  min: (bound) => `It must be at least ${bound}.`,
  max: (bound) => `It must be at most ${bound}.`,
  minLength: (bound) => `It must have at least ${bound} characters.`,
  maxLength: (bound) => `It must have at most ${bound} characters.`,
}

/** For a value that the predicate of its slot does not accept. */
export function predicateReason(predicate: string): string {
  const [name = '', bound = ''] = predicate.split(':')
  if (Object.hasOwn(byBound, name) && byBound[name]) return byBound[name](bound)
  return (Object.hasOwn(byPredicate, predicate) && byPredicate[predicate]) || 'That does not have the expected form.'
}
