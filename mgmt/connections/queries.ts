/** What is read of sign-ins: by callers without their tokens, and by those who use them with the tokens sealed. */
import type { AgentPlace } from '../../core/agentkey.js'
import { connectionField } from '../../core/catalogs/tooloauth.js'
import type { Standing } from '../../core/connections/status.js'
import { isRefusal, type Refusal, refuse } from '../../core/errors.js'
import type { Query, Shards } from '../../runtime/shard/contract.js'
import type { AgentDocuments } from '../agents/documents.js'
import { agentTable, findAgent } from '../agents/store.js'
import { findConnection } from './reconnect.js'
import type { ConnectionView, OAuthStatusView } from './schema.js'
import { type Credential, connectionAsRead, credentialAt, credentialsOf, type Place, toolStatusOf } from './store.js'

export interface ConnectionStanding {
  readonly id: string
  readonly provider: string
  readonly standing: Standing
}

/** One agent that uses one connection. */
interface Use {
  readonly connectionId: string
  readonly agentId: string
  readonly name: string
}

const notFound = refuse('resource.not_found')

export function createConnectionQueries(documents: Pick<AgentDocuments, 'load'>) {
  const list: Query<{ readonly orgId: string }, Omit<ConnectionView, 'usedBy'>[]> = {
    name: 'connections.list',
    read: (reader, { orgId }) => credentialsOf(reader, { orgId }).map(connectionAsRead),
  }

  const read: Query<{ readonly orgId: string; readonly id: string }, Omit<ConnectionView, 'usedBy'>> = {
    name: 'connections.read',
    read(reader, { orgId, id }) {
      const credential = credentialAt(reader, { orgId, id })
      return credential ? connectionAsRead(credential) : notFound
    },
  }

  /** How each of those connections stands; an id that the org does not know is left out. */
  const standings: Query<{ readonly orgId: string; readonly ids: readonly string[] }, ConnectionStanding[]> = {
    name: 'connections.standings',
    read: (reader, { orgId, ids }) =>
      ids.flatMap((id) => {
        const found = findConnection(reader, { orgId, id })
        if (!found) return []
        return [{ id, provider: found.provider, standing: 'status' in found ? found.status : 'not-connected' }]
      }),
  }

  const status: Query<AgentPlace & { readonly toolId: string }, OAuthStatusView> = {
    name: 'connections.status',
    read(reader, { orgId, agentId, toolId }) {
      if (!findAgent(reader, { orgId, agentId })) return notFound
      return toolStatusOf(credentialAt(reader, { orgId, agentId, id: toolId }))
    },
  }

  const credential: Query<Place, Credential> = {
    name: 'connections.credential',
    read: (reader, place) => credentialAt(reader, place) ?? notFound,
  }

  /**
   * Asked of every shard: what an agent uses and what it is called its own record says, and no list of users that would
   * have to follow both can ever be behind.
   */
  const users: Query<{ readonly orgId: string }, Use[]> = {
    name: 'connections.users',
    read: (reader, { orgId }) =>
      Array.from(reader.range(agentTable, { prefix: [orgId] }), ({ key: [, agentId] }) => agentId).flatMap((agentId) =>
        usesOf(documents.load(reader, { orgId, agentId }, ['toolBindings'])),
      ),
  }

  return { list, read, standings, status, credential, users }
}
export type ConnectionQueries = ReturnType<typeof createConnectionQueries>

function usesOf(loaded: ReturnType<AgentDocuments['load']>): Use[] {
  if (!loaded) return []
  const { id: agentId, name } = loaded.agent
  const named = loaded.document.toolBindings.map(({ config }) => config[connectionField])
  const ids = new Set(named.filter((id) => typeof id === 'string'))
  return [...ids].map((connectionId) => ({ connectionId, agentId, name }))
}

export type UsedBy = ConnectionView['usedBy']

/** Who uses each connection of an org, by name. */
export async function usersOf(
  shards: Pick<Shards, 'readAll'>,
  { users }: ConnectionQueries,
  orgId: string,
): Promise<((connectionId: string) => UsedBy) | Refusal> {
  const found = await shards.readAll(users, { orgId })
  if (isRefusal(found)) return found
  const all = found.flat().sort((a, b) => compare(a.name, b.name) || compare(a.agentId, b.agentId))
  return (connectionId) =>
    all.filter((use) => use.connectionId === connectionId).map(({ agentId, name }) => ({ agentId, name }))
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}
