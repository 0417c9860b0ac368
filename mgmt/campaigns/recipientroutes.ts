/** The routes that read the results of a campaign: recipients, preview, report. */
import { formatAgentKey } from '../../core/agentref.js'
import { CampaignPreview, type CampaignRecipient, CampaignReport, indexOfRecipient } from '../../core/campaign/view.js'
import { isRefusal } from '../../core/errors.js'
import { page } from '../../core/limits/index.js'
import { json, type Route, route } from '../../runtime/http/route.js'
import type { CampaignRouteDeps } from './operations.js'
import {
  campaignIdOf,
  itemPath,
  PreviewQuery,
  RecipientList,
  RecipientQuery,
  readAccess,
  routeDefaults,
} from './schema.js'

export function recipientRoutes(options: CampaignRouteDeps): Route[] {
  return [recipientsRoute(options), previewRoute(options), reportRoute(options)]
}

function recipientsRoute({ shards, operations: { queries } }: CampaignRouteDeps): Route {
  return route({
    ...routeDefaults,
    access: readAccess,
    method: 'GET',
    path: `${itemPath}/recipients`,
    summary: 'List the recipients of a staged campaign in the order of their turn, and what became of each',
    query: RecipientQuery,
    reply: { 200: RecipientList },
    errors: ['request.invalid', 'agent.not_found'],
    async handler({ params, query: { state, startingAfter, limit = page.defaultRows } }) {
      const ids = campaignIdOf(params)
      const data: CampaignRecipient[] = []
      let after = startingAfter === undefined ? undefined : indexOfRecipient(startingAfter)
      do {
        const pageSize = limit + 1 - data.length
        const input = { ...ids, limit: pageSize, ...(state && { state }), ...(after !== undefined && { after }) }
        const result = await shards.query(formatAgentKey(ids), queries.recipients, input)
        if (isRefusal(result)) return result
        data.push(...result.rows.map(({ view }) => view))
        after = result.after
      } while (after !== undefined && data.length <= limit)
      return json(200, { data: data.slice(0, limit), hasMore: data.length > limit })
    },
  })
}

function previewRoute({ shards, clock, operations: { queries } }: CampaignRouteDeps): Route {
  return route({
    ...routeDefaults,
    access: readAccess,
    method: 'GET',
    path: `${itemPath}/preview`,
    summary: 'Show what one person would be sent, or why they would be left out',
    query: PreviewQuery,
    reply: { 200: CampaignPreview },
    errors: ['request.invalid', 'agent.not_found', 'agent.campaign.invalid'],
    async handler({ params, query: { personId } }) {
      const input = { ...campaignIdOf(params), personId, at: clock.now() }
      const result = await shards.query(formatAgentKey(input), queries.preview, input)
      return isRefusal(result) ? result : json(200, result)
    },
  })
}

function reportRoute({ shards, operations: { queries } }: CampaignRouteDeps): Route {
  return route({
    ...routeDefaults,
    access: readAccess,
    method: 'GET',
    path: `${itemPath}/report`,
    summary: 'Count the recipients of a campaign by what became of them',
    reply: { 200: CampaignReport },
    errors: ['agent.not_found'],
    async handler({ params }) {
      const ids = campaignIdOf(params)
      const result = await shards.query(formatAgentKey(ids), queries.report, ids)
      return isRefusal(result) ? result : json(200, result)
    },
  })
}
