/** Keeps people who were entered or changed together with the identities that their phones give them. */
import type { AgentScope } from '../../core/agent/scope.js'
import type { AgentPlace } from '../../core/agentkey.js'
import { mergedPeople } from '../../core/people/merging.js'
import {
  isUnnamed,
  numberOf,
  type Outgoing,
  phoneNumberOf,
  withoutFormerNumber,
  withoutNumber,
} from '../../core/people/numbers.js'
import type { Person, PersonIdentity } from '../../core/people/person.js'
import type { Told, Tx } from '../../runtime/shard/contract.js'
import { handOver } from './journal.js'
import { aliasTable, erase, holdersAt, personOfAsid, personOfMark } from './store.js'

type Keep = (tx: Tx, place: AgentPlace, before: Person | undefined, after: Person, told: Told) => void

/** The people of one agent, and how one of them is written. */
export interface Keeper {
  readonly place: AgentPlace
  readonly scope: AgentScope
  readonly keep: Keep
}

export interface Reached {
  /** The one that the phone gives, as its conversation has it. */
  readonly identity?: PersonIdentity | undefined
  /** The send that brought the phone along. */
  readonly send?: Outgoing
}

/**
 * Whoever holds an identity at the phone, on whichever channel, and of whom nothing else is known is this person: the two
 * become one, and the record that was entered stays. The identity that the phone gives is added unless another person
 * holds it. Answers the person as kept.
 */
export function keepReachable(
  tx: Tx,
  { place, scope, keep }: Keeper,
  before: Person | undefined,
  after: Person,
  { identity, send }: Reached,
  told: Told,
): Person {
  let person = withoutFormerNumber(before, after, send)
  const number = phoneNumberOf(person)
  for (const holder of number === undefined ? [] : holdersAt(tx, scope, number)) {
    if (holder.id !== person.id && isUnnamed(holder)) person = takeOver(tx, scope, person, holder, told.at)
  }
  const isHeld = (asid: string) => person.identities.some((each) => each.asid === asid) || personOfAsid(tx, scope, asid)
  if (identity && !isHeld(identity.asid)) person = { ...person, identities: [...person.identities, identity] }
  if (person !== before) keep(tx, place, before, person, told)
  return person
}

/**
 * Identities that a person gave up go to whoever has had their numbers as phone longest, and vanish where nobody has. What
 * is known of an identity goes with it, so one that is opted out stays so.
 */
export function passOn(tx: Tx, { place, scope, keep }: Keeper, freed: readonly PersonIdentity[], told: Told): void {
  for (const { partsWith: _send, ...identity } of freed) {
    const value = numberOf(identity)
    const heir = value === undefined ? undefined : personOfMark(tx, scope, { kind: 'phone', value })
    if (heir) keep(tx, place, heir, { ...heir, identities: [...heir.identities, identity] }, told)
  }
}

/** Two records become one. A phone that is the other's alone stays with whoever else has it as phone, if anybody has. */
export function merge(tx: Tx, keeper: Keeper, stays: Person, goes: Person, told: Told): Person {
  const whole = takeOver(tx, keeper.scope, stays, goes, told.at)
  const value = phoneNumberOf(goes)
  const isAnothers =
    value !== undefined &&
    value !== phoneNumberOf(whole) &&
    personOfMark(tx, keeper.scope, { kind: 'phone', value }) !== undefined
  const merged = isAnothers ? withoutNumber(whole, value) : whole
  const person = keepReachable(tx, keeper, stays, merged, {}, told)
  const isTheirs = ({ asid }: PersonIdentity) => merged.identities.some((each) => each.asid === asid)
  passOn(
    tx,
    keeper,
    goes.identities.filter((each) => !isTheirs(each)),
    told,
  )
  return person
}

/** One record goes and the other takes over what is told of it; its id leads to the one that stays. */
function takeOver(tx: Tx, scope: AgentScope, stays: Person, goes: Person, at: number): Person {
  erase(tx, scope, goes)
  handOver(tx, scope, goes.id, stays.id)
  tx.put(aliasTable, [...scope, goes.id], stays.id)
  return mergedPeople(stays, goes, at)
}
