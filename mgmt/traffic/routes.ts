/** Routes of traffic: messages and logs page by page, conversations and people by their last message. */
import { isRefusal } from '../../core/errors.js'
import { traffic as limits, conversation as retention } from '../../core/limits/index.js'
import type { Clock } from '../../runtime/clock.js'
import type { PageTokens } from '../../runtime/http/pagetokens.js'
import { json, type Route, route } from '../../runtime/http/route.js'
import type { Shards } from '../../runtime/shard/contract.js'
import { createRecordLists } from '../agents/recordlists.js'
import type { TrafficLists } from './lists.js'
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

export function trafficRoutes(options: TrafficRoutesOptions): Route[] {
  const { traffic } = options
  const { defaultRows } = limits
  const { queryFor, pageOf } = createRecordLists({ ...options, defaultRows, retentionMs: retention.retentionMs })

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
        const page = await pageOf('traffic.attempts', { orgId, agentId }, query, traffic.attempts)
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
        const page = await pageOf('traffic.messages', { orgId, agentId }, query, traffic.messages)
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
        const page = await pageOf('traffic.logs', { orgId, agentId }, query, traffic.logs)
        return isRefusal(page) ? page : json(200, page)
      },
    }),
  ]
}
