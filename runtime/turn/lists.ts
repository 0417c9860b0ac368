/** Lists of an agent's turns: queries every shard in rounds until the page is full, or one shard for one person. */
import type { AgentRef } from '../../core/agentref.js'
import { isRefusal, type Refusal } from '../../core/errors.js'
import type { RecordPage } from '../../core/traffic/query.js'
import type { TurnQuery } from '../../core/turn/query.js'
import type { TurnIdParts } from '../../core/turn/turnid.js'
import type { TurnEntry, TurnListEntry } from '../../core/turn/view.js'
import type { Clock } from '../clock.js'
import type { Shards } from '../shard/contract.js'
import { createPageCollector, type FetchPage, findOwner } from '../traffic/pages.js'
import { turnQueries } from './queries.js'

export interface TurnLists {
  /** Newest first. Pages neither miss nor repeat records that existed when the first page was read. */
  list(agent: AgentRef, query: TurnQuery): Promise<RecordPage<TurnListEntry> | Refusal>
  /** `resource.not_found` for a turn that the agent does not have. */
  find(agent: AgentRef, id: TurnIdParts): Promise<TurnEntry | Refusal>
}

export interface TurnListsOptions {
  readonly shards: Shards
  /** The number of shards. */
  readonly shardCount: number
  readonly clock: Pick<Clock, 'nextTick'>
}

export function createTurnLists({ shards, shardCount, clock }: TurnListsOptions): TurnLists {
  const collectPage = createPageCollector(clock)
  return {
    async list(agent, query) {
      const asid = await findOwner(shards, agent, query)
      if (isRefusal(asid)) return asid
      if (asid === null) return { data: [] }
      const { window, includeTest, filter, limit, after: pageAfter } = query
      const fetchPage: FetchPage<TurnListEntry> = async (after, maxRows) => {
        const input = { ...agent, window, includeTest, filter, limit: maxRows, ...(after && { after }) }
        if (asid === undefined) return shards.queryAll(turnQueries.list, input)
        const scan = await shards.query(asid, turnQueries.ofPerson, { ...input, asid })
        return isRefusal(scan) ? scan : [scan]
      }
      const sources = asid === undefined ? shardCount : 1
      return collectPage(fetchPage, { limit, sources, ...(pageAfter && { after: pageAfter }) })
    },
    find: (agent, id) => shards.query(id.asid, turnQueries.find, { ...agent, ...id }),
  }
}
