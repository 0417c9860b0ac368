/** The routes of campaign records: create, list, read, change, delete. */
import { actorOf } from '../../core/access.js'
import { formatAgentKey } from '../../core/agentref.js'
import { CampaignBody, CampaignPatch } from '../../core/campaign/campaign.js'
import { CampaignView } from '../../core/campaign/view.js'
import { isRefusal } from '../../core/errors.js'
import { campaign as limits, page } from '../../core/limits/index.js'
import { json, noContent, type Route, route } from '../../runtime/http/route.js'
import { actionRoutes } from './actionroutes.js'
import { exportRoute } from './export.js'
import type { CampaignRouteDeps } from './operations.js'
import { recipientRoutes } from './recipientroutes.js'
import {
  CampaignList,
  CampaignQuery,
  campaignIdOf,
  collectionPath,
  itemPath,
  readAccess,
  routeDefaults,
  writeAccess,
} from './schema.js'

export function campaignRoutes(options: CampaignRouteDeps): Route[] {
  return [
    ...collection(options),
    ...item(options),
    ...actionRoutes(options),
    ...recipientRoutes(options),
    exportRoute(options),
  ]
}

const writeErrors = ['request.invalid', 'agent.not_found', 'agent.outreach.not_found'] as const

function collection({ shards, pages, operations: { commands, queries } }: CampaignRouteDeps): Route[] {
  return [
    route({
      ...routeDefaults,
      access: writeAccess,
      method: 'POST',
      path: collectionPath,
      summary: 'Draft a campaign: one outreach, and everybody whom it goes to',
      body: CampaignBody,
      bodyLimitBytes: limits.bodyBytes,
      reply: { 201: CampaignView },
      errors: writeErrors,
      async handler({ params: { org: orgId, agent: agentId }, body, caller }) {
        const input = { orgId, agentId, body }
        const created = await shards.execute(formatAgentKey(input), commands.create, input, { by: actorOf(caller) })
        return isRefusal(created) ? created : json(201, created)
      },
    }),
    route({
      ...routeDefaults,
      access: readAccess,
      method: 'GET',
      path: collectionPath,
      summary: 'List campaigns, newest first',
      query: CampaignQuery,
      reply: { 200: CampaignList },
      errors: ['request.invalid', 'agent.not_found'],
      async handler({ params: { org: orgId, agent: agentId }, query }) {
        const { limit = page.defaultRows, pageToken, status } = query
        const agentRef = { orgId, agentId }
        const scope = `campaigns:${formatAgentKey(agentRef)}:${status ?? ''}`
        const cursor = pages.read(scope, pageToken)
        if (isRefusal(cursor)) return cursor
        const data: CampaignView[] = []
        let after = cursor?.[0] as string | undefined
        do {
          const input = { ...agentRef, limit: limit - data.length, ...(status && { status }), ...(after && { after }) }
          const result = await shards.query(formatAgentKey(agentRef), queries.list, input)
          if (isRefusal(result)) return result
          data.push(...result.data)
          after = result.after
        } while (after !== undefined && data.length < limit)
        return json(200, after === undefined ? { data } : { data, nextPageToken: pages.write(scope, [after]) })
      },
    }),
  ]
}

function item({ shards, operations: { commands, queries } }: CampaignRouteDeps): Route[] {
  return [
    route({
      ...routeDefaults,
      access: readAccess,
      method: 'GET',
      path: itemPath,
      summary: 'Read a campaign',
      reply: { 200: CampaignView },
      errors: ['agent.not_found'],
      async handler({ params }) {
        const ids = campaignIdOf(params)
        const result = await shards.query(formatAgentKey(ids), queries.one, ids)
        return isRefusal(result) ? result : json(200, result)
      },
    }),
    route({
      ...routeDefaults,
      access: writeAccess,
      method: 'PATCH',
      path: itemPath,
      summary: 'Change some of a campaign that was not started; it is a draft again, without a snapshot',
      body: CampaignPatch,
      bodyLimitBytes: limits.bodyBytes,
      reply: { 200: CampaignView },
      errors: [...writeErrors, 'agent.campaign.immutable'],
      async handler({ params, body: patch, caller }) {
        const input = { ...campaignIdOf(params), patch }
        const changed = await shards.execute(formatAgentKey(input), commands.change, input, { by: actorOf(caller) })
        return isRefusal(changed) ? changed : json(200, changed)
      },
    }),
    route({
      ...routeDefaults,
      access: writeAccess,
      method: 'DELETE',
      path: itemPath,
      summary: 'Delete a campaign that is not being sent; its sends stay',
      reply: { 204: null },
      errors: ['agent.not_found', 'agent.campaign.state_conflict'],
      async handler({ params, caller }) {
        const ids = campaignIdOf(params)
        const removed = await shards.execute(formatAgentKey(ids), commands.remove, ids, { by: actorOf(caller) })
        return isRefusal(removed) ? removed : noContent
      },
    }),
  ]
}
