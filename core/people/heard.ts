/** What news of an identity makes of the person who holds it; old news never undoes newer. */
import { person as limits } from '../limits.js'
import { newPerson } from './change.js'
import type { IdentityNews, Person, PersonIdentity } from './person.js'

export interface Heard {
  /** The person as they were when nothing is to be written. */
  readonly person: Person
  readonly event?: 'person.opted_out' | 'person.opted_in'
}

export const heardSource = 'conversation'

export function heard(person: Person, news: IdentityNews): Heard {
  const identity = person.identities.find(({ asid }) => asid === news.asid)
  if (!identity) return { person }
  const next = news.kind === 'seen' ? seen(identity, news) : standing(identity, news)
  if (next === identity) return { person }
  const identities = person.identities.map((each) => (each === identity ? next : each))
  const isOut = next.optedOutAt !== undefined
  // An opt-out that a later message repeats was an event when it happened.
  const isTurned = news.kind !== 'seen' && isOut !== (identity.optedOutAt !== undefined)
  return {
    person: { ...person, identities },
    ...(isTurned && { event: isOut ? 'person.opted_out' : 'person.opted_in' }),
  }
}

/** A new person, known by that identity and by nothing else. */
export function strangerOf(id: string, news: IdentityNews, at: number): Person {
  return withIdentityOf(newPerson(id, heardSource, at), news)
}

/** The person with the identity that the news are about, which they did not hold before. */
export function withIdentityOf(person: Person, { asid, channel, address }: IdentityNews): Person {
  return { ...person, identities: [...person.identities, { asid, channel, address }] }
}

/** An identity as its conversation has it: opted out since then, if it is. */
export function asStanding(identity: PersonIdentity, optedOutAt: number | undefined): PersonIdentity {
  return optedOutAt === undefined ? identity : { ...identity, optedOutAt, standingAt: optedOutAt }
}

function seen(identity: PersonIdentity, { at, optedOutAt }: IdentityNews): PersonIdentity {
  const { lastSeenAt, standingAt } = identity
  const isStale =
    identity.optedOutAt === undefined && optedOutAt !== undefined && optedOutAt > (standingAt ?? -Infinity)
  const stands = isStale ? asStanding(identity, optedOutAt) : identity
  return lastSeenAt !== undefined && at < lastSeenAt + limits.seenEveryMs
    ? stands
    : Object.assign({}, stands, { lastSeenAt: at })
}

function standing(identity: PersonIdentity, { at, kind }: IdentityNews): PersonIdentity {
  if (identity.standingAt !== undefined && at < identity.standingAt) return identity
  const { optedOutAt, ...rest } = identity
  return kind === 'optedOut' ? { ...rest, optedOutAt: optedOutAt ?? at, standingAt: at } : { ...rest, standingAt: at }
}
