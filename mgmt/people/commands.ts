/** Commands that create, change, merge and remove an agent's people. */
import type { AgentScope } from '../../core/agent/scope.js'
import type { AgentRef } from '../../core/agentref.js'
import { invalid, isRefusal, refuse } from '../../core/errors.js'
import type { OrgEventPayload } from '../../core/orgevents.js'
import { applyChange, newPerson, type PersonChange } from '../../core/people/change.js'
import { applyIdentityEvent, newPersonFor, withIdentity } from '../../core/people/identityevents.js'
import type { IdentityEvent, Person, PersonIdentity } from '../../core/people/person.js'
import type { JournalEntry } from '../../core/people/view.js'
import type { Command } from '../../runtime/shard/contract.js'
import type { Reader } from '../../runtime/store/contract.js'
import { merge as mergeInto } from './identities.js'
import { createImportCommand } from './importrows.js'
import { append } from './journal.js'
import type { People } from './people.js'
import { purgeCommand } from './purge.js'
import type { PersonRef } from './queries.js'
import { personOfAsid, resolvePerson, scopeFor } from './store.js'

/** A change of a person, and the identity at the phone that it names. */
export interface PersonInput {
  readonly change: PersonChange
  readonly identity?: PersonIdentity
}

export interface ChangePerson extends PersonRef, PersonInput {}

export interface NotePerson extends PersonRef {
  readonly author: JournalEntry['author']
  readonly text: string
}

const notFound = refuse('resource.not_found')
/** Source of a person that an operator creates. */
const enteredSource = 'operator'

/** The command `orgEvent` notifies the org's webhooks. */
export function createPeopleCommands(people: People, orgEvent: Command<OrgEventPayload, unknown>) {
  /**
   * A person that operators may see and change, so never a sandbox person. The id of a merged person finds the
   * survivor.
   */
  function findVisible(
    reader: Reader,
    agent: AgentRef,
    personId: string,
  ): { scope: AgentScope; person: Person } | undefined {
    const scope = scopeFor(reader, agent)
    const person = scope && resolvePerson(reader, scope, personId)
    return person && !person.sandbox ? { scope, person } : undefined
  }

  const create: Command<AgentRef & PersonInput, Person> = {
    name: 'people.create',
    decide(tx, { change, identity, ...agent }, meta) {
      if (!scopeFor(tx, agent)) return notFound
      const blank = newPerson(people.newId(meta), change.source ?? enteredSource, meta.at)
      const person = applyChange(blank, change, meta.at)
      if (isRefusal(person)) return person
      return people.saveReachable(tx, agent, undefined, person, { identity }, meta)
    },
  }

  const change: Command<ChangePerson, Person> = {
    name: 'people.change',
    decide(tx, { personId, change, identity, ...agent }, meta) {
      const loaded = findVisible(tx, agent, personId)
      if (!loaded) return notFound
      const { person: before } = loaded
      const after = applyChange(before, change, meta.at)
      return isRefusal(after) ? after : people.saveReachable(tx, agent, before, after, { identity }, meta)
    },
  }

  /**
   * A STOP belongs to the conversation and not to this record: it still holds when a person with that address comes
   * back.
   */
  const remove: Command<PersonRef, true> = {
    name: 'people.remove',
    decide(tx, { personId, ...agent }, meta) {
      const loaded = findVisible(tx, agent, personId)
      if (!loaded) return notFound
      people.remove(tx, agent, loaded.person.id, meta)
      return true
    },
  }

  const merge: Command<PersonRef & { readonly from: string }, Person> = {
    name: 'people.merge',
    decide(tx, { personId, from, ...agent }, meta) {
      const survivor = findVisible(tx, agent, personId)
      if (!survivor) return notFound
      const absorbed = findVisible(tx, agent, from)?.person
      if (!absorbed) return invalid('from', 'names no person')
      const { scope, person } = survivor
      if (absorbed.id === person.id) return invalid('from', 'is the same person')
      return mergeInto(tx, { agent, scope, save: people.save }, person, absorbed, meta)
    },
  }

  const note: Command<NotePerson, boolean> = {
    name: 'people.note',
    decide(tx, { personId, author, text, ...agent }, { at }) {
      const scope = scopeFor(tx, agent)
      const person = scope && resolvePerson(tx, scope, personId)
      if (!person) return false
      append(tx, scope, person.id, { at, author, text })
      return true
    },
  }

  /** A line of the agent about a conversation, in the journal of the person who holds the identity. */
  const journal: Command<AgentRef & { readonly asid: string; readonly text: string }, boolean> = {
    name: 'people.journal',
    decide(tx, { orgId, agentId, asid, text }, { at }) {
      const scope = scopeFor(tx, { orgId, agentId })
      const person = scope && personOfAsid(tx, scope, asid)
      if (!person) return false
      append(tx, scope, person.id, { at, author: 'agent', text })
      return true
    },
  }

  /** Returns whether it wrote anything. The sender expects no answer, so a deleted agent is not an error. */
  const identityEvent: Command<IdentityEvent & AgentRef, boolean> = {
    name: 'people.identityEvent',
    decide(tx, { orgId, agentId, ...incoming }, meta) {
      const agent = { orgId, agentId }
      if (!scopeFor(tx, agent)) return false
      const holder = people.byAsid(tx, agent, incoming.asid)
      // The person known by the number is the one who writes from it, on every channel.
      const existing = holder ?? people.byNumber(tx, agent, incoming)
      const before = existing ? existing : newPersonFor(people.newId(meta), incoming, meta.at)
      const { person, event } = applyIdentityEvent(
        existing && !holder ? withIdentity(existing, incoming) : before,
        incoming,
      )
      if (person === holder) return false
      people.save(tx, agent, existing, person, meta)
      if (event && !person.sandbox) {
        const data = {
          personId: person.id,
          asid: incoming.asid,
          channel: incoming.channel,
          at: new Date(incoming.at).toISOString(),
        }
        tx.send(orgId, orgEvent, { type: event, orgId, agentId, data })
      }
      return true
    },
  }

  return {
    create,
    change,
    remove,
    merge,
    note,
    journal,
    identityEvent,
    importRows: createImportCommand(people),
    purge: purgeCommand,
  }
}
export type PeopleCommands = ReturnType<typeof createPeopleCommands>
