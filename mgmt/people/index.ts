/** People: an agent's contacts, their identities, and their journal. */
import type { OrgEventPayload } from '../../core/orgevents.js'
import type { Route } from '../../runtime/http/route.js'
import type { Command } from '../../runtime/shard/contract.js'
import type { Agents } from '../agents/index.js'
import { createPeopleFieldsReader } from '../agents/peoplefields.js'
import { moduleOf, type RouteDeps } from '../area.js'
import { createPeopleCommands } from './commands.js'
import type { Conversations } from './conversations.js'
import { createIdentityLookup } from './identitylookup.js'
import { createPeopleRecords, type PersonListener, type RemovalListener } from './people.js'
import { startPurge } from './purge.js'
import { peopleQueries as queries } from './queries.js'
import { peopleRoutes } from './routes.js'
import { numberedTable, scopeFor } from './store.js'

export interface PeopleDeps {
  readonly orgEvent: Command<OrgEventPayload, unknown>
  readonly agents: Pick<Agents, 'documents' | 'onLifecycle'>
  readonly conversations: Conversations
  readonly randomBytes: (count: number) => Uint8Array
}

export function createPeople({ orgEvent, agents, conversations, randomBytes }: PeopleDeps) {
  const listeners: PersonListener[] = []
  const removalListeners: RemovalListener[] = []
  const records = createPeopleRecords(listeners, removalListeners)
  const commands = createPeopleCommands(records, orgEvent)
  agents.onLifecycle({
    created(tx, agent) {
      const scope = scopeFor(tx, agent)
      if (scope) tx.put(numberedTable, [...scope], true)
    },
    removed(tx, agent) {
      const scope = scopeFor(tx, agent)
      if (scope) startPurge(tx, scope)
    },
  })
  agents.documents.provide({ person: records.templatePerson })
  return {
    ...records,
    commands,
    queries,
    /**
     * Called after each creation or change of a person, sandbox people too, in the same commit and after the person was
     * written, in order of registration. An import calls it for each row. It is not called for a person who is deleted
     * or merged into another.
     */
    onChanged: (listener: PersonListener): void => void listeners.push(listener),
    /**
     * Called when a person is deleted, sandbox people too, in the same commit and before any row is removed. It is not
     * called for a person who is merged into another, nor for the people of a deleted agent.
     */
    onRemoved: (listener: RemovalListener): void => void removalListeners.push(listener),
    module: moduleOf({ commands, queries }),
    routes: (engine: RouteDeps): Route[] =>
      peopleRoutes({
        ...engine,
        people: { commands, queries },
        fieldsOf: createPeopleFieldsReader(engine.shards, agents.documents),
        identityAt: createIdentityLookup(conversations),
        randomBytes,
      }),
  }
}
export type People = ReturnType<typeof createPeople>
