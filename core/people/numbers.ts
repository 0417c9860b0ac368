/**
 * How a person's phone and the identities at numbers go together: the phone on record is the number that is written to,
 * and an identity at a number that is no longer the person's phone is no longer theirs.
 */
import type { ChannelName } from '../channel/names.js'
import { phoneOf } from './address.js'
import { type Person, type PersonIdentity, textFields } from './person.js'

/** Channels that know people by their phone numbers. */
const numbered: ReadonlySet<ChannelName> = new Set<ChannelName>(['rcs', 'sms', 'messengerA'])

/** The number at which an identity is reached; undefined on channels with addresses of another kind. */
export function numberOf({ channel, address }: Pick<PersonIdentity, 'channel' | 'address'>): string | undefined {
  return numbered.has(channel) ? phoneOf(address) : undefined
}

export function phoneNumberOf({ phone }: Person): string | undefined {
  return phone === undefined ? undefined : phoneOf(phone)
}

/** The person without the identities at the number that was their phone before the change and is not any more. */
export function withoutFormerNumber(before: Person | undefined, after: Person): Person {
  const former = before && before.phone !== after.phone ? phoneNumberOf(before) : undefined
  if (former === undefined || former === phoneNumberOf(after)) return after
  const identities = after.identities.filter((identity) => numberOf(identity) !== former)
  return identities.length === after.identities.length ? after : { ...after, identities }
}

/** Nothing is known of the person but identities: they wrote in, or were written to, and were never entered. */
export function isUnnamed(person: Person): boolean {
  return (
    !person.sandbox &&
    textFields.every((field) => person[field] === undefined) &&
    person.customFields === undefined &&
    person.tags === undefined
  )
}
