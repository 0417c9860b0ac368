/** Search in the passages of an agent's sources, for callers other than the route. */
import { type AgentRef, formatAgentKey } from '../../core/agentref.js'
import { isRefusal, type Refusal } from '../../core/errors.js'
import type { Shards } from '../../runtime/shard/contract.js'
import type { Passage } from './schema.js'
import type { SourceCommands } from './sources.js'

/** Best first, at most `limit`. `resource.not_found` for an agent that does not exist. */
export type SearchPassages = (agent: AgentRef, query: string, limit: number) => Promise<readonly Passage[] | Refusal>

export function createPassageSearch({ queries }: Pick<SourceCommands, 'queries'>) {
  return (shards: Pick<Shards, 'query'>): SearchPassages =>
    async ({ orgId, agentId }, query, maxHits) => {
      const input = { orgId, agentId, query, maxHits }
      const found = await shards.query(formatAgentKey(input), queries.search, input)
      return isRefusal(found) ? found : found.passages
    }
}
