/** An agent's people in the agent's shard, for areas that find, create, save and remove them in their own commits. */
import type { AgentScope } from '../../core/agent/scope.js'
import type { AgentRef } from '../../core/agentref.js'
import type { Appointment } from '../../core/people/appointment.js'
import type { CompiledFilter } from '../../core/people/filter.js'
import { personIdAt } from '../../core/people/ids.js'
import { numberOf } from '../../core/people/numbers.js'
import type { Person, PersonIdentity } from '../../core/people/person.js'
import type { CommandMeta, Tx } from '../../runtime/shard/contract.js'
import type { Reader } from '../../runtime/store/contract.js'
import { type PhoneIdentity, reassignIdentities, saveReachable } from './identities.js'
import { append, appointmentsOf, deleteJournal } from './journal.js'
import { type PeopleScan, scanPeople } from './queries.js'
import {
  appointmentTable,
  deletePerson,
  personAt,
  personOfAsid,
  personOfNumber,
  putPerson,
  resolvePerson,
  scopeFor,
} from './store.js'

/** `before` is absent for a new person. */
export type PersonListener = (
  tx: Tx,
  agent: AgentRef,
  before: Person | undefined,
  after: Person,
  meta: CommandMeta,
) => void

/** The person with the appointments that are removed with them. */
export type RemovalListener = (
  tx: Tx,
  agent: AgentRef,
  person: Person,
  appointments: readonly Appointment[],
  meta: CommandMeta,
) => void

export function createPeopleRecords(
  listeners: readonly PersonListener[],
  removalListeners: readonly RemovalListener[] = [],
) {
  function requiredScope(tx: Tx, agent: AgentRef): AgentScope {
    const scope = scopeFor(tx, agent)
    if (!scope) throw new Error('people are kept of agents that are there')
    return scope
  }

  function save(tx: Tx, agent: AgentRef, before: Person | undefined, after: Person, meta: CommandMeta): void {
    const scope = requiredScope(tx, agent)
    putPerson(tx, scope, before, after)
    for (const listener of listeners) listener(tx, agent, before, after, meta)
    if (!before || before.identities === after.identities || before.sandbox) return
    const remaining = new Set(after.identities.map(({ asid }) => asid))
    const released = before.identities.filter(({ asid }) => !remaining.has(asid))
    reassignIdentities(tx, { agent, scope, save }, released, meta)
  }

  return {
    byId(reader: Reader, agent: AgentRef, personId: string): Person | undefined {
      const scope = scopeFor(reader, agent)
      return scope && resolvePerson(reader, scope, personId)
    },
    byAsid(reader: Reader, agent: AgentRef, asid: string): Person | undefined {
      const scope = scopeFor(reader, agent)
      return scope && personOfAsid(reader, scope, asid)
    },
    /**
     * The person known by the number of an identity that no person holds: by their phone, or by another identity at it.
     */
    byNumber(reader: Reader, agent: AgentRef, identity: Pick<PersonIdentity, 'channel' | 'address'>) {
      const scope = scopeFor(reader, agent)
      const value = numberOf(identity)
      return scope && value !== undefined ? personOfNumber(reader, scope, value) : undefined
    },
    /** People who match the filter, never sandbox people: newest first, in bounded parts. */
    scan(
      reader: Reader,
      agent: AgentRef,
      filter: CompiledFilter,
      after: string | undefined,
      limit: number,
    ): PeopleScan {
      const scope = scopeFor(reader, agent)
      return scope ? scanPeople(reader, scope, filter, after, limit) : { people: [], chars: 0 }
    },
    /** The person as templates read them. */
    templatePerson(reader: Reader, agent: AgentRef, personId: string) {
      const scope = scopeFor(reader, agent)
      const person = scope && resolvePerson(reader, scope, personId)
      return person && { ...person }
    },
    newId: (meta: CommandMeta): string => personIdAt(meta.at, meta.mint('pr')),
    /** Saves a person. Numbers that the person releases go to another person who has them as phone. */
    save,
    /** Saves a person whom an operator created, or whose phone may have changed. */
    saveReachable(
      tx: Tx,
      agent: AgentRef,
      before: Person | undefined,
      after: Person,
      phoneIdentity: PhoneIdentity,
      meta: CommandMeta,
    ): Person {
      return saveReachable(tx, { agent, scope: requiredScope(tx, agent), save }, before, after, phoneIdentity, meta)
    },
    /** Removes a person with all index rows and the journal. */
    remove(tx: Tx, agent: AgentRef, personId: string, meta: CommandMeta): void {
      const scope = requiredScope(tx, agent)
      const person = personAt(tx, scope, personId)
      if (person) {
        const appointments = appointmentsOf(tx, scope, personId)
        for (const listener of removalListeners) listener(tx, agent, person, appointments, meta)
        deletePerson(tx, scope, person)
      }
      deleteJournal(tx, scope, personId)
      if (person && !person.sandbox) reassignIdentities(tx, { agent, scope, save }, person.identities, meta)
    },
    note(tx: Tx, agent: AgentRef, personId: string, text: string, meta: CommandMeta): void {
      const scope = requiredScope(tx, agent)
      const person = resolvePerson(tx, scope, personId)
      if (person) append(tx, scope, person.id, { at: meta.at, author: 'agent', text })
    },
    /** The newest, newest first, cancelled ones included; none of a person who does not exist. */
    appointmentsOf(reader: Reader, agent: AgentRef, personId: string): readonly Appointment[] {
      const scope = scopeFor(reader, agent)
      const person = scope && resolvePerson(reader, scope, personId)
      return person ? appointmentsOf(reader, scope, person.id) : []
    },
    appointment(reader: Reader, agent: AgentRef, personId: string, appointmentId: string): Appointment | undefined {
      const scope = scopeFor(reader, agent)
      const person = scope && resolvePerson(reader, scope, personId)
      return person && reader.get(appointmentTable, [...scope, person.id, appointmentId])
    },
    /** Creates or replaces an appointment; ids that begin with their time keep the list in order. */
    saveAppointment(tx: Tx, agent: AgentRef, personId: string, appointment: Appointment): void {
      const scope = requiredScope(tx, agent)
      const person = resolvePerson(tx, scope, personId)
      if (person) tx.put(appointmentTable, [...scope, person.id, appointment.id], appointment)
    },
  }
}
export type People = ReturnType<typeof createPeopleRecords>
