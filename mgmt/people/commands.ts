/** The commands that make, change, merge and take away an agent's people, and what of them goes with the agent. */
import type { AgentPlace } from '../../core/agentkey.js'
import { invalid, isRefusal, refuse } from '../../core/errors.js'
import type { OrgEventPayload } from '../../core/orgevents.js'
import { changed, newPerson, type PersonChange } from '../../core/people/change.js'
import { heard as afterNews, strangerOf } from '../../core/people/heard.js'
import { mergedPeople } from '../../core/people/merging.js'
import type { IdentityNews, Person } from '../../core/people/person.js'
import type { JournalEntry } from '../../core/people/view.js'
import type { Command, Repertoire, Tx } from '../../runtime/shard/contract.js'
import type { Reader } from '../../runtime/store/contract.js'
import { type PersonListener, peopleDoor } from './door.js'
import { dropCommand, dropLater } from './ending.js'
import { importCommand } from './importing.js'
import { append, handOver } from './journal.js'
import { type OnePerson, peopleQueries, queriesOf } from './queries.js'
import { type AgentOf, aliasTable, erase, personAt, personLedTo, type Realm, realmOf } from './store.js'

export interface ChangePerson extends OnePerson {
  readonly change: PersonChange
}

export interface NotePerson extends OnePerson {
  readonly author: JournalEntry['author']
  readonly text: string
}

export interface PeopleOptions {
  /** The command by which the org's webhooks are told. */
  readonly orgEvent: Command<OrgEventPayload, unknown>
  /** Undefined for an agent that is not there. */
  readonly agentOf: AgentOf
  readonly listeners?: readonly PersonListener[]
}

const notFound = refuse('resource.not_found')
/** Of somebody whom an operator enters. */
const enteredSource = 'operator'

export function openPeople({ orgEvent, agentOf, listeners = [] }: PeopleOptions) {
  const door = peopleDoor(agentOf, listeners)
  const queries = peopleQueries(agentOf)

  /** Whom operators may see and change: not those who are only rehearsed. */
  function found(reader: Reader, place: AgentPlace, personId: string): { realm: Realm; person: Person } | undefined {
    const realm = realmOf(agentOf, reader, place)
    const person = realm && personAt(reader, realm, personId)
    return person && !person.sandbox ? { realm, person } : undefined
  }

  const create: Command<AgentPlace & { readonly change: PersonChange }, Person> = {
    name: 'people.create',
    decide(tx, { change, ...place }, told) {
      if (!realmOf(agentOf, tx, place)) return notFound
      const blank = newPerson(door.newId(told), change.source ?? enteredSource, told.at)
      const person = changed(blank, change, told.at)
      if (isRefusal(person)) return person
      door.keep(tx, place, undefined, person, told)
      return person
    },
  }

  const change: Command<ChangePerson, Person> = {
    name: 'people.change',
    decide(tx, { personId, change, ...place }, told) {
      const before = found(tx, place, personId)?.person
      if (!before) return notFound
      const after = changed(before, change, told.at)
      if (isRefusal(after) || after === before) return after
      door.keep(tx, place, before, after, told)
      return after
    },
  }

  /** A STOP is the conversation's, not the record's: it holds on for whoever comes back under that address. */
  const remove: Command<OnePerson, true> = {
    name: 'people.remove',
    decide(tx, { personId, ...place }) {
      if (!found(tx, place, personId)) return notFound
      door.drop(tx, place, personId)
      return true
    },
  }

  const merge: Command<OnePerson & { readonly from: string }, Person> = {
    name: 'people.merge',
    decide(tx, { personId, from, ...place }, told) {
      const stays = found(tx, place, personId)
      if (!stays) return notFound
      if (from === personId) return invalid('from', 'is the same person')
      const goes = found(tx, place, from)?.person
      if (!goes) return invalid('from', 'names nobody')
      const { realm, person } = stays
      erase(tx, realm, goes)
      handOver(tx, realm, from, personId)
      tx.put(aliasTable, [...realm, from], personId)
      const merged = mergedPeople(person, goes, told.at)
      door.keep(tx, place, person, merged, told)
      return merged
    },
  }

  const note: Command<NotePerson, boolean> = {
    name: 'people.note',
    decide(tx, { personId, author, text, ...place }, { at }) {
      const realm = realmOf(agentOf, tx, place)
      const person = realm && personLedTo(tx, realm, personId)
      if (!person) return false
      append(tx, realm, person.id, { at, author, text })
      return true
    },
  }

  /** Answers whether anything was written. Whoever tells it waits for nothing, so an agent that is gone is no mistake. */
  const heard: Command<IdentityNews & AgentPlace, boolean> = {
    name: 'people.heard',
    decide(tx, { orgId, agentId, ...news }, told) {
      const place = { orgId, agentId }
      if (!realmOf(agentOf, tx, place)) return false
      const holder = door.byAsid(tx, place, news.asid)
      const before = holder ?? strangerOf(door.newId(told), news, told.at)
      const { person, event } = afterNews(before, news)
      if (person === holder) return false
      door.keep(tx, place, holder, person, told)
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

  /** What of this comes and goes with the agent. */
  const part = {
    made(): void {},
    removed(tx: Tx, place: AgentPlace): void {
      const realm = realmOf(agentOf, tx, place)
      if (realm) dropLater(tx, realm)
    },
  }

  const commands = {
    create,
    change,
    remove,
    merge,
    note,
    heard,
    importRows: importCommand(door, agentOf),
    drop: dropCommand,
  }
  return { door, commands, queries, part }
}
export type OpenPeople = ReturnType<typeof openPeople>

export function peopleRepertoire({ commands, queries }: OpenPeople): Pick<Repertoire, 'commands' | 'queries'> {
  return { commands: Object.values(commands) as Repertoire['commands'], queries: queriesOf(queries) }
}
