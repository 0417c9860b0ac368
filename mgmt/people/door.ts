/** An agent's people for the rest of the house, in the agent's shard: found, made, kept and told of. */
import type { AgentPlace } from '../../core/agentkey.js'
import type { Appointment } from '../../core/people/appointment.js'
import type { CompiledFilter } from '../../core/people/filter.js'
import { numberOf } from '../../core/people/numbers.js'
import type { Person, PersonIdentity } from '../../core/people/person.js'
import { personIdAt } from '../../core/people/personid.js'
import type { Told, Tx } from '../../runtime/shard/contract.js'
import type { Reader } from '../../runtime/store/contract.js'
import { append, forget } from './journal.js'
import { type Looked, lookedThrough } from './queries.js'
import { keepReachable, passOn, type Reached } from './reaching.js'
import {
  type AgentOf,
  appointmentTable,
  erase,
  personAt,
  personLedTo,
  personOfAsid,
  personOfNumber,
  type Realm,
  realmOf,
  write,
} from './store.js'

/** Told of everybody who is kept, in the same commit; `before` is absent for somebody new. */
export type PersonListener = (tx: Tx, place: AgentPlace, before: Person | undefined, after: Person, told: Told) => void

export function peopleDoor(agentOf: AgentOf, listeners: readonly PersonListener[]) {
  function realmFor(tx: Tx, place: AgentPlace): Realm {
    const realm = realmOf(agentOf, tx, place)
    if (!realm) throw new Error('people are kept of agents that are there')
    return realm
  }

  function keep(tx: Tx, place: AgentPlace, before: Person | undefined, after: Person, told: Told): void {
    const realm = realmFor(tx, place)
    write(tx, realm, before, after)
    for (const listener of listeners) listener(tx, place, before, after, told)
    if (!before || before.identities === after.identities || before.sandbox) return
    const kept = new Set(after.identities.map(({ asid }) => asid))
    const freed = before.identities.filter(({ asid }) => !kept.has(asid))
    passOn(tx, { place, realm, keep }, freed, told)
  }

  return {
    byId(reader: Reader, place: AgentPlace, personId: string): Person | undefined {
      const realm = realmOf(agentOf, reader, place)
      return realm && personLedTo(reader, realm, personId)
    },
    byAsid(reader: Reader, place: AgentPlace, asid: string): Person | undefined {
      const realm = realmOf(agentOf, reader, place)
      return realm && personOfAsid(reader, realm, asid)
    },
    /** Who is known by the number of an identity that no person holds: by their phone, or by another identity at it. */
    byNumber(reader: Reader, place: AgentPlace, identity: Pick<PersonIdentity, 'channel' | 'address'>) {
      const realm = realmOf(agentOf, reader, place)
      const value = numberOf(identity)
      return realm && value !== undefined ? personOfNumber(reader, realm, value) : undefined
    },
    /** Those whom the filter lets through, sandbox people never: newest first, a bounded part of them at a time. */
    look(reader: Reader, place: AgentPlace, filter: CompiledFilter, after: string | undefined, limit: number): Looked {
      const realm = realmOf(agentOf, reader, place)
      return realm ? lookedThrough(reader, realm, filter, after, limit) : { people: [], chars: 0 }
    },
    /** As templates read them. */
    asRead(reader: Reader, place: AgentPlace, personId: string) {
      const realm = realmOf(agentOf, reader, place)
      const person = realm && personLedTo(reader, realm, personId)
      return person && { ...person }
    },
    newId: (told: Told): string => personIdAt(told.at, told.mint('pr')),
    /** Numbers that the person gives up go to whoever else has them as phone. */
    keep,
    /** The same of somebody who is entered, or whose phone may have changed. */
    keepReachable(
      tx: Tx,
      place: AgentPlace,
      before: Person | undefined,
      after: Person,
      reached: Reached,
      told: Told,
    ): Person {
      return keepReachable(tx, { place, realm: realmFor(tx, place), keep }, before, after, reached, told)
    },
    /** Takes somebody away with all that leads to them and is told of them. */
    drop(tx: Tx, place: AgentPlace, personId: string, told: Told): void {
      const realm = realmFor(tx, place)
      const person = personAt(tx, realm, personId)
      if (person) erase(tx, realm, person)
      forget(tx, realm, personId)
      if (person && !person.sandbox) passOn(tx, { place, realm, keep }, person.identities, told)
    },
    note(tx: Tx, place: AgentPlace, personId: string, text: string, told: Told): void {
      const realm = realmFor(tx, place)
      const person = personLedTo(tx, realm, personId)
      if (person) append(tx, realm, person.id, { at: told.at, author: 'agent', text })
    },
    /** Makes or replaces an appointment; ids that begin with their time keep the list in order. */
    keepAppointment(tx: Tx, place: AgentPlace, personId: string, appointment: Appointment): void {
      const realm = realmFor(tx, place)
      const person = personLedTo(tx, realm, personId)
      if (person) tx.put(appointmentTable, [...realm, person.id, appointment.id], appointment)
    },
  }
}
export type People = ReturnType<typeof peopleDoor>
