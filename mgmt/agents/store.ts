/** Where agents are kept, each in a shard of its own key, and how one is read. */
import type { AgentRef } from '../../core/agentref.js'
import { refuse } from '../../core/errors.js'
import type { Query } from '../../runtime/shard/contract.js'
import { cacheReads, type Reader, table } from '../../runtime/store/contract.js'
import type { Agent, Identity } from './schema.js'

export interface AgentRecord {
  readonly id: string
  readonly orgId: string
  /** Which of the org's agents it is in the order of their making: tells it from one of the same id before or after. */
  readonly incarnation: number
  readonly name: string
  readonly description?: string
  /** Absent while it holds nothing. */
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

export const agentQueries = { read }
