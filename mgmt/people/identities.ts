/** Keeps people who were entered or changed together with the identities that their phones give them. */
import type { AgentScope } from '../../core/agent/scope.js'
import type { AgentRef } from '../../core/agentref.js'
import { mergePeople } from '../../core/people/merge.js'
import {
  isUnnamed,
  numberOf,
  phoneNumberOf,
  type SendTarget,
  withoutFormerNumber,
  withoutNumber,
} from '../../core/people/numbers.js'
import type { Person, PersonIdentity } from '../../core/people/person.js'
import type { CommandMeta, Tx } from '../../runtime/shard/contract.js'
import { moveJournal } from './journal.js'
import { aliasTable, deletePerson, holdersAt, personByIndexKey, personOfAsid } from './store.js'

type SavePerson = (tx: Tx, agent: AgentRef, before: Person | undefined, after: Person, meta: CommandMeta) => void

/** The people of one agent, and how one of them is written. */
export interface PeopleWriter {
  readonly agent: AgentRef
  readonly scope: AgentScope
  readonly save: SavePerson
}

export interface PhoneIdentity {
  /** The one that the phone gives, as its conversation has it. */
  readonly identity?: PersonIdentity | undefined
  /** The send that brought the phone along. */
  readonly send?: SendTarget
}

/**
 * Whoever holds an identity at the phone, on whichever channel, and of whom nothing else is known is this person: the two
 * become one, and the record that was entered stays. The identity that the phone gives is added unless another person
 * holds it. Answers the person as kept.
 */
export function saveReachable(
  tx: Tx,
  { agent, scope, save }: PeopleWriter,
  before: Person | undefined,
  after: Person,
  { identity, send }: PhoneIdentity,
  meta: CommandMeta,
): Person {
  let person = withoutFormerNumber(before, after, send)
  const number = phoneNumberOf(person)
  for (const holder of number === undefined ? [] : holdersAt(tx, scope, number)) {
    if (holder.id !== person.id && isUnnamed(holder)) person = absorb(tx, scope, person, holder, meta.at)
  }
  const isHeld = (asid: string) => person.identities.some((each) => each.asid === asid) || personOfAsid(tx, scope, asid)
  if (identity && !isHeld(identity.asid)) person = { ...person, identities: [...person.identities, identity] }
  if (person !== before) save(tx, agent, before, person, meta)
  return person
}

/**
 * Identities that a person gave up go to whoever has had their numbers as phone longest, and vanish where nobody has. What
 * is known of an identity goes with it, so one that is opted out stays so.
 */
export function reassignIdentities(
  tx: Tx,
  { agent, scope, save }: PeopleWriter,
  released: readonly PersonIdentity[],
  meta: CommandMeta,
): void {
  for (const { reservedFor: _send, ...identity } of released) {
    const value = numberOf(identity)
    const nextHolder = value === undefined ? undefined : personByIndexKey(tx, scope, { kind: 'phone', value })
    if (nextHolder)
      save(tx, agent, nextHolder, { ...nextHolder, identities: [...nextHolder.identities, identity] }, meta)
  }
}

/** Two records become one. A phone that is the other's alone stays with whoever else has it as phone, if anybody has. */
export function merge(tx: Tx, writer: PeopleWriter, survivor: Person, absorbed: Person, meta: CommandMeta): Person {
  const whole = absorb(tx, writer.scope, survivor, absorbed, meta.at)
  const value = phoneNumberOf(absorbed)
  const isAnothers =
    value !== undefined &&
    value !== phoneNumberOf(whole) &&
    personByIndexKey(tx, writer.scope, { kind: 'phone', value }) !== undefined
  const merged = isAnothers ? withoutNumber(whole, value) : whole
  const person = saveReachable(tx, writer, survivor, merged, {}, meta)
  const isTheirs = ({ asid }: PersonIdentity) => merged.identities.some((each) => each.asid === asid)
  reassignIdentities(
    tx,
    writer,
    absorbed.identities.filter((each) => !isTheirs(each)),
    meta,
  )
  return person
}

/** One record goes and the other takes over what is told of it; its id leads to the one that stays. */
function absorb(tx: Tx, scope: AgentScope, survivor: Person, absorbed: Person, at: number): Person {
  deletePerson(tx, scope, absorbed)
  moveJournal(tx, scope, absorbed.id, survivor.id)
  tx.put(aliasTable, [...scope, absorbed.id], survivor.id)
  return mergePeople(survivor, absorbed, at)
}
