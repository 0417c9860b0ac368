/** The routes of a webhook's delivery log: what was delivered, what was not, and once more. */
import { actorOf } from '../../core/access.js'
import { invalid, isRefusal, refuse } from '../../core/errors.js'
import { page } from '../../core/limits.js'
import type { Pages } from '../../runtime/http/page.js'
import { json, type Route, route } from '../../runtime/http/route.js'
import type { Shards } from '../../runtime/shard/contract.js'
import type { Reader } from '../../runtime/store/contract.js'
import type { WebhookCommands } from './commands.js'
import {
  type DeliveryState,
  type DeliveryView,
  deliveryList,
  deliveryQuery,
  deliveryView,
  ofWebhooks,
} from './schema.js'
import { deliveryAsRead, deliveryTable, type Shelf, shelfTable, type Webhook, webhookTable } from './store.js'

export interface DeliveryRoutesOptions {
  readonly shards: Shards
  readonly commands: Pick<WebhookCommands, 'replay'>
  readonly pages: Pages
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
      handler({ params: { org, webhookId }, query: { limit = page.defaultRows, pageToken, state } }) {
        const reader = shards.view(org)
        const webhook = reader.get(webhookTable, [org, webhookId])
        if (!webhook) return refuse('resource.not_found')
        const scope = `webhooks.deliveries:${org}/${webhookId}/${state ?? ''}`
        const after = pageToken === undefined ? undefined : pages.read(scope, pageToken)
        if (pageToken !== undefined && !after) return invalid('pageToken', 'is not a token of this list')
        const { data, last } = newest(reader, webhook, { state, after, limit })
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
        const answer = await shards.ask(orgId, commands.replay, input, { by: actorOf(caller) })
        return isRefusal(answer) ? answer : json(202, answer)
      },
    }),
  ]
}

interface Wanted {
  readonly state?: DeliveryState
  /** Creation time and id of the last delivery already shown. */
  readonly after?: readonly (string | number)[]
  readonly limit: number
}

/** One page; `last` is where the next one goes on, absent at the end of the list. */
function newest(reader: Reader, webhook: Webhook, { state, after, limit }: Wanted) {
  const shelf: Shelf = state ?? 'all'
  const prefix = [webhook.orgId, webhook.id, shelf]
  const start = after && [...prefix, ...after]
  const rows = [...reader.range(shelfTable, { prefix, after: start, reverse: true, limit: limit + 1 })]
  const shown = rows.slice(0, limit)
  const data = shown.flatMap(({ key: [org, webhookId, , , id] }): DeliveryView[] => {
    const delivery = reader.get(deliveryTable, [org, webhookId, id])
    return delivery ? [deliveryAsRead(delivery, webhook)] : []
  })
  const [, , , createdAt, id] = shown.at(-1)?.key ?? []
  const last = rows.length > limit ? [createdAt!, id!] : undefined
  return { data, last }
}
