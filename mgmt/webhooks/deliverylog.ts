/** Routes of a webhook's delivery log: list deliveries and replay one. */
import { actorOf } from '../../core/access.js'
import { isRefusal } from '../../core/errors.js'
import { page } from '../../core/limits/index.js'
import type { PageTokens } from '../../runtime/http/pagetokens.js'
import { json, type Route, route } from '../../runtime/http/route.js'
import type { Shards } from '../../runtime/shard/contract.js'
import type { WebhookCommands } from './commands.js'
import { webhookQueries } from './queries.js'
import { deliveryList, deliveryQuery, deliveryView, ofWebhooks } from './schema.js'

export interface DeliveryRoutesOptions {
  readonly shards: Shards
  readonly commands: Pick<WebhookCommands, 'replay'>
  readonly pages: PageTokens
}

const path = '/orgs/{org}/webhooks/{webhookId}/deliveries'

export function deliveryRoutes({ shards, commands, pages }: DeliveryRoutesOptions): Route[] {
  return [
    route({
      ...ofWebhooks,
      method: 'GET',
      path,
      summary: 'List the deliveries of a webhook, newest first',
      query: deliveryQuery,
      reply: { 200: deliveryList },
      errors: ['resource.not_found', 'request.invalid'],
      async handler({ params: { org: orgId, webhookId }, query: { limit = page.defaultRows, pageToken, state } }) {
        const scope = `webhooks.deliveries:${orgId}/${webhookId}/${state ?? ''}`
        const after = pages.read(scope, pageToken)
        const deliveries = await shards.query(orgId, webhookQueries.deliveries, {
          orgId,
          webhookId,
          state,
          after: isRefusal(after) ? undefined : after,
          limit,
        })
        if (isRefusal(deliveries)) return deliveries
        if (isRefusal(after)) return after
        const { data, last } = deliveries
        return json(200, { data, ...(last && { nextPageToken: pages.write(scope, last) }) })
      },
    }),
    route({
      ...ofWebhooks,
      method: 'POST',
      path: `${path}/{deliveryId}/_replay`,
      summary: 'Deliver an event again, on a new schedule',
      reply: { 202: deliveryView },
      errors: ['resource.not_found'],
      async handler({ params: { org: orgId, webhookId, deliveryId }, caller }) {
        const input = { orgId, webhookId, deliveryId }
        const answer = await shards.execute(orgId, commands.replay, input, { by: actorOf(caller) })
        return isRefusal(answer) ? answer : json(202, answer)
      },
    }),
  ]
}
