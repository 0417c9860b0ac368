/** What news of an identity makes of the person who holds it; old news never undoes newer. */
import { having } from '../having.js'
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
  const next = news.kind === 'seen' ? seen(identity, news.at) : standing(identity, news)
  if (next === identity) return { person }
  const identities = person.identities.map((each) => (each === identity ? next : each))
  const isOut = next.optedOutAt !== undefined
  const isTurned = isOut !== (identity.optedOutAt !== undefined)
  return {
    person: { ...person, identities },
    ...(isTurned && { event: isOut ? 'person.opted_out' : 'person.opted_in' }),
  }
}

/** Somebody nobody holds yet: known by that identity and by nothing else. */
export function strangerOf(id: string, { asid, channel, address }: IdentityNews, at: number): Person {
  return { ...newPerson(id, heardSource, at), identities: [{ asid, channel, address }] }
}

function seen(identity: PersonIdentity, at: number): PersonIdentity {
  const { lastSeenAt } = identity
  return lastSeenAt !== undefined && at < lastSeenAt + limits.seenEveryMs
    ? identity
    : having(identity, { lastSeenAt: at })
}

function standing(identity: PersonIdentity, { at, kind }: IdentityNews): PersonIdentity {
  if (identity.standingAt !== undefined && at < identity.standingAt) return identity
  const { optedOutAt, ...rest } = identity
  return kind === 'optedOut' ? { ...rest, optedOutAt: optedOutAt ?? at, standingAt: at } : { ...rest, standingAt: at }
}
