/** Queries of an org's webhooks and of their deliveries, as callers see them. */
import { refuse } from '../../core/errors.js'
import type { OrgEventPayload } from '../../core/orgevents.js'
import type { Query } from '../../runtime/shard/contract.js'
import type { WebhookRef } from './queue.js'
import type { DeliveryState, DeliveryView, WebhookView } from './schema.js'
import {
  type DeliveryIndex,
  deliveryAsRead,
  deliveryTable,
  indexTable,
  subscribersOf,
  webhookAsRead,
  webhooksOf,
  webhookTable,
} from './store.js'

const list: Query<{ readonly orgId: string }, WebhookView[]> = {
  name: 'webhooks.list',
  read: (reader, { orgId }) => webhooksOf(reader, orgId).map(webhookAsRead),
}

const read: Query<WebhookRef, WebhookView> = {
  name: 'webhooks.read',
  read(reader, { orgId, webhookId }) {
    const webhook = reader.get(webhookTable, [orgId, webhookId])
    return webhook ? webhookAsRead(webhook) : refuse('resource.not_found')
  },
}

type Position = readonly (string | number)[]

interface DeliveryPageQuery extends WebhookRef {
  readonly state?: DeliveryState
  /** Creation time and id of the last delivery of the previous page. */
  readonly after?: Position
  readonly limit: number
}

/** Newest first; `last` is the cursor of the next page, absent at the end of the list. */
const deliveries: Query<DeliveryPageQuery, { readonly data: DeliveryView[]; readonly last?: Position }> = {
  name: 'webhooks.deliveries',
  read(reader, { orgId, webhookId, state, after, limit }) {
    const webhook = reader.get(webhookTable, [orgId, webhookId])
    if (!webhook) return refuse('resource.not_found')
    const index: DeliveryIndex = state ?? 'all'
    const prefix = [orgId, webhookId, index]
    const start = after && [...prefix, ...after]
    const rows = [...reader.range(indexTable, { prefix, after: start, reverse: true, limit: limit + 1 })]
    const pageRows = rows.slice(0, limit)
    const data = pageRows.flatMap(({ key: [, , , , id] }): DeliveryView[] => {
      const delivery = reader.get(deliveryTable, [orgId, webhookId, id])
      return delivery ? [deliveryAsRead(delivery, webhook)] : []
    })
    const [, , , createdAt, id] = pageRows.at(-1)?.key ?? []
    return rows.length > limit ? { data, last: [createdAt!, id!] } : { data }
  },
}

/** Does no webhook subscribe to an event of that type? */
export const hasNoSubscriber: Query<Pick<OrgEventPayload, 'orgId' | 'type'>, boolean> = {
  name: 'webhooks.hasNoSubscriber',
  read: (reader, event) => subscribersOf(reader, event).length === 0,
}

export const webhookQueries = { list, read, deliveries, hasNoSubscriber }
