/** The table of agents, each in the shard of its own key. */
import type { AgentRef } from '../../core/agentref.js'
import { refuse } from '../../core/errors.js'
import type { Query } from '../../runtime/shard/contract.js'
import { cacheReads, type Reader, table } from '../../runtime/store/contract.js'
import type { Agent, Identity } from './schema.js'

export interface AgentRecord {
  readonly id: string
  readonly orgId: string
  /** The number of the agent in the org's order of creation: distinguishes it from other agents of the same id. */
  readonly incarnation: number
  readonly name: string
  readonly description?: string
  /** Absent while it has no members. */
  readonly identity?: Identity
  readonly createdAt: number
  readonly updatedAt: number
}

export const agentTable = cacheReads(table<[orgId: string, agentId: string], AgentRecord>('agents'))

export function findAgent(reader: Reader, { orgId, agentId }: AgentRef): AgentRecord | undefined {
  return reader.get(agentTable, [orgId, agentId])
}

export function agentView({ id, orgId, name, description, identity, createdAt, updatedAt }: AgentRecord): Agent {
  return {
    id,
    orgId,
    name,
    ...(description !== undefined && { description }),
    ...(identity && { identity }),
    framework: 'v2',
    createdAt: new Date(createdAt).toISOString(),
    updatedAt: new Date(updatedAt).toISOString(),
  }
}

const read: Query<AgentRef, Agent> = {
  name: 'agents.read',
  read(reader, ref) {
    const agent = findAgent(reader, ref)
    return agent ? agentView(agent) : refuse('resource.not_found')
  },
}

/** When the agent was created: records of an earlier agent of the same id are not shown. */
const createdAt: Query<AgentRef, number> = {
  name: 'agents.createdAt',
  read: (reader, agent) => findAgent(reader, agent)?.createdAt ?? refuse('resource.not_found'),
}

export const agentQueries = { read, createdAt }
