/** Applies an identity event to the person who holds the identity; an older event never undoes a newer one. */
import { person as limits } from '../limits/index.js'
import { newPerson } from './change.js'
import type { IdentityEvent, Person, PersonIdentity } from './person.js'

export interface IdentityUpdate {
  /** The same object when nothing is to be written. */
  readonly person: Person
  readonly event?: 'person.opted_out' | 'person.opted_in'
}

export const conversationSource = 'conversation'

export function applyIdentityEvent(person: Person, event: IdentityEvent): IdentityUpdate {
  const identity = person.identities.find(({ asid }) => asid === event.asid)
  if (!identity) return { person }
  const next = event.kind === 'seen' ? applySeen(identity, event) : applyConsent(identity, event)
  if (next === identity) return { person }
  const identities = person.identities.map((each) => (each === identity ? next : each))
  const isOptedOut = next.optedOutAt !== undefined
  // A `seen` that repeats an opt-out is no new event: the opt-out was reported when it happened.
  const hasChanged = event.kind !== 'seen' && isOptedOut !== (identity.optedOutAt !== undefined)
  return {
    person: { ...person, identities },
    ...(hasChanged && { event: isOptedOut ? 'person.opted_out' : 'person.opted_in' }),
  }
}

/** A new person with that identity and nothing else. */
export function newPersonFor(id: string, event: IdentityEvent, at: number): Person {
  return withIdentity(newPerson(id, conversationSource, at), event)
}

/** Adds the event's identity to a person who does not hold it. */
export function withIdentity(person: Person, { asid, channel, address }: IdentityEvent): Person {
  return { ...person, identities: [...person.identities, { asid, channel, address }] }
}

/** An identity with the opt-out of its conversation, if there is one. */
export function withOptOut(identity: PersonIdentity, optedOutAt: number | undefined): PersonIdentity {
  return optedOutAt === undefined ? identity : { ...identity, optedOutAt, consentAt: optedOutAt }
}

function applySeen(identity: PersonIdentity, { at, optedOutAt }: IdentityEvent): PersonIdentity {
  const { lastSeenAt, consentAt } = identity
  const isStale = identity.optedOutAt === undefined && optedOutAt !== undefined && optedOutAt > (consentAt ?? -Infinity)
  const current = isStale ? withOptOut(identity, optedOutAt) : identity
  return lastSeenAt !== undefined && at < lastSeenAt + limits.seenEveryMs
    ? current
    : Object.assign({}, current, { lastSeenAt: at })
}

function applyConsent(identity: PersonIdentity, { at, kind }: IdentityEvent): PersonIdentity {
  if (identity.consentAt !== undefined && at < identity.consentAt) return identity
  const { optedOutAt, ...rest } = identity
  return kind === 'optedOut' ? { ...rest, optedOutAt: optedOutAt ?? at, consentAt: at } : { ...rest, consentAt: at }
}
