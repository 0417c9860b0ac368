/** Lists of an agent's records over all conversations: their parameters, their time range and their page tokens. */
import Type from 'typebox'
import { type AgentRef, formatAgentKey } from '../../core/agentref.js'
import { isRefusal, type Refusal } from '../../core/errors.js'
import { scaledMs } from '../../core/time.js'
import type { Position } from '../../core/traffic/merge.js'
import type { RecordPage, TrafficQuery } from '../../core/traffic/query.js'
import { parseWindow } from '../../core/traffic/window.js'
import type { Clock } from '../../runtime/clock.js'
import type { PageTokens } from '../../runtime/http/pagetokens.js'
import type { Shards } from '../../runtime/shard/contract.js'
import { agentQueries } from './store.js'

const time = Type.String({
  minLength: 1,
  maxLength: 40,
  description:
    'ISO-8601, or milliseconds since 1970. Without `start`, 24 hours before `end`; without `end`, up to now.',
})

/** Parameters of the time range of a list. */
export const timeRange = { start: Type.Optional(time), end: Type.Optional(time) }

export const includeTest = Type.Optional(
  Type.Boolean({ default: false, description: 'Whether conversations of the emulator are listed, too.' }),
)

export const nextPageToken = Type.Optional(
  Type.String({ description: 'The list goes on: it may, even behind a short page.' }),
)

export interface RecordListOptions {
  readonly shards: Shards
  readonly pages: PageTokens
  readonly clock: Pick<Clock, 'now'>
  readonly timeScale: number
  readonly retentionMs: number
  readonly defaultRows: number
}

export interface ListParams {
  readonly start?: string
  readonly end?: string
  readonly limit?: number
  readonly userId?: string
  readonly includeTest?: boolean
}

/** All other members are conditions on records. */
export interface PageParams extends ListParams {
  readonly pageToken?: string
}

type Conditions<P extends PageParams> = Omit<P, keyof PageParams>
type PageQuery<P extends PageParams> = TrafficQuery & { readonly filter: Conditions<P>; readonly after?: Position }
type ReadPage<P extends PageParams, T> = (agent: AgentRef, query: PageQuery<P>) => Promise<RecordPage<T> | Refusal>

export function createRecordLists({ shards, pages, clock, ...options }: RecordListOptions) {
  const retentionMs = scaledMs(options.retentionMs, options.timeScale)

  /**
   * The start of the oldest records to show: expired records are hidden before they are removed, and those of an
   * earlier agent of the same id always.
   */
  async function oldestShown(agent: AgentRef): Promise<number | Refusal> {
    const since = await shards.query(formatAgentKey(agent), agentQueries.createdAt, agent)
    return isRefusal(since) ? since : Math.max(since, clock.now() - retentionMs + 1)
  }

  async function queryFor(agent: AgentRef, request: ListParams): Promise<TrafficQuery | Refusal> {
    const window = parseWindow(request, clock.now())
    if (isRefusal(window)) return window
    const oldest = await oldestShown(agent)
    if (isRefusal(oldest)) return oldest
    const { limit = options.defaultRows, userId, includeTest = false } = request
    const from = Math.max(window.from, oldest)
    return { window: { ...window, from }, limit, includeTest, ...(userId !== undefined && { userId }) }
  }

  /** A page token is valid for one list: the same agent, the same requested time range, the same conditions. */
  async function pageOf<P extends PageParams, T>(name: string, agent: AgentRef, request: P, read: ReadPage<P, T>) {
    const { pageToken, limit: _limit, ...list } = request
    const scope = `${name}:${formatAgentKey(agent)}:${JSON.stringify(Object.entries(list).sort())}`
    const cursor = pages.read(scope, pageToken)
    if (isRefusal(cursor)) return cursor
    const listQuery = await queryFor(agent, request)
    if (isRefusal(listQuery)) return listQuery
    const { start: _start, end: _end, userId: _user, includeTest: _test, ...filter } = list
    const [from, ...after] = (cursor ?? [listQuery.window.from]) as [number, ...Position]
    const window = { ...listQuery.window, from }
    const page = await read(agent, {
      ...listQuery,
      window,
      filter: filter as unknown as Conditions<P>,
      ...(cursor && { after }),
    })
    if (isRefusal(page)) return page
    const { data, last } = page
    return { data: [...data], ...(last && { nextPageToken: pages.write(scope, [from, ...last]) }) }
  }

  return { oldestShown, queryFor, pageOf }
}
