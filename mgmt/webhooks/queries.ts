/** What is read of an org's webhooks and of their deliveries, as callers see it. */
import { refuse } from '../../core/errors.js'
import type { OrgEventPayload } from '../../core/orgevents.js'
import type { Query } from '../../runtime/shard/contract.js'
import type { OneWebhook } from './queue.js'
import type { DeliveryState, DeliveryView, WebhookView } from './schema.js'
import {
  deliveryAsRead,
  deliveryTable,
  listeningTo,
  type Shelf,
  shelfTable,
  webhookAsRead,
  webhooksOf,
  webhookTable,
} from './store.js'

const list: Query<{ readonly orgId: string }, WebhookView[]> = {
  name: 'webhooks.list',
  read: (reader, { orgId }) => webhooksOf(reader, orgId).map(webhookAsRead),
}

const read: Query<OneWebhook, WebhookView> = {
  name: 'webhooks.read',
  read(reader, { orgId, webhookId }) {
    const webhook = reader.get(webhookTable, [orgId, webhookId])
    return webhook ? webhookAsRead(webhook) : refuse('resource.not_found')
  },
}

type Place = readonly (string | number)[]

interface WantedPage extends OneWebhook {
  readonly state?: DeliveryState
  /** Creation time and id of the last delivery already shown. */
  readonly after?: Place
  readonly limit: number
}

/** Newest first; `last` is where the next page goes on, absent at the end of the list. */
const deliveries: Query<WantedPage, { readonly data: DeliveryView[]; readonly last?: Place }> = {
  name: 'webhooks.deliveries',
  read(reader, { orgId, webhookId, state, after, limit }) {
    const webhook = reader.get(webhookTable, [orgId, webhookId])
    if (!webhook) return refuse('resource.not_found')
    const shelf: Shelf = state ?? 'all'
    const prefix = [orgId, webhookId, shelf]
    const start = after && [...prefix, ...after]
    const rows = [...reader.range(shelfTable, { prefix, after: start, reverse: true, limit: limit + 1 })]
    const shown = rows.slice(0, limit)
    const data = shown.flatMap(({ key: [, , , , id] }): DeliveryView[] => {
      const delivery = reader.get(deliveryTable, [orgId, webhookId, id])
      return delivery ? [deliveryAsRead(delivery, webhook)] : []
    })
    const [, , , createdAt, id] = shown.at(-1)?.key ?? []
    return rows.length > limit ? { data, last: [createdAt!, id!] } : { data }
  },
}

/** Whether nobody has subscribed to an event of that type. */
export const unheard: Query<Pick<OrgEventPayload, 'orgId' | 'type'>, boolean> = {
  name: 'webhooks.unheard',
  read: (reader, event) => listeningTo(reader, event).length === 0,
}

export const webhookQueries = { list, read, deliveries, unheard }
