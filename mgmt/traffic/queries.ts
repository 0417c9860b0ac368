/** What traffic asks of an agent's shard. */
import type { AgentRef } from '../../core/agentref.js'
import { refuse } from '../../core/errors.js'
import type { Query } from '../../runtime/shard/contract.js'
import { findAgent } from '../agents/store.js'

/** When the agent was created: an earlier one of the same id had traffic of its own. */
export const agentCreatedAt: Query<AgentRef, number> = {
  name: 'traffic.agent',
  read: (reader, agent) => findAgent(reader, agent)?.createdAt ?? refuse('resource.not_found'),
}
