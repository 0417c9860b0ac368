/** The routes of traffic: messages and logs page by page, conversations and people by their last message. */
import { type AgentPlace, agentKeyOf } from '../../core/agentkey.js'
import { invalid, isRefusal, type Refusal } from '../../core/errors.js'
import { conversation as kept, traffic as limits } from '../../core/limits.js'
import type { Position } from '../../core/traffic/stretch.js'
import type { Filter, RecordPage, Wanted, WantedRecords } from '../../core/traffic/wanted.js'
import { windowOf } from '../../core/traffic/window.js'
import type { Clock } from '../../runtime/clock.js'
import type { Pages } from '../../runtime/http/page.js'
import { json, type Route, route } from '../../runtime/http/route.js'
import type { Shards } from '../../runtime/shard/contract.js'
import type { TrafficLists } from './lists.js'
import { agentSince } from './queries.js'
import { ofTraffic, queries, replies } from './schema.js'

export interface TrafficRoutesOptions {
  readonly shards: Shards
  readonly traffic: TrafficLists
  readonly pages: Pages
  readonly clock: Pick<Clock, 'now'>
  readonly timeScale: number
}

const path = '/orgs/{org}/agents/{agent}'
const errors = ['request.invalid', 'resource.not_found'] as const

interface Asked {
  readonly start?: string
  readonly end?: string
  readonly limit?: number
  readonly userId?: string
  readonly includeTest?: boolean
}

interface AskedRecords extends Asked, Filter {
  readonly pageToken?: string
}

export function trafficRoutes(options: TrafficRoutesOptions): Route[] {
  const { shards, traffic, pages, clock, timeScale } = options

  /** What is older than it is kept for is not shown, whether it was taken away yet or not. */
  async function wantedOf(place: AgentPlace, asked: Asked): Promise<Wanted | Refusal> {
    const now = clock.now()
    const window = windowOf(asked, now)
    if (isRefusal(window)) return window
    const since = await shards.read(agentKeyOf(place), agentSince, place)
    if (isRefusal(since)) return since
    const { limit = limits.defaultRows, userId, includeTest = false } = asked
    const from = Math.max(window.from, since, now - Math.ceil(kept.keptMs / timeScale) + 1)
    return { window: { ...window, from }, limit, includeTest, ...(userId !== undefined && { userId }) }
  }

  /** A token stands for one list: the same agent, the same time as it was asked for, the same filters. */
  async function recordsOf<T>(
    name: 'messages' | 'logs' | 'attempts',
    place: AgentPlace,
    asked: AskedRecords,
    read: (place: AgentPlace, wanted: WantedRecords) => Promise<RecordPage<T> | Refusal>,
  ) {
    const { pageToken, limit: _limit, ...list } = asked
    const scope = `traffic.${name}:${agentKeyOf(place)}:${JSON.stringify(Object.entries(list).sort())}`
    const cursor = pageToken === undefined ? undefined : pages.read(scope, pageToken)
    if (pageToken !== undefined && !cursor) return invalid('pageToken', 'is not a token of this list')
    const wanted = await wantedOf(place, asked)
    if (isRefusal(wanted)) return wanted
    const { start: _start, end: _end, userId: _user, includeTest: _test, ...filter } = list
    const [from, ...after] = (cursor ?? [wanted.window.from]) as [number, ...Position]
    const window = { ...wanted.window, from }
    const found = await read(place, { ...wanted, window, filter, ...(cursor && { after }) })
    if (isRefusal(found)) return found
    const { data, last } = found
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
        const found = await recordsOf('attempts', { orgId, agentId }, query, traffic.attempts)
        return isRefusal(found) ? found : json(200, found)
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
        const found = await recordsOf('messages', { orgId, agentId }, query, traffic.messages)
        return isRefusal(found) ? found : json(200, found)
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
        const wanted = await wantedOf({ orgId, agentId }, query)
        if (isRefusal(wanted)) return wanted
        const found = await traffic.conversations({ orgId, agentId }, wanted)
        return isRefusal(found) ? found : json(200, { data: [...found] })
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
        const wanted = await wantedOf({ orgId, agentId }, query)
        if (isRefusal(wanted)) return wanted
        const found = await traffic.users({ orgId, agentId }, wanted)
        return isRefusal(found) ? found : json(200, { data: [...found] })
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
        const found = await recordsOf('logs', { orgId, agentId }, query, traffic.logs)
        return isRefusal(found) ? found : json(200, found)
      },
    }),
  ]
}
