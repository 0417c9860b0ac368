/** The queue of one webhook: starts due tries, sets timers, and removes expired deliveries. */
import { orgWebhook } from '../../core/limits/index.js'
import { scaledMs } from '../../core/time.js'
import type { Tx } from '../../runtime/shard/contract.js'
import { startTry, waitMs } from './statemachine.js'
import {
  type Delivery,
  deliveryTable,
  indexTable,
  removeDelivery,
  saveDelivery,
  type Webhook,
  webhookTable,
} from './store.js'

/** The effect of one try. */
export interface WebhookTry {
  readonly orgId: string
  readonly webhookId: string
  readonly deliveryId: string
  readonly tryNumber: number
}

export const dueCommand = 'webhooks.due'
export const sweepCommand = 'webhooks.sweep'
export const rescheduleCommand = 'webhooks.reschedule'
/** Input of the timers' commands. */
export interface WebhookRef {
  readonly orgId: string
  readonly webhookId: string
}

const dueTimer = (webhookId: string) => `${dueCommand}:${webhookId}`
const sweepTimer = (webhookId: string) => `${sweepCommand}:${webhookId}`
const rescheduleTimer = (webhookId: string) => `${rescheduleCommand}:${webhookId}`

/**
 * Saves the webhook and starts due deliveries, up to its concurrency. One timer for each webhook waits for the next due
 * delivery. At full concurrency no timer is needed, because the end of every try calls this function again.
 */
export function advance(tx: Tx, webhook: Webhook, at: number): Webhook {
  const { orgId, id: webhookId } = webhook
  const inFlight = [...webhook.inFlight]
  const maxTries = webhook.active ? triesAllowed(webhook) : 0
  let nextAt: number | undefined
  const slots = Math.max(0, maxTries - inFlight.length)
  const due = slots === 0 ? [] : [...tx.range(indexTable, { prefix: [orgId, webhookId, 'due'], limit: slots + 1 })]
  for (const [, , , dueAt, deliveryId] of due.map((row) => row.key)) {
    if (dueAt > at) {
      nextAt = dueAt
      // While no timer was set, a clock change triggered no reschedule, so the check is here.
      const wasSetBack = tx.get(deliveryTable, [orgId, webhookId, deliveryId])!.updatedAt > at
      if (wasSetBack) scheduleReschedule(tx, { orgId, webhookId }, at)
      break
    }
    if (inFlight.length >= maxTries) break
    startDelivery(tx, tx.get(deliveryTable, [orgId, webhookId, deliveryId])!, at)
    inFlight.push(deliveryId)
  }
  const input: WebhookRef = { orgId, webhookId }
  const timer = { name: dueTimer(webhookId), command: dueCommand, input, onClockSetBack: rescheduleCommand }
  if (nextAt === undefined) tx.unschedule(timer.name)
  else tx.schedule({ ...timer, dueAt: nextAt })
  const saved = { ...webhook, inFlight }
  tx.put(webhookTable, [orgId, webhookId], saved)
  return saved
}

export interface RescheduleInput extends WebhookRef {
  /** The walk continues after this queue key. */
  readonly after?: readonly [dueAt: number, deliveryId: string]
}

function scheduleReschedule(tx: Tx, input: RescheduleInput, dueAt: number): void {
  tx.schedule({ name: rescheduleTimer(input.webhookId), dueAt, command: rescheduleCommand, input })
}

/** After the clock was set back: deliveries wait no longer than their own wait from now on. Works in bounded parts. */
export function reschedule(tx: Tx, { orgId, webhookId, after }: RescheduleInput, at: number, timeScale: number): void {
  const webhook = tx.get(webhookTable, [orgId, webhookId])
  if (!webhook) return
  const prefix = [orgId, webhookId, 'due'] as const
  const from = after ? { after: [...prefix, ...after] as const } : {}
  const rows = [...tx.range(indexTable, { prefix, ...from, limit: orgWebhook.rowsPerSweep })]
  for (const { key } of rows) {
    const delivery = tx.get(deliveryTable, [orgId, webhookId, key[4]])!
    if (delivery.updatedAt <= at) continue
    const latestAt = at + waitMs(delivery.triesInSchedule, delivery.id, timeScale)
    saveDelivery(tx, { ...delivery, dueAt: Math.min(delivery.dueAt!, latestAt), updatedAt: at }, delivery)
  }
  const last = rows.length === orgWebhook.rowsPerSweep ? rows.at(-1)!.key : undefined
  advance(tx, webhook, at)
  if (last) scheduleReschedule(tx, { orgId, webhookId, after: [last[3], last[4]] }, at)
}

/** A failing endpoint gets one try at a time: the try tests the endpoint and takes no capacity from other webhooks. */
function triesAllowed({ lastDeliveryStatus }: Webhook): number {
  return lastDeliveryStatus === 'failure' ? orgWebhook.triesInFlightWhileFailing : orgWebhook.triesInFlightPerWebhook
}

function startDelivery(tx: Tx, delivery: Delivery, at: number): void {
  const started = startTry(delivery, at)
  saveDelivery(tx, started, delivery)
  const { orgId, webhookId, id: deliveryId, triesStarted: tryNumber } = started
  const payload: WebhookTry = { orgId, webhookId, deliveryId, tryNumber }
  tx.emit({ kind: 'webhookTry', destination: webhookId, payload })
}

/** The webhook with a sweep scheduled for the end of the retention of a delivery created at `at`. */
export function withSweep(tx: Tx, webhook: Webhook, at: number, timeScale: number): Webhook {
  if (webhook.sweepAt !== undefined) return webhook
  const sweepAt = at + scaledMs(orgWebhook.retentionMs, timeScale)
  scheduleSweep(tx, webhook, sweepAt)
  return { ...webhook, sweepAt }
}

function scheduleSweep(tx: Tx, { orgId, id: webhookId }: Pick<Webhook, 'orgId' | 'id'>, dueAt: number): void {
  tx.schedule({ name: sweepTimer(webhookId), dueAt, command: sweepCommand, input: { orgId, webhookId } })
}

/**
 * Removes deliveries, oldest first: the expired ones, or all of them if their webhook was deleted. Each run removes a
 * bounded number and schedules the next, so a long log does not block the shard.
 */
export function sweep(tx: Tx, { orgId, webhookId }: WebhookRef, at: number, timeScale: number): void {
  const webhook = tx.get(webhookTable, [orgId, webhookId])
  const retentionMs = webhook ? scaledMs(orgWebhook.retentionMs, timeScale) : 0
  const removedIds = new Set<string>()
  let sweepAt: number | undefined
  for (const { key } of [
    ...tx.range(indexTable, { prefix: [orgId, webhookId, 'all'], limit: orgWebhook.rowsPerSweep + 1 }),
  ]) {
    const [, , , createdAt, deliveryId] = key
    if (createdAt + retentionMs > at || removedIds.size >= orgWebhook.rowsPerSweep) {
      sweepAt = Math.max(createdAt + retentionMs, at + 1)
      break
    }
    removeDelivery(tx, tx.get(deliveryTable, [orgId, webhookId, deliveryId])!)
    removedIds.add(deliveryId)
  }
  if (sweepAt !== undefined) scheduleSweep(tx, { orgId, id: webhookId }, sweepAt)
  if (!webhook) return
  advance(tx, { ...webhook, sweepAt, inFlight: webhook.inFlight.filter((id) => !removedIds.has(id)) }, at)
}

/** Removes a webhook at once; its deliveries follow in parts, the first part in the same commit. */
export function removeWebhook(tx: Tx, { orgId, id: webhookId }: Webhook, at: number, timeScale: number): void {
  tx.remove(webhookTable, [orgId, webhookId])
  tx.unschedule(dueTimer(webhookId))
  tx.unschedule(sweepTimer(webhookId))
  tx.unschedule(rescheduleTimer(webhookId))
  sweep(tx, { orgId, webhookId }, at, timeScale)
}
