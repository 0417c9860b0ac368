/** The queue of one webhook: what may start now, when to look again, and what is old enough to forget. */
import { orgWebhook } from '../../core/limits.js'
import type { Tx } from '../../runtime/shard/contract.js'
import { start, waitMs } from './machine.js'
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
export const setBackCommand = 'webhooks.setBack'
/** What these timers tell their command. */
export interface OneWebhook {
  readonly orgId: string
  readonly webhookId: string
}

const wakeTimer = (webhookId: string) => `${wakeCommand}:${webhookId}`
const sweepTimer = (webhookId: string) => `${sweepCommand}:${webhookId}`
const setBackTimer = (webhookId: string) => `${setBackCommand}:${webhookId}`

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
      // While no timer was set, nothing called for it.
      const wasSetBack = tx.get(deliveryTable, [orgId, webhookId, deliveryId])!.updatedAt > at
      if (wasSetBack) redateLater(tx, { orgId, webhookId }, at)
      break
    }
    if (trying.length >= most) break
    begin(tx, tx.get(deliveryTable, [orgId, webhookId, deliveryId])!, at)
    trying.push(deliveryId)
  }
  const input: OneWebhook = { orgId, webhookId }
  const timer = { name: wakeTimer(webhookId), command: wakeCommand, input, whenSetBack: setBackCommand }
  if (nextAt === undefined) tx.unschedule(timer.name)
  else tx.schedule({ ...timer, dueAt: nextAt })
  const kept = { ...webhook, trying }
  tx.put(webhookTable, [orgId, webhookId], kept)
  return kept
}

export interface Redating extends OneWebhook {
  /** The walk goes on behind this place in the queue. */
  readonly after?: readonly [dueAt: number, deliveryId: string]
}

function redateLater(tx: Tx, input: Redating, dueAt: number): void {
  tx.schedule({ name: setBackTimer(input.webhookId), dueAt, command: setBackCommand, input })
}

/** After the clock was set back: deliveries wait no longer than their own wait from now on. A bounded part at a time. */
export function redate(tx: Tx, { orgId, webhookId, after }: Redating, at: number, timeScale: number): void {
  const webhook = tx.get(webhookTable, [orgId, webhookId])
  if (!webhook) return
  const prefix = [orgId, webhookId, 'due'] as const
  const from = after ? { after: [...prefix, ...after] as const } : {}
  const rows = [...tx.range(shelfTable, { prefix, ...from, limit: orgWebhook.rowsPerSweep })]
  for (const { key } of rows) {
    const delivery = tx.get(deliveryTable, [orgId, webhookId, key[4]])!
    if (delivery.updatedAt <= at) continue
    const latestAt = at + waitMs(delivery.tried, delivery.id, timeScale)
    keep(tx, { ...delivery, dueAt: Math.min(delivery.dueAt!, latestAt), updatedAt: at }, delivery)
  }
  const last = rows.length === orgWebhook.rowsPerSweep ? rows.at(-1)!.key : undefined
  advance(tx, webhook, at)
  if (last) redateLater(tx, { orgId, webhookId, after: [last[3], last[4]] }, at)
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
  tx.unschedule(setBackTimer(webhookId))
  sweep(tx, { orgId, webhookId }, at, timeScale)
}
