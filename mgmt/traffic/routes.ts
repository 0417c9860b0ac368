/** Routes of traffic: messages and logs page by page, conversations and people by their last message. */
import { type AgentRef, formatAgentKey } from '../../core/agentref.js'
import { isRefusal, type Refusal } from '../../core/errors.js'
import { traffic as limits, conversation as retention } from '../../core/limits/index.js'
import { scaledMs } from '../../core/time.js'
import type { Position } from '../../core/traffic/merge.js'
import type { Filter, RecordPage, RecordQuery, TrafficQuery } from '../../core/traffic/query.js'
import { parseWindow } from '../../core/traffic/window.js'
import type { Clock } from '../../runtime/clock.js'
import type { PageTokens } from '../../runtime/http/pagetokens.js'
import { json, type Route, route } from '../../runtime/http/route.js'
import type { Shards } from '../../runtime/shard/contract.js'
import type { TrafficLists } from './lists.js'
import { agentCreatedAt } from './queries.js'
import { ofTraffic, queries, replies } from './schema.js'

export interface TrafficRoutesOptions {
  readonly shards: Shards
  readonly traffic: TrafficLists
  readonly pages: PageTokens
  readonly clock: Pick<Clock, 'now'>
  readonly timeScale: number
}

const path = '/orgs/{org}/agents/{agent}'
const errors = ['request.invalid', 'resource.not_found'] as const

interface TrafficParams {
  readonly start?: string
  readonly end?: string
  readonly limit?: number
  readonly userId?: string
  readonly includeTest?: boolean
}

interface RecordParams extends TrafficParams, Filter {
  readonly pageToken?: string
}

export function trafficRoutes(options: TrafficRoutesOptions): Route[] {
  const { shards, traffic, pages, clock, timeScale } = options

  /** The time range never begins before the retention limit, so expired records are hidden before they are removed. */
  async function queryFor(agent: AgentRef, request: TrafficParams): Promise<TrafficQuery | Refusal> {
    const now = clock.now()
    const window = parseWindow(request, now)
    if (isRefusal(window)) return window
    const since = await shards.query(formatAgentKey(agent), agentCreatedAt, agent)
    if (isRefusal(since)) return since
    const { limit = limits.defaultRows, userId, includeTest = false } = request
    const from = Math.max(window.from, since, now - scaledMs(retention.retentionMs, timeScale) + 1)
    return { window: { ...window, from }, limit, includeTest, ...(userId !== undefined && { userId }) }
  }

  /** A page token is valid for one list: the same agent, the same requested time range, the same filters. */
  async function recordsOf<T>(
    name: 'messages' | 'logs' | 'attempts',
    agent: AgentRef,
    request: RecordParams,
    read: (agent: AgentRef, trafficQuery: RecordQuery) => Promise<RecordPage<T> | Refusal>,
  ) {
    const { pageToken, limit: _limit, ...list } = request
    const scope = `traffic.${name}:${formatAgentKey(agent)}:${JSON.stringify(Object.entries(list).sort())}`
    const cursor = pages.read(scope, pageToken)
    if (isRefusal(cursor)) return cursor
    const trafficQuery = await queryFor(agent, request)
    if (isRefusal(trafficQuery)) return trafficQuery
    const { start: _start, end: _end, userId: _user, includeTest: _test, ...filter } = list
    const [from, ...after] = (cursor ?? [trafficQuery.window.from]) as [number, ...Position]
    const window = { ...trafficQuery.window, from }
    const page = await read(agent, { ...trafficQuery, window, filter, ...(cursor && { after }) })
    if (isRefusal(page)) return page
    const { data, last } = page
    return { data: [...data], ...(last && { nextPageToken: pages.write(scope, [from, ...last]) }) }
  }

  return [
    route({
      ...ofTraffic,
      tag: 'Gateway access',
      access: { who: 'member', role: 'viewer', scopes: ['agents:read'] },
      path: `${path}/gateway/attempts`,
      summary: 'List calls of the webhook and what came of each, newest first',
      query: queries.attempts,
      reply: { 200: replies.attempts },
      errors,
      async handler({ params: { org: orgId, agent: agentId }, query }) {
        const page = await recordsOf('attempts', { orgId, agentId }, query, traffic.attempts)
        return isRefusal(page) ? page : json(200, page)
      },
    }),
    route({
      ...ofTraffic,
      path: `${path}/messages`,
      summary: 'List what was said and what became of it, newest first',
      query: queries.messages,
      reply: { 200: replies.messages },
      errors,
      async handler({ params: { org: orgId, agent: agentId }, query }) {
        const page = await recordsOf('messages', { orgId, agentId }, query, traffic.messages)
        return isRefusal(page) ? page : json(200, page)
      },
    }),
    route({
      ...ofTraffic,
      path: `${path}/conversations`,
      summary: 'List conversations that were going on, the latest first',
      query: queries.conversations,
      reply: { 200: replies.conversations },
      errors,
      async handler({ params: { org: orgId, agent: agentId }, query }) {
        const trafficQuery = await queryFor({ orgId, agentId }, query)
        if (isRefusal(trafficQuery)) return trafficQuery
        const page = await traffic.conversations({ orgId, agentId }, trafficQuery)
        return isRefusal(page) ? page : json(200, { data: [...page] })
      },
    }),
    route({
      ...ofTraffic,
      path: `${path}/users`,
      summary: 'List people with whom conversations were going on, the latest first',
      query: queries.users,
      reply: { 200: replies.users },
      errors,
      async handler({ params: { org: orgId, agent: agentId }, query }) {
        const trafficQuery = await queryFor({ orgId, agentId }, query)
        if (isRefusal(trafficQuery)) return trafficQuery
        const page = await traffic.users({ orgId, agentId }, trafficQuery)
        return isRefusal(page) ? page : json(200, { data: [...page] })
      },
    }),
    route({
      ...ofTraffic,
      path: `${path}/logs`,
      summary: 'List what was decided on the way, newest first',
      query: queries.logs,
      reply: { 200: replies.logs },
      errors,
      async handler({ params: { org: orgId, agent: agentId }, query }) {
        const page = await recordsOf('logs', { orgId, agentId }, query, traffic.logs)
        return isRefusal(page) ? page : json(200, page)
      },
    }),
  ]
}
