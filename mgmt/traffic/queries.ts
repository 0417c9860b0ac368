/** What traffic asks of an agent's shard. */
import type { AgentPlace } from '../../core/agentkey.js'
import { refuse } from '../../core/errors.js'
import type { Query } from '../../runtime/shard/contract.js'
import { findAgent } from '../agents/store.js'

/** When the agent was created: an earlier one of the same id had traffic of its own. */
export const agentSince: Query<AgentPlace, number> = {
  name: 'traffic.agent',
  read: (reader, place) => findAgent(reader, place)?.createdAt ?? refuse('resource.not_found'),
}
