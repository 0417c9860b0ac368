/** The queue of one webhook: what may start now, when to look again, and what is old enough to forget. */
import { orgWebhook } from '../../core/limits.js'
import type { Tx } from '../../runtime/shard/contract.js'
import { start } from './machine.js'
import { type Delivery, deliveryTable, drop, keep, shelfTable, type Webhook, webhookTable } from './store.js'

/** The effect that carries one try to whoever performs it. */
export interface WebhookTry {
  readonly orgId: string
  readonly webhookId: string
  readonly deliveryId: string
  readonly tryNumber: number
}

export const wakeCommand = 'webhooks.wake'
export const sweepCommand = 'webhooks.sweep'
/** What both timers tell their command. */
export interface OneWebhook {
  readonly orgId: string
  readonly webhookId: string
}

const wakeTimer = (webhookId: string) => `${wakeCommand}:${webhookId}`
const sweepTimer = (webhookId: string) => `${sweepCommand}:${webhookId}`

/**
 * Keeps the webhook and starts what is due, as far as there is room. One timer a webhook waits for what is due next;
 * with no room left none is needed, because the end of every try comes back here.
 */
export function advance(tx: Tx, webhook: Webhook, at: number): Webhook {
  const { orgId, id: webhookId } = webhook
  const trying = [...webhook.trying]
  const most = webhook.active ? triesAllowed(webhook) : 0
  let nextAt: number | undefined
  const room = Math.max(0, most - trying.length)
  const first = room === 0 ? [] : [...tx.range(shelfTable, { prefix: [orgId, webhookId, 'due'], limit: room + 1 })]
  for (const [, , , dueAt, deliveryId] of first.map((row) => row.key)) {
    if (dueAt > at) {
      nextAt = dueAt
      break
    }
    if (trying.length >= most) break
    begin(tx, tx.get(deliveryTable, [orgId, webhookId, deliveryId])!, at)
    trying.push(deliveryId)
  }
  if (nextAt === undefined) tx.unschedule(wakeTimer(webhookId))
  else tx.schedule({ name: wakeTimer(webhookId), dueAt: nextAt, command: wakeCommand, input: { orgId, webhookId } })
  const kept = { ...webhook, trying }
  tx.put(webhookTable, [orgId, webhookId], kept)
  return kept
}

/** An endpoint that fails gets one try at a time: it is asked whether it is back, and takes no room from the others. */
function triesAllowed({ lastDeliveryStatus }: Webhook): number {
  return lastDeliveryStatus === 'failure' ? orgWebhook.triesInFlightWhileFailing : orgWebhook.triesInFlightPerWebhook
}

function begin(tx: Tx, delivery: Delivery, at: number): void {
  const begun = start(delivery, at)
  keep(tx, begun, delivery)
  const { orgId, webhookId, id: deliveryId, started: tryNumber } = begun
  const payload: WebhookTry = { orgId, webhookId, deliveryId, tryNumber }
  tx.effect({ kind: 'webhookTry', destination: webhookId, payload })
}

/** The webhook with a sweep arranged for the time when a delivery made at `at` has been kept long enough. */
export function withSweep(tx: Tx, webhook: Webhook, at: number, timeScale: number): Webhook {
  if (webhook.sweepAt !== undefined) return webhook
  const sweepAt = at + Math.ceil(orgWebhook.keptMs / timeScale)
  scheduleSweep(tx, webhook, sweepAt)
  return { ...webhook, sweepAt }
}

function scheduleSweep(tx: Tx, { orgId, id: webhookId }: Pick<Webhook, 'orgId' | 'id'>, dueAt: number): void {
  tx.schedule({ name: sweepTimer(webhookId), dueAt, command: sweepCommand, input: { orgId, webhookId } })
}

/**
 * Forgets deliveries, oldest first: those kept long enough, or all of them once their webhook is gone. It takes a
 * bounded number at a time and comes back for the rest, so a long log never holds up the shard.
 */
export function sweep(tx: Tx, { orgId, webhookId }: OneWebhook, at: number, timeScale: number): void {
  const webhook = tx.get(webhookTable, [orgId, webhookId])
  const keptMs = webhook ? Math.ceil(orgWebhook.keptMs / timeScale) : 0
  const dropped = new Set<string>()
  let sweepAt: number | undefined
  for (const { key } of [
    ...tx.range(shelfTable, { prefix: [orgId, webhookId, 'all'], limit: orgWebhook.rowsPerSweep + 1 }),
  ]) {
    const [, , , createdAt, deliveryId] = key
    if (createdAt + keptMs > at || dropped.size >= orgWebhook.rowsPerSweep) {
      sweepAt = Math.max(createdAt + keptMs, at + 1)
      break
    }
    drop(tx, tx.get(deliveryTable, [orgId, webhookId, deliveryId])!)
    dropped.add(deliveryId)
  }
  if (sweepAt !== undefined) scheduleSweep(tx, { orgId, id: webhookId }, sweepAt)
  if (!webhook) return
  advance(tx, { ...webhook, sweepAt, trying: webhook.trying.filter((id) => !dropped.has(id)) }, at)
}

/** Ends a webhook at once; its deliveries go with it, the first of them in the same commit. */
export function removeWebhook(tx: Tx, { orgId, id: webhookId }: Webhook, at: number, timeScale: number): void {
  tx.remove(webhookTable, [orgId, webhookId])
  tx.unschedule(wakeTimer(webhookId))
  tx.unschedule(sweepTimer(webhookId))
  sweep(tx, { orgId, webhookId }, at, timeScale)
}
