/** The query of traffic to an agent's shard. */
import type { AgentRef } from '../../core/agentref.js'
import { refuse } from '../../core/errors.js'
import type { Query } from '../../runtime/shard/contract.js'
import { findAgent } from '../agents/store.js'

/** When the agent was created: traffic of an earlier agent of the same id is not shown. */
export const agentCreatedAt: Query<AgentRef, number> = {
  name: 'traffic.agent',
  read: (reader, agent) => findAgent(reader, agent)?.createdAt ?? refuse('resource.not_found'),
}
