/**
 * How a person's phone and the identities at numbers go together: the phone on record is the number that is written to,
 * and an identity at a number that is no longer the person's phone is no longer theirs.
 */
import type { ChannelName } from '../channelnames.js'
import { phoneOf } from './address.js'
import { type Person, type PersonIdentity, textFields } from './person.js'

/** Channels that know people by their phone numbers. */
const phoneChannels: ReadonlySet<ChannelName> = new Set<ChannelName>(['rcs', 'sms', 'messengerA'])

/** The number at which an identity is reached; undefined on channels with addresses of another kind. */
export function numberOf({ channel, address }: Pick<PersonIdentity, 'channel' | 'address'>): string | undefined {
  return phoneChannels.has(channel) ? phoneOf(address) : undefined
}

export function phoneNumberOf({ phone }: Person): string | undefined {
  return phone === undefined ? undefined : phoneOf(phone)
}

/** A send, by the identity that it was accepted to. */
export interface SendTarget {
  readonly sendId: string
  readonly asid: string
}

/**
 * The person without the identities at the number that was their phone before the change and is not any more. The one that
 * the send goes to stays until the send has left.
 */
export function withoutFormerNumber(before: Person | undefined, after: Person, send?: SendTarget): Person {
  const former = before && before.phone !== after.phone ? phoneNumberOf(before) : undefined
  if (former === undefined || former === phoneNumberOf(after)) return after
  const reserved = send && after.identities.find(({ asid }) => asid === send.asid)
  const person = withoutNumber(after, former)
  if (!send || !reserved || person.identities.includes(reserved)) return person
  return { ...person, identities: [...person.identities, { ...reserved, reservedFor: send.sendId }] }
}

/** The person for whom the send is the last that an identity is kept for, if it is kept for one. */
export function extendReservation(person: Person, { sendId, asid }: SendTarget): Person {
  const isReserved = (each: PersonIdentity) => each.asid === asid && each.reservedFor !== undefined
  if (!person.identities.some(isReserved)) return person
  return {
    ...person,
    identities: person.identities.map((each) => (isReserved(each) ? { ...each, reservedFor: sendId } : each)),
  }
}

/** The person when the send has left: without the identity that was kept for it, unless its number is their phone again. */
export function releaseReservation(person: Person, { sendId, asid }: SendTarget): Person {
  const identity = person.identities.find((each) => each.asid === asid && each.reservedFor === sendId)
  if (!identity) return person
  const others = person.identities.filter((each) => each !== identity)
  if (numberOf(identity) !== phoneNumberOf(person)) return { ...person, identities: others }
  const { reservedFor: _reservedFor, ...rest } = identity
  return { ...person, identities: [...others, rest] }
}

export function withoutNumber(person: Person, number: string): Person {
  const identities = person.identities.filter((identity) => numberOf(identity) !== number)
  return identities.length === person.identities.length ? person : { ...person, identities }
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
