/** The routes that read what became of a campaign: its recipients, what one would be sent, its report. */
import { agentKeyOf } from '../../core/agentkey.js'
import { CampaignPreview, type CampaignRecipient, CampaignReport, indexOfRecipient } from '../../core/campaign/view.js'
import { isRefusal } from '../../core/errors.js'
import { page } from '../../core/limits.js'
import { json, type Route, route } from '../../runtime/http/route.js'
import type { CampaignRouteDeps } from './operations.js'
import { itemPath, namedIn, ofCampaigns, PreviewQuery, RecipientList, RecipientQuery, reading } from './schema.js'

export function recipientRoutes(options: CampaignRouteDeps): Route[] {
  return [recipientsRoute(options), previewRoute(options), reportRoute(options)]
}

function recipientsRoute({ shards, area: { queries } }: CampaignRouteDeps): Route {
  return route({
    ...ofCampaigns,
    access: reading,
    method: 'GET',
    path: `${itemPath}/recipients`,
    summary: 'List the recipients of a staged campaign in the order of their turn, and what became of each',
    query: RecipientQuery,
    reply: { 200: RecipientList },
    errors: ['request.invalid', 'agent.not_found'],
    async handler({ params, query: { state, startingAfter, limit = page.defaultRows } }) {
      const named = namedIn(params)
      const data: CampaignRecipient[] = []
      let after = startingAfter === undefined ? undefined : indexOfRecipient(startingAfter)
      do {
        const room = limit + 1 - data.length
        const asked = { ...named, limit: room, ...(state && { state }), ...(after !== undefined && { after }) }
        const found = await shards.read(agentKeyOf(named), queries.recipients, asked)
        if (isRefusal(found)) return found
        data.push(...found.rows.map(({ shown }) => shown))
        after = found.after
      } while (after !== undefined && data.length <= limit)
      return json(200, { data: data.slice(0, limit), hasMore: data.length > limit })
    },
  })
}

function previewRoute({ shards, clock, area: { queries } }: CampaignRouteDeps): Route {
  return route({
    ...ofCampaigns,
    access: reading,
    method: 'GET',
    path: `${itemPath}/preview`,
    summary: 'Show what one person would be sent, or why they would be left out',
    query: PreviewQuery,
    reply: { 200: CampaignPreview },
    errors: ['request.invalid', 'agent.not_found', 'agent.campaign.invalid'],
    async handler({ params, query: { personId } }) {
      const asked = { ...namedIn(params), personId, at: clock.now() }
      const found = await shards.read(agentKeyOf(asked), queries.preview, asked)
      return isRefusal(found) ? found : json(200, found)
    },
  })
}

function reportRoute({ shards, area: { queries } }: CampaignRouteDeps): Route {
  return route({
    ...ofCampaigns,
    access: reading,
    method: 'GET',
    path: `${itemPath}/report`,
    summary: 'Count the recipients of a campaign by what became of them',
    reply: { 200: CampaignReport },
    errors: ['agent.not_found'],
    async handler({ params }) {
      const named = namedIn(params)
      const found = await shards.read(agentKeyOf(named), queries.report, named)
      return isRefusal(found) ? found : json(200, found)
    },
  })
}
