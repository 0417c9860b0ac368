/** Saves people whom an operator creates or changes, together with the identities at their phones. */
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

/** The people of one agent, and the function that saves one of them. */
export interface PeopleWriter {
  readonly agent: AgentRef
  readonly scope: AgentScope
  readonly save: SavePerson
}

export interface PhoneIdentity {
  /** The identity at the phone, with the consent state of its conversation. */
  readonly identity?: PersonIdentity | undefined
  /** The send that brought the phone. */
  readonly send?: SendTarget
}

/**
 * Merges each person who holds an identity at the phone, on any channel, and of whom nothing else is known, into this
 * person; the record of `after` survives. Adds the identity at the phone unless another person holds it. Returns the
 * saved person.
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
  const isAssigned = (asid: string) =>
    person.identities.some((each) => each.asid === asid) || personOfAsid(tx, scope, asid)
  if (identity && !isAssigned(identity.asid)) person = { ...person, identities: [...person.identities, identity] }
  if (person !== before) save(tx, agent, before, person, meta)
  return person
}

/**
 * Moves identities that a person released to the person who has had their number as phone longest; without such a
 * person they are removed. An identity moves with its state, so an opted-out one stays opted out.
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

/**
 * Merges two records. A phone of the absorbed person that another person also has as phone stays with that other
 * person.
 */
export function merge(tx: Tx, writer: PeopleWriter, survivor: Person, absorbed: Person, meta: CommandMeta): Person {
  const combined = absorb(tx, writer.scope, survivor, absorbed, meta.at)
  const value = phoneNumberOf(absorbed)
  const isPhoneOfAnother =
    value !== undefined &&
    value !== phoneNumberOf(combined) &&
    personByIndexKey(tx, writer.scope, { kind: 'phone', value }) !== undefined
  const merged = isPhoneOfAnother ? withoutNumber(combined, value) : combined
  const person = saveReachable(tx, writer, survivor, merged, {}, meta)
  const isInMerged = ({ asid }: PersonIdentity) => merged.identities.some((each) => each.asid === asid)
  reassignIdentities(
    tx,
    writer,
    absorbed.identities.filter((each) => !isInMerged(each)),
    meta,
  )
  return person
}

/** Deletes one record and moves its journal to the survivor; the old id becomes an alias of the survivor's id. */
function absorb(tx: Tx, scope: AgentScope, survivor: Person, absorbed: Person, at: number): Person {
  deletePerson(tx, scope, absorbed)
  moveJournal(tx, scope, absorbed.id, survivor.id)
  tx.put(aliasTable, [...scope, absorbed.id], survivor.id)
  return mergePeople(survivor, absorbed, at)
}
