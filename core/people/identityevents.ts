/** What news of an identity makes of the person who holds it; old news never undoes newer. */
import { person as limits } from '../limits/index.js'
import { newPerson } from './change.js'
import type { IdentityEvent, Person, PersonIdentity } from './person.js'

export interface IdentityUpdate {
  /** The person as they were when nothing is to be written. */
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
  // An opt-out that a later message repeats was an event when it happened.
  const hasChanged = event.kind !== 'seen' && isOptedOut !== (identity.optedOutAt !== undefined)
  return {
    person: { ...person, identities },
    ...(hasChanged && { event: isOptedOut ? 'person.opted_out' : 'person.opted_in' }),
  }
}

/** A new person, known by that identity and by nothing else. */
export function newPersonFor(id: string, event: IdentityEvent, at: number): Person {
  return withIdentity(newPerson(id, conversationSource, at), event)
}

/** The person with the identity that the news are about, which they did not hold before. */
export function withIdentity(person: Person, { asid, channel, address }: IdentityEvent): Person {
  return { ...person, identities: [...person.identities, { asid, channel, address }] }
}

/** An identity as its conversation has it: opted out since then, if it is. */
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
