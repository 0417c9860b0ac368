/** Lists of an agent's traffic: queries every shard in rounds until the page is full, or one shard for one person. */
import { type AgentRef, formatAgentKey } from '../../core/agentref.js'
import { isRefusal, type Refusal } from '../../core/errors.js'
import type { Position, ScanPage } from '../../core/traffic/merge.js'
import type { RecordPage, RecordQuery, TrafficQuery } from '../../core/traffic/query.js'
import type {
  AgentLogEntry,
  AttemptEntry,
  ConversationSummary,
  MessageEntry,
  UserSummary,
} from '../../core/traffic/view.js'
import type { Clock } from '../clock.js'
import { activityBucketMs } from '../conversation/history.js'
import type { Query, Shards } from '../shard/contract.js'
import { createPageCollector, type FetchPage, findOwner } from './pages.js'
import { type RecordScan, recordQueries } from './queries.js'
import type { OfPerson } from './scan.js'
import { type ActivityScan, sessionQueries } from './sessions.js'

/**
 * Lists newest first. Pages neither miss nor repeat entries that existed when the first page was read, however much is
 * written meanwhile.
 */
export interface Traffic {
  messages(agent: AgentRef, query: RecordQuery): Promise<RecordPage<MessageEntry> | Refusal>
  logs(agent: AgentRef, query: RecordQuery): Promise<RecordPage<AgentLogEntry> | Refusal>
  /** Calls of the agent's webhook. */
  attempts(agent: AgentRef, query: RecordQuery): Promise<RecordPage<AttemptEntry> | Refusal>
  /** Conversations that were active in that time, by their last message. */
  conversations(agent: AgentRef, query: TrafficQuery): Promise<readonly ConversationSummary[] | Refusal>
  users(agent: AgentRef, query: Omit<TrafficQuery, 'userId'>): Promise<readonly UserSummary[] | Refusal>
}

export interface TrafficOptions {
  readonly shards: Shards
  /** The number of shards. */
  readonly shardCount: number
  readonly timeScale: number
  readonly clock: Pick<Clock, 'nextTick'>
}

interface RecordQueries<T> {
  readonly list: Query<RecordScan, ScanPage<T>>
  readonly history: Query<OfPerson<RecordScan>, ScanPage<T>>
  /** Records about the person in the agent's own shard. */
  readonly own?: Query<OfPerson<RecordScan>, ScanPage<T>>
}

export function createTrafficLists({ shards, shardCount, timeScale, clock }: TrafficOptions): Traffic {
  const collectPage = createPageCollector(clock)

  async function records<T>(
    { list, history, own }: RecordQueries<T>,
    agent: AgentRef,
    query: RecordQuery,
  ): Promise<RecordPage<T> | Refusal> {
    const asid = await findOwner(shards, agent, query)
    if (isRefusal(asid)) return asid
    if (asid === null) return { data: [] }
    const { window, includeTest, filter, limit, after: pageAfter } = query
    const input = { ...agent, window, includeTest, filter }
    const part = (after: Position | undefined, maxRows: number) => ({
      ...input,
      limit: maxRows,
      ...(after && { after }),
    })
    const pageRequest = { limit, ...(pageAfter && { after: pageAfter }) }
    if (asid === undefined) {
      return collectPage((after, maxRows) => shards.queryAll(list, part(after, maxRows)), {
        ...pageRequest,
        sources: shardCount,
      })
    }
    const fetchPage: FetchPage<T> = async (after, maxRows) => {
      const of = { ...part(after, maxRows), asid }
      const reads = [shards.query(asid, history, of), ...(own ? [shards.query(formatAgentKey(agent), own, of)] : [])]
      const scans = await Promise.all(reads)
      return scans.find(isRefusal) ?? (scans as ScanPage<T>[])
    }
    return collectPage(fetchPage, { ...pageRequest, sources: 1 })
  }

  async function listByActivity<T>(
    query: Query<ActivityScan, ScanPage<T>>,
    agent: AgentRef,
    { window, includeTest, limit }: Omit<TrafficQuery, 'userId'>,
    nameOf: (entry: T) => string,
  ): Promise<readonly T[] | Refusal> {
    const input = { ...agent, window, includeTest, bucketMs: activityBucketMs(timeScale) }
    const fetchPage: FetchPage<T> = (after, maxRows) =>
      shards.queryAll(query, { ...input, limit: maxRows, ...(after && { after }) })
    const activityPage = await collectPage(fetchPage, { limit, sources: shardCount, nameOf })
    return isRefusal(activityPage) ? activityPage : activityPage.data
  }

  return {
    messages: (agent, query) => records(recordQueries.messages, agent, query),
    logs: (agent, query) => records(recordQueries.logs, agent, query),
    attempts: (agent, query) => records(recordQueries.attempts, agent, query),
    async conversations(agent, query) {
      const { userId: asid, ...input } = query
      const summaries =
        asid === undefined
          ? await listByActivity(sessionQueries.conversations, agent, input, ({ sessionId }) => sessionId)
          : await shards.query(asid, sessionQueries.conversationsOf, { ...agent, ...input, asid })
      return isRefusal(summaries) ? summaries : latestFirst(summaries, ({ endedAt }) => endedAt)
    },
    async users(agent, query) {
      const summaries = await listByActivity(sessionQueries.users, agent, query, ({ userId }) => userId)
      return isRefusal(summaries) ? summaries : latestFirst(summaries, ({ lastSeenAt }) => lastSeenAt)
    },
  }
}

/** ISO times of one format sort as text. Summaries of the same time keep their order. */
function latestFirst<T>(summaries: readonly T[], timeOf: (each: T) => string): readonly T[] {
  return [...summaries].sort((a, b) => (timeOf(a) === timeOf(b) ? 0 : timeOf(a) < timeOf(b) ? 1 : -1))
}
