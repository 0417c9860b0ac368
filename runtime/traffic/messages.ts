/** Lists of an agent's traffic: every shard is asked for its part, again and again until the page is full, or one for one person's. */
import { type AgentPlace, agentKeyOf } from '../../core/agentkey.js'
import { isRefusal, type Refusal } from '../../core/errors.js'
import { traffic as limits } from '../../core/limits.js'
import { type Position, type Stretch, together } from '../../core/traffic/stretch.js'
import type {
  AgentLogEntry,
  AttemptEntry,
  ConversationSummary,
  MessageEntry,
  UserSummary,
} from '../../core/traffic/view.js'
import type { RecordPage, Wanted, WantedRecords } from '../../core/traffic/wanted.js'
import type { Clock } from '../clock.js'
import { markMsOf } from '../conversation/history.js'
import type { Query, Shards } from '../shard/contract.js'
import { type Records, recordQueries } from './queries.js'
import type { OfPerson } from './scan.js'
import { type Marks, sessionQueries } from './sessions.js'

/** Newest first. However much is written meanwhile, pages neither miss nor repeat what was there. */
export interface Traffic {
  messages(place: AgentPlace, wanted: WantedRecords): Promise<RecordPage<MessageEntry> | Refusal>
  logs(place: AgentPlace, wanted: WantedRecords): Promise<RecordPage<AgentLogEntry> | Refusal>
  /** Calls of the agent's webhook. */
  attempts(place: AgentPlace, wanted: WantedRecords): Promise<RecordPage<AttemptEntry> | Refusal>
  /** Those that were going on during that time, by their last message. */
  conversations(place: AgentPlace, wanted: Wanted): Promise<readonly ConversationSummary[] | Refusal>
  users(place: AgentPlace, wanted: Omit<Wanted, 'userId'>): Promise<readonly UserSummary[] | Refusal>
}

export interface TrafficOptions {
  readonly shards: Shards
  /** How many there are. */
  readonly shardCount: number
  readonly timeScale: number
  readonly clock: Pick<Clock, 'soon'>
}

interface RecordQueries<T> {
  readonly list: Query<Records, Stretch<T>>
  readonly trail: Query<OfPerson<Records>, Stretch<T>>
  /** What lies about a person in the agent's own shard. */
  readonly own?: Query<OfPerson<Records>, Stretch<T>>
}

type Ask<T> = (after: Position | undefined, limit: number) => Promise<readonly Stretch<T>[] | Refusal>

interface Gathering<T> {
  readonly limit: number
  readonly after?: Position
  /** How many of the asked are thought to have a part in the page. */
  readonly sources: number
  /** Rows of the same name are one. */
  readonly nameOf?: (entry: T) => string
}

export function openTraffic({ shards, shardCount, timeScale, clock }: TrafficOptions): Traffic {
  const breathe = () => new Promise<void>((resolve) => clock.soon(resolve))

  /** Each round begins where the one before was known to, and asks for more. Others have their turn in between. */
  async function gather<T>(ask: Ask<T>, { limit, after, sources, nameOf }: Gathering<T>) {
    const data: { position: Position; entry: T }[] = []
    const names = new Set<string>()
    let share = Math.ceil(limit / sources) + (sources > 1 ? limits.slackRows : 0)
    let from = after
    for (let round = 0; round < limits.roundsPerPage; round++) {
      if (round > 0) await breathe()
      const found = await ask(from, Math.min(share, limit - data.length))
      if (isRefusal(found)) return found as Refusal
      const { rows, seenTo } = together(found as readonly Stretch<T>[])
      for (const row of rows) {
        const name = nameOf?.(row.entry)
        if (name !== undefined && names.has(name)) continue
        if (name !== undefined) names.add(name)
        if (data.length === limit) return pageOf(data, data.at(-1)!.position)
        data.push(row)
      }
      if (!seenTo) return pageOf(data)
      if (data.length === limit) return pageOf(data, data.at(-1)!.position)
      from = seenTo
      share *= 2
    }
    return pageOf(data, from)
  }

  /** One person's records are on one trail, which the session leads to where only that is given; null: nobody's. */
  async function ownerOf(
    place: AgentPlace,
    { userId, filter }: WantedRecords,
  ): Promise<string | null | undefined | Refusal> {
    const { sessionId } = filter
    if (userId !== undefined || sessionId === undefined) return userId
    const found = await shards.readAll(recordQueries.sessionOwner, { ...place, sessionId })
    return isRefusal(found) ? found : (found.find((asid) => asid !== null) ?? null)
  }

  async function records<T>(
    { list, trail, own }: RecordQueries<T>,
    place: AgentPlace,
    wanted: WantedRecords,
  ): Promise<RecordPage<T> | Refusal> {
    const asid = await ownerOf(place, wanted)
    if (isRefusal(asid)) return asid
    if (asid === null) return { data: [] }
    const { window, includeTest, filter, limit, after: behind } = wanted
    const asked = { ...place, window, includeTest, filter }
    const part = (after: Position | undefined, most: number) => ({ ...asked, limit: most, ...(after && { after }) })
    const gathering = { limit, ...(behind && { after: behind }) }
    if (asid === undefined) {
      return gather((after, most) => shards.readAll(list, part(after, most)), { ...gathering, sources: shardCount })
    }
    const ask: Ask<T> = async (after, most) => {
      const of = { ...part(after, most), asid }
      const reads = [shards.read(asid, trail, of), ...(own ? [shards.read(agentKeyOf(place), own, of)] : [])]
      const found = await Promise.all(reads)
      return found.find(isRefusal) ?? (found as Stretch<T>[])
    }
    return gather(ask, { ...gathering, sources: 1 })
  }

  async function marked<T>(
    query: Query<Marks, Stretch<T>>,
    place: AgentPlace,
    { window, includeTest, limit }: Omit<Wanted, 'userId'>,
    nameOf: (entry: T) => string,
  ): Promise<readonly T[] | Refusal> {
    const asked = { ...place, window, includeTest, markMs: markMsOf(timeScale) }
    const ask: Ask<T> = (after, most) => shards.readAll(query, { ...asked, limit: most, ...(after && { after }) })
    const found = await gather(ask, { limit, sources: shardCount, nameOf })
    return isRefusal(found) ? found : found.data
  }

  return {
    messages: (place, wanted) => records(recordQueries.messages, place, wanted),
    logs: (place, wanted) => records(recordQueries.logs, place, wanted),
    attempts: (place, wanted) => records(recordQueries.attempts, place, wanted),
    async conversations(place, wanted) {
      const { userId: asid, ...asked } = wanted
      const found =
        asid === undefined
          ? await marked(sessionQueries.conversations, place, asked, ({ sessionId }) => sessionId)
          : await shards.read(asid, sessionQueries.conversationsOf, { ...place, ...asked, asid })
      return isRefusal(found) ? found : latestFirst(found, ({ endedAt }) => endedAt)
    },
    async users(place, wanted) {
      const found = await marked(sessionQueries.users, place, wanted, ({ userId }) => userId)
      return isRefusal(found) ? found : latestFirst(found, ({ lastSeenAt }) => lastSeenAt)
    },
  }
}

function pageOf<T>(rows: readonly { entry: T }[], last?: Position): RecordPage<T> {
  return { data: rows.map(({ entry }) => entry), ...(last && { last }) }
}

/** Moments of one form are in the order of their letters. What comes at once stays as it was found. */
function latestFirst<T>(found: readonly T[], timeOf: (each: T) => string): readonly T[] {
  return [...found].sort((a, b) => (timeOf(a) === timeOf(b) ? 0 : timeOf(a) < timeOf(b) ? 1 : -1))
}
