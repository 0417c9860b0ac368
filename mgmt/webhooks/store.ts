/** Tables of webhooks and deliveries, the delivery index, and the views that callers read. */
import type { OrgEventName, OrgEventPayload } from '../../core/orgevents.js'
import type { Tx } from '../../runtime/shard/contract.js'
import { cacheReads, type Reader, table } from '../../runtime/store/contract.js'
import type { DeliveryState, DeliveryView, OrgEvent, WebhookView } from './schema.js'

export interface Webhook {
  readonly id: string
  readonly orgId: string
  readonly url: string
  readonly events: readonly OrgEventName[]
  readonly active: boolean
  readonly description?: string
  readonly secret: SealedSecret
  /** Increases with every change of the URL, the active flag or the secret. */
  readonly revision: number
  readonly lastDeliveryAt?: number
  readonly lastDeliveryStatus?: 'success' | 'failure'
  /** Deliveries with a try under way. */
  readonly inFlight: readonly string[]
  /** When the oldest deliveries are swept next; absent without deliveries. */
  readonly sweepAt?: number
  readonly createdAt: number
  readonly updatedAt: number
}

export interface SealedSecret {
  readonly sealed: Uint8Array
  /** The first characters of the secret, which reads may show. */
  readonly prefix: string
}

export interface Attempt {
  readonly at: number
  readonly status?: number
  readonly error?: string
  readonly durationMs: number
}

export interface Delivery {
  readonly id: string
  readonly orgId: string
  readonly webhookId: string
  readonly state: DeliveryState
  readonly eventId: string
  readonly eventType: OrgEventName
  /** The event as text, serialized once: every try sends the same bytes. */
  readonly body: string
  /** Tries of the current schedule, including one under way. */
  readonly triesInSchedule: number
  /** All tries begun; the number of the last one identifies it. */
  readonly triesStarted: number
  /** The number of the try under way. */
  readonly inFlight?: number
  readonly dueAt?: number
  readonly attemptCount: number
  readonly attempts: readonly Attempt[]
  readonly createdAt: number
  readonly updatedAt: number
}

/** `all` and the states index the log by creation; `due` is the queue, by the time of the next try. */
export type DeliveryIndex = 'all' | 'due' | DeliveryState
type IndexKey = [orgId: string, webhookId: string, index: DeliveryIndex, at: number, deliveryId: string]

export const webhookTable = cacheReads(table<[orgId: string, webhookId: string], Webhook>('webhooks'))
export const deliveryTable = table<[orgId: string, webhookId: string, deliveryId: string], Delivery>(
  'webhooks.deliveries',
)
export const indexTable = table<IndexKey, true>('webhooks.index')

function indexKeysOf({ orgId, webhookId, id, state, dueAt, createdAt }: Delivery): IndexKey[] {
  const log: IndexKey[] = [
    [orgId, webhookId, 'all', createdAt, id],
    [orgId, webhookId, state, createdAt, id],
  ]
  return dueAt === undefined ? log : [...log, [orgId, webhookId, 'due', dueAt, id]]
}

/** Saves a delivery and its index rows; `before` is the previous record, absent for a new one. */
export function saveDelivery(tx: Tx, delivery: Delivery, before?: Delivery): void {
  const [oldKeys, newKeys] = [before ? indexKeysOf(before) : [], indexKeysOf(delivery)]
  const includesKey = (keys: IndexKey[], key: IndexKey) => keys.some((each) => each[2] === key[2] && each[3] === key[3])
  for (const key of oldKeys) if (!includesKey(newKeys, key)) tx.remove(indexTable, key)
  for (const key of newKeys) if (!includesKey(oldKeys, key)) tx.put(indexTable, key, true)
  tx.put(deliveryTable, [delivery.orgId, delivery.webhookId, delivery.id], delivery)
}

export function removeDelivery(tx: Tx, delivery: Delivery): void {
  for (const key of indexKeysOf(delivery)) tx.remove(indexTable, key)
  tx.remove(deliveryTable, [delivery.orgId, delivery.webhookId, delivery.id])
}

/** An org's webhooks, oldest first. */
export function webhooksOf(reader: Reader, orgId: string): Webhook[] {
  const webhooks = Array.from(reader.range(webhookTable, { prefix: [orgId] }), ({ value }) => value)
  return webhooks.sort((a, b) => a.createdAt - b.createdAt || (a.id < b.id ? -1 : 1))
}

/** Webhooks that are subscribed now; the delivery of a paused webhook waits until it is active again. */
export function subscribersOf(reader: Reader, { orgId, type }: Pick<OrgEventPayload, 'orgId' | 'type'>): Webhook[] {
  return webhooksOf(reader, orgId).filter(({ events }) => events.includes(type))
}

const iso = (at: number) => new Date(at).toISOString()

export function webhookAsRead(webhook: Webhook): WebhookView {
  const { id, url, events, active, description, secret, lastDeliveryAt, lastDeliveryStatus } = webhook
  return {
    id,
    url,
    events: [...events],
    active,
    ...(description !== undefined && { description }),
    signingSecretPrefix: secret.prefix,
    ...(lastDeliveryAt !== undefined && { lastDeliveryAt: iso(lastDeliveryAt) }),
    ...(lastDeliveryStatus && { lastDeliveryStatus }),
    createdAt: iso(webhook.createdAt),
    updatedAt: iso(webhook.updatedAt),
  }
}

/** Shows the next try only for an active webhook: for a paused one the time is unknown. */
export function deliveryAsRead(delivery: Delivery, webhook: Webhook): DeliveryView {
  const { id, webhookId, state, body, attemptCount, attempts, dueAt, createdAt, updatedAt } = delivery
  return {
    id,
    webhookId,
    state,
    event: JSON.parse(body) as OrgEvent,
    attemptCount,
    attempts: attempts.map(({ at, ...rest }) => ({ at: iso(at), ...rest })),
    ...(dueAt !== undefined && webhook.active && { nextAttemptAt: iso(dueAt) }),
    createdAt: iso(createdAt),
    updatedAt: iso(updatedAt),
  }
}
