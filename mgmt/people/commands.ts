/** The commands that create, change, merge and remove an agent's people. */
import type { AgentScope } from '../../core/agent/scope.js'
import type { AgentPlace } from '../../core/agentkey.js'
import { invalid, isRefusal, refuse } from '../../core/errors.js'
import type { OrgEventPayload } from '../../core/orgevents.js'
import { changed, newPerson, type PersonChange } from '../../core/people/change.js'
import { heard as afterNews, strangerOf, withIdentityOf } from '../../core/people/heard.js'
import type { IdentityNews, Person, PersonIdentity } from '../../core/people/person.js'
import type { JournalEntry } from '../../core/people/view.js'
import type { Command } from '../../runtime/shard/contract.js'
import type { Reader } from '../../runtime/store/contract.js'
import { dropCommand } from './ending.js'
import { importCommand } from './importing.js'
import { append } from './journal.js'
import type { People } from './people.js'
import type { OnePerson } from './queries.js'
import { merge as mergeInto } from './reaching.js'
import { personLedTo, scopeFor } from './store.js'

/** What is said of a person, and the identity at the phone that it names. */
export interface Entered {
  readonly change: PersonChange
  readonly identity?: PersonIdentity
}

export interface ChangePerson extends OnePerson, Entered {}

export interface NotePerson extends OnePerson {
  readonly author: JournalEntry['author']
  readonly text: string
}

const notFound = refuse('resource.not_found')
/** Of somebody whom an operator enters. */
const enteredSource = 'operator'

/** `orgEvent` is the command by which the org's webhooks are told. */
export function createPeopleCommands(people: People, orgEvent: Command<OrgEventPayload, unknown>) {
  /** Whom operators may see and change: not those who are only rehearsed. An id that was merged away leads on. */
  function found(
    reader: Reader,
    place: AgentPlace,
    personId: string,
  ): { scope: AgentScope; person: Person } | undefined {
    const scope = scopeFor(reader, place)
    const person = scope && personLedTo(reader, scope, personId)
    return person && !person.sandbox ? { scope, person } : undefined
  }

  const create: Command<AgentPlace & Entered, Person> = {
    name: 'people.create',
    decide(tx, { change, identity, ...place }, told) {
      if (!scopeFor(tx, place)) return notFound
      const blank = newPerson(people.newId(told), change.source ?? enteredSource, told.at)
      const person = changed(blank, change, told.at)
      if (isRefusal(person)) return person
      return people.keepReachable(tx, place, undefined, person, { identity }, told)
    },
  }

  const change: Command<ChangePerson, Person> = {
    name: 'people.change',
    decide(tx, { personId, change, identity, ...place }, told) {
      const known = found(tx, place, personId)
      if (!known) return notFound
      const { person: before } = known
      const after = changed(before, change, told.at)
      return isRefusal(after) ? after : people.keepReachable(tx, place, before, after, { identity }, told)
    },
  }

  /** A STOP is the conversation's, not the record's: it holds on for whoever comes back under that address. */
  const remove: Command<OnePerson, true> = {
    name: 'people.remove',
    decide(tx, { personId, ...place }, told) {
      const known = found(tx, place, personId)
      if (!known) return notFound
      people.drop(tx, place, known.person.id, told)
      return true
    },
  }

  const merge: Command<OnePerson & { readonly from: string }, Person> = {
    name: 'people.merge',
    decide(tx, { personId, from, ...place }, told) {
      const stays = found(tx, place, personId)
      if (!stays) return notFound
      const goes = found(tx, place, from)?.person
      if (!goes) return invalid('from', 'names nobody')
      const { scope, person } = stays
      if (goes.id === person.id) return invalid('from', 'is the same person')
      return mergeInto(tx, { place, scope, keep: people.keep }, person, goes, told)
    },
  }

  const note: Command<NotePerson, boolean> = {
    name: 'people.note',
    decide(tx, { personId, author, text, ...place }, { at }) {
      const scope = scopeFor(tx, place)
      const person = scope && personLedTo(tx, scope, personId)
      if (!person) return false
      append(tx, scope, person.id, { at, author, text })
      return true
    },
  }

  /** Answers whether anything was written. Whoever tells it waits for nothing, so an agent that is gone is no mistake. */
  const heard: Command<IdentityNews & AgentPlace, boolean> = {
    name: 'people.heard',
    decide(tx, { orgId, agentId, ...news }, told) {
      const place = { orgId, agentId }
      if (!scopeFor(tx, place)) return false
      const holder = people.byAsid(tx, place, news.asid)
      // Whoever is known by the number is the one who writes from it, on whichever channel.
      const known = holder ?? people.byNumber(tx, place, news)
      const before = known ? known : strangerOf(people.newId(told), news, told.at)
      const { person, event } = afterNews(known && !holder ? withIdentityOf(known, news) : before, news)
      if (person === holder) return false
      people.keep(tx, place, known, person, told)
      if (event && !person.sandbox) {
        const data = {
          personId: person.id,
          asid: news.asid,
          channel: news.channel,
          at: new Date(news.at).toISOString(),
        }
        tx.tell(orgId, orgEvent, { type: event, orgId, agentId, data })
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
    heard,
    importRows: importCommand(people),
    drop: dropCommand,
  }
}
export type PeopleCommands = ReturnType<typeof createPeopleCommands>
