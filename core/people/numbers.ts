/**
 * The rule between a person's phone and identities at numbers: messages go to the phone on record, and an identity at a
 * number that no longer is the person's phone is removed from the person.
 */
import type { ChannelName } from '../channelnames.js'
import { phoneOf } from './address.js'
import { type Person, type PersonIdentity, textFields } from './person.js'

/** Channels that identify people by phone number. */
const phoneChannels: ReadonlySet<ChannelName> = new Set<ChannelName>(['rcs', 'sms', 'messengerA'])

/** The number of an identity; undefined on channels with other addresses. */
export function numberOf({ channel, address }: Pick<PersonIdentity, 'channel' | 'address'>): string | undefined {
  return phoneChannels.has(channel) ? phoneOf(address) : undefined
}

export function phoneNumberOf({ phone }: Person): string | undefined {
  return phone === undefined ? undefined : phoneOf(phone)
}

/** A send and the identity that it was accepted for. */
export interface SendTarget {
  readonly sendId: string
  readonly asid: string
}

/**
 * The person without the identities at the number that was their phone before the change and is not any more. The
 * identity of the send stays, reserved, until the send has left.
 */
export function withoutFormerNumber(before: Person | undefined, after: Person, send?: SendTarget): Person {
  const former = before && before.phone !== after.phone ? phoneNumberOf(before) : undefined
  if (former === undefined || former === phoneNumberOf(after)) return after
  const reserved = send && after.identities.find(({ asid }) => asid === send.asid)
  const person = withoutNumber(after, former)
  if (!send || !reserved || person.identities.includes(reserved)) return person
  return { ...person, identities: [...person.identities, { ...reserved, reservedFor: send.sendId }] }
}

/** Makes this send the one that a reserved identity waits for, if the identity is reserved. */
export function extendReservation(person: Person, { sendId, asid }: SendTarget): Person {
  const isReserved = (each: PersonIdentity) => each.asid === asid && each.reservedFor !== undefined
  if (!person.identities.some(isReserved)) return person
  return {
    ...person,
    identities: person.identities.map((each) => (isReserved(each) ? { ...each, reservedFor: sendId } : each)),
  }
}

/**
 * The person once the send has left: without the identity that was reserved for it, unless its number is their phone
 * again.
 */
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

/** The person has identities and no other data: they wrote in, or were written to, and were never entered. */
export function isUnnamed(person: Person): boolean {
  return (
    !person.sandbox &&
    textFields.every((field) => person[field] === undefined) &&
    person.customFields === undefined &&
    person.tags === undefined
  )
}
