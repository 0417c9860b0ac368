/** Queries of sign-ins: for callers without the tokens, for the code that uses them with the tokens sealed. */
import type { AgentRef } from '../../core/agentref.js'
import { connectionField } from '../../core/catalogs/tooloauth.js'
import type { ConnectionState } from '../../core/connections/status.js'
import { isRefusal, type Refusal, refuse } from '../../core/errors.js'
import type { Query, Shards } from '../../runtime/shard/contract.js'
import type { AgentDocuments } from '../agents/documentoperations.js'
import { agentTable, findAgent } from '../agents/store.js'
import { findConnection } from './reconnection.js'
import type { ConnectionView, OAuthStatusView } from './schema.js'
import {
  type Credential,
  type CredentialRef,
  connectionView,
  credentialsOf,
  getCredential,
  toolStatusOf,
} from './store.js'

export interface ConnectionStatus {
  readonly id: string
  readonly provider: string
  readonly status: ConnectionState
}

/** An agent that uses a connection. */
interface ConnectionUse {
  readonly connectionId: string
  readonly agentId: string
  readonly name: string
}

const notFound = refuse('resource.not_found')

export function createConnectionQueries(documents: Pick<AgentDocuments, 'load'>) {
  const list: Query<{ readonly orgId: string }, Omit<ConnectionView, 'usedBy'>[]> = {
    name: 'connections.list',
    read: (reader, { orgId }) => credentialsOf(reader, { orgId }).map(connectionView),
  }

  const read: Query<{ readonly orgId: string; readonly id: string }, Omit<ConnectionView, 'usedBy'>> = {
    name: 'connections.read',
    read(reader, { orgId, id }) {
      const credential = getCredential(reader, { orgId, id })
      return credential ? connectionView(credential) : notFound
    },
  }

  /** The status of each of these connections; an id that the org does not know is left out. */
  const statuses: Query<{ readonly orgId: string; readonly ids: readonly string[] }, ConnectionStatus[]> = {
    name: 'connections.statuses',
    read: (reader, { orgId, ids }) =>
      ids.flatMap((id) => {
        const connection = findConnection(reader, { orgId, id })
        if (!connection) return []
        return [
          { id, provider: connection.provider, status: 'status' in connection ? connection.status : 'not-connected' },
        ]
      }),
  }

  const status: Query<AgentRef & { readonly toolId: string }, OAuthStatusView> = {
    name: 'connections.status',
    read(reader, { orgId, agentId, toolId }) {
      if (!findAgent(reader, { orgId, agentId })) return notFound
      return toolStatusOf(getCredential(reader, { orgId, agentId, id: toolId }))
    },
  }

  const credential: Query<CredentialRef, Credential> = {
    name: 'connections.credential',
    read: (reader, ref) => getCredential(reader, ref) ?? notFound,
  }

  /**
   * Runs on every shard: the agent's own record says which connections it uses and under which name, so there is no
   * index of users that could be stale.
   */
  const users: Query<{ readonly orgId: string }, ConnectionUse[]> = {
    name: 'connections.users',
    read: (reader, { orgId }) =>
      Array.from(reader.range(agentTable, { prefix: [orgId] }), ({ key: [, agentId] }) => agentId).flatMap((agentId) =>
        usesOf(documents.load(reader, { orgId, agentId }, ['toolBindings'])),
      ),
  }

  return { list, read, statuses, status, credential, users }
}
export type ConnectionQueries = ReturnType<typeof createConnectionQueries>

function usesOf(loaded: ReturnType<AgentDocuments['load']>): ConnectionUse[] {
  if (!loaded) return []
  const { id: agentId, name } = loaded.agent
  const connectionIds = loaded.document.toolBindings.map(({ config }) => config[connectionField])
  const ids = new Set(connectionIds.filter((id) => typeof id === 'string'))
  return [...ids].map((connectionId) => ({ connectionId, agentId, name }))
}

export type UsedBy = ConnectionView['usedBy']

/** The agents that use each connection of an org, by name. */
export async function usersOf(
  shards: Pick<Shards, 'queryAll'>,
  { users }: ConnectionQueries,
  orgId: string,
): Promise<((connectionId: string) => UsedBy) | Refusal> {
  const perShard = await shards.queryAll(users, { orgId })
  if (isRefusal(perShard)) return perShard
  const all = perShard.flat().sort((a, b) => compare(a.name, b.name) || compare(a.agentId, b.agentId))
  return (connectionId) =>
    all.filter((use) => use.connectionId === connectionId).map(({ agentId, name }) => ({ agentId, name }))
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}
