/** The routes of campaigns as records: made, listed, read, changed, taken away. */
import { actorOf } from '../../core/access.js'
import { agentKeyOf } from '../../core/agentkey.js'
import { CampaignBody, CampaignPatch } from '../../core/campaign/campaign.js'
import { CampaignView } from '../../core/campaign/view.js'
import { invalid, isRefusal } from '../../core/errors.js'
import { campaign as limits, page } from '../../core/limits.js'
import { json, noContent, type Route, route } from '../../runtime/http/route.js'
import { actionRoutes } from './actionroutes.js'
import { exportRoute } from './export.js'
import type { CampaignRouteDeps } from './operations.js'
import { recipientRoutes } from './recipientroutes.js'
import {
  CampaignList,
  CampaignQuery,
  collectionPath,
  itemPath,
  namedIn,
  ofCampaigns,
  reading,
  writing,
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

const wrongWrite = ['request.invalid', 'agent.not_found', 'agent.outreach.not_found'] as const

function collection({ shards, pages, area: { commands, queries } }: CampaignRouteDeps): Route[] {
  return [
    route({
      ...ofCampaigns,
      access: writing,
      method: 'POST',
      path: collectionPath,
      summary: 'Draft a campaign: one outreach, and everybody whom it goes to',
      body: CampaignBody,
      bodyLimitBytes: limits.bodyBytes,
      reply: { 201: CampaignView },
      errors: wrongWrite,
      async handler({ params: { org: orgId, agent: agentId }, body, caller }) {
        const asked = { orgId, agentId, body }
        const made = await shards.ask(agentKeyOf(asked), commands.create, asked, { by: actorOf(caller) })
        return isRefusal(made) ? made : json(201, made)
      },
    }),
    route({
      ...ofCampaigns,
      access: reading,
      method: 'GET',
      path: collectionPath,
      summary: 'List campaigns, newest first',
      query: CampaignQuery,
      reply: { 200: CampaignList },
      errors: ['request.invalid', 'agent.not_found'],
      async handler({ params: { org: orgId, agent: agentId }, query }) {
        const { limit = page.defaultRows, pageToken, status } = query
        const place = { orgId, agentId }
        const scope = `campaigns:${agentKeyOf(place)}:${status ?? ''}`
        const from = pageToken === undefined ? undefined : pages.read(scope, pageToken)
        if (pageToken !== undefined && !from) return invalid('pageToken', 'is not a token of this list')
        const data: CampaignView[] = []
        let after = from?.[0] as string | undefined
        do {
          const asked = { ...place, limit: limit - data.length, ...(status && { status }), ...(after && { after }) }
          const found = await shards.read(agentKeyOf(place), queries.list, asked)
          if (isRefusal(found)) return found
          data.push(...found.data)
          after = found.after
        } while (after !== undefined && data.length < limit)
        return json(200, after === undefined ? { data } : { data, nextPageToken: pages.write(scope, [after]) })
      },
    }),
  ]
}

function item({ shards, area: { commands, queries } }: CampaignRouteDeps): Route[] {
  return [
    route({
      ...ofCampaigns,
      access: reading,
      method: 'GET',
      path: itemPath,
      summary: 'Read a campaign',
      reply: { 200: CampaignView },
      errors: ['agent.not_found'],
      async handler({ params }) {
        const named = namedIn(params)
        const found = await shards.read(agentKeyOf(named), queries.one, named)
        return isRefusal(found) ? found : json(200, found)
      },
    }),
    route({
      ...ofCampaigns,
      access: writing,
      method: 'PATCH',
      path: itemPath,
      summary: 'Change some of a campaign that was not started; it is a draft again, without a snapshot',
      body: CampaignPatch,
      bodyLimitBytes: limits.bodyBytes,
      reply: { 200: CampaignView },
      errors: [...wrongWrite, 'agent.campaign.immutable'],
      async handler({ params, body: patch, caller }) {
        const asked = { ...namedIn(params), patch }
        const changed = await shards.ask(agentKeyOf(asked), commands.change, asked, { by: actorOf(caller) })
        return isRefusal(changed) ? changed : json(200, changed)
      },
    }),
    route({
      ...ofCampaigns,
      access: writing,
      method: 'DELETE',
      path: itemPath,
      summary: 'Delete a campaign that is not being sent; its sends stay',
      reply: { 204: null },
      errors: ['agent.not_found', 'agent.campaign.state_conflict'],
      async handler({ params, caller }) {
        const named = namedIn(params)
        const gone = await shards.ask(agentKeyOf(named), commands.remove, named, { by: actorOf(caller) })
        return isRefusal(gone) ? gone : noContent
      },
    }),
  ]
}
