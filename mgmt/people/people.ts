/** An agent's people in the agent's shard, for the areas that find, create, save and remove them in their own commits. */
import type { AgentScope } from '../../core/agent/scope.js'
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
  appointmentTable,
  erase,
  personAt,
  personLedTo,
  personOfAsid,
  personOfNumber,
  scopeFor,
  write,
} from './store.js'

/** `before` is absent for a new person. */
export type PersonListener = (tx: Tx, place: AgentPlace, before: Person | undefined, after: Person, told: Told) => void

export function createPeopleRecords(listeners: readonly PersonListener[]) {
  function requiredScope(tx: Tx, place: AgentPlace): AgentScope {
    const scope = scopeFor(tx, place)
    if (!scope) throw new Error('people are kept of agents that are there')
    return scope
  }

  function keep(tx: Tx, place: AgentPlace, before: Person | undefined, after: Person, told: Told): void {
    const scope = requiredScope(tx, place)
    write(tx, scope, before, after)
    for (const listener of listeners) listener(tx, place, before, after, told)
    if (!before || before.identities === after.identities || before.sandbox) return
    const kept = new Set(after.identities.map(({ asid }) => asid))
    const freed = before.identities.filter(({ asid }) => !kept.has(asid))
    passOn(tx, { place, scope, keep }, freed, told)
  }

  return {
    byId(reader: Reader, place: AgentPlace, personId: string): Person | undefined {
      const scope = scopeFor(reader, place)
      return scope && personLedTo(reader, scope, personId)
    },
    byAsid(reader: Reader, place: AgentPlace, asid: string): Person | undefined {
      const scope = scopeFor(reader, place)
      return scope && personOfAsid(reader, scope, asid)
    },
    /** Who is known by the number of an identity that no person holds: by their phone, or by another identity at it. */
    byNumber(reader: Reader, place: AgentPlace, identity: Pick<PersonIdentity, 'channel' | 'address'>) {
      const scope = scopeFor(reader, place)
      const value = numberOf(identity)
      return scope && value !== undefined ? personOfNumber(reader, scope, value) : undefined
    },
    /** Those whom the filter lets through, sandbox people never: newest first, a bounded part of them at a time. */
    look(reader: Reader, place: AgentPlace, filter: CompiledFilter, after: string | undefined, limit: number): Looked {
      const scope = scopeFor(reader, place)
      return scope ? lookedThrough(reader, scope, filter, after, limit) : { people: [], chars: 0 }
    },
    /** As templates read them. */
    asRead(reader: Reader, place: AgentPlace, personId: string) {
      const scope = scopeFor(reader, place)
      const person = scope && personLedTo(reader, scope, personId)
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
      return keepReachable(tx, { place, scope: requiredScope(tx, place), keep }, before, after, reached, told)
    },
    /** Takes somebody away with all that leads to them and is told of them. */
    drop(tx: Tx, place: AgentPlace, personId: string, told: Told): void {
      const scope = requiredScope(tx, place)
      const person = personAt(tx, scope, personId)
      if (person) erase(tx, scope, person)
      forget(tx, scope, personId)
      if (person && !person.sandbox) passOn(tx, { place, scope, keep }, person.identities, told)
    },
    note(tx: Tx, place: AgentPlace, personId: string, text: string, told: Told): void {
      const scope = requiredScope(tx, place)
      const person = personLedTo(tx, scope, personId)
      if (person) append(tx, scope, person.id, { at: told.at, author: 'agent', text })
    },
    /** Makes or replaces an appointment; ids that begin with their time keep the list in order. */
    keepAppointment(tx: Tx, place: AgentPlace, personId: string, appointment: Appointment): void {
      const scope = requiredScope(tx, place)
      const person = personLedTo(tx, scope, personId)
      if (person) tx.put(appointmentTable, [...scope, person.id, appointment.id], appointment)
    },
  }
}
export type People = ReturnType<typeof createPeopleRecords>
