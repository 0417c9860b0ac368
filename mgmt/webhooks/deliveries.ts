/**
 * Commands of deliveries: enqueue an event for subscribed webhooks, start due tries, apply outcomes, replay and sweep.
 */
import { refuse } from '../../core/errors.js'
import type { OrgEventPayload } from '../../core/orgevents.js'
import type { Command, CommandMeta } from '../../runtime/shard/contract.js'
import { hasNoSubscriber } from './queries.js'
import {
  advance,
  dueCommand,
  type RescheduleInput,
  reschedule,
  rescheduleCommand,
  sweepCommand,
  sweep as sweepOld,
  type WebhookRef,
  type WebhookTry,
  withSweep,
} from './queue.js'
import type { DeliveryView, OrgEvent } from './schema.js'
import { applyOutcome, replay as applyReplay, type Outcome } from './statemachine.js'
import { type Delivery, deliveryAsRead, deliveryTable, saveDelivery, subscribersOf, webhookTable } from './store.js'

/**
 * Creates one pending delivery of the event for each webhook that is subscribed now, paused or not; returns how many.
 */
function enqueue(timeScale: number): Command<OrgEventPayload, number> {
  return {
    name: 'webhooks.enqueue',
    decide(tx, payload, meta) {
      const { at } = meta
      const subscribers = subscribersOf(tx, payload)
      if (subscribers.length === 0) return 0
      const event = eventOf(payload, meta)
      const body = JSON.stringify(event)
      for (const webhook of subscribers) {
        saveDelivery(tx, newDelivery(webhook.id, event, body, meta))
        advance(tx, withSweep(tx, webhook, at, timeScale), at)
      }
      return subscribers.length
    },
    skipIf: hasNoSubscriber,
  }
}

function eventOf({ type, orgId, agentId, data }: OrgEventPayload, meta: CommandMeta): OrgEvent {
  const createdAt = new Date(meta.at).toISOString()
  return { id: meta.mint('ev'), type, orgId, ...(agentId !== undefined && { agentId }), createdAt, data: { ...data } }
}

function newDelivery(webhookId: string, event: OrgEvent, body: string, meta: CommandMeta): Delivery {
  const { at } = meta
  return {
    id: meta.mint('dl'),
    orgId: event.orgId,
    webhookId,
    state: 'pending',
    eventId: event.id,
    eventType: event.type as Delivery['eventType'],
    body,
    triesInSchedule: 0,
    triesStarted: 0,
    dueAt: at,
    attemptCount: 0,
    attempts: [],
    createdAt: at,
    updatedAt: at,
  }
}

const startDue: Command<WebhookRef, true> = {
  name: dueCommand,
  decide(tx, { orgId, webhookId }, { at }) {
    const webhook = tx.get(webhookTable, [orgId, webhookId])
    if (webhook) advance(tx, webhook, at)
    return true
  },
}

/** Applies the outcome of one try. A report of a try that is not under way is a repeat and changes nothing. */
function applyAttemptOutcome(timeScale: number): Command<WebhookTry & { readonly outcome: Outcome }, boolean> {
  return {
    name: 'webhooks.attemptOutcome',
    decide(tx, { orgId, webhookId, deliveryId, tryNumber, outcome }, { at }) {
      const webhook = tx.get(webhookTable, [orgId, webhookId])
      const delivery = tx.get(deliveryTable, [orgId, webhookId, deliveryId])
      if (!webhook || delivery?.inFlight !== tryNumber) return false
      saveDelivery(tx, applyOutcome(delivery, outcome, at, timeScale), delivery)
      const idle = { ...webhook, inFlight: webhook.inFlight.filter((id) => id !== deliveryId) }
      if (outcome.kind === 'stopped') advance(tx, idle, at)
      else {
        const lastDeliveryStatus = outcome.kind === 'succeeded' ? 'success' : 'failure'
        advance(tx, { ...idle, lastDeliveryAt: outcome.at, lastDeliveryStatus }, at)
      }
      return true
    },
  }
}

const replay: Command<WebhookRef & { readonly deliveryId: string }, DeliveryView> = {
  name: 'webhooks.replay',
  decide(tx, { orgId, webhookId, deliveryId }, { at }) {
    const webhook = tx.get(webhookTable, [orgId, webhookId])
    const delivery = tx.get(deliveryTable, [orgId, webhookId, deliveryId])
    if (!webhook || !delivery) return refuse('resource.not_found')
    const next = applyReplay(delivery, at)
    saveDelivery(tx, next, delivery)
    advance(tx, webhook, at)
    return deliveryAsRead(next, webhook)
  },
}

function sweep(timeScale: number): Command<WebhookRef, true> {
  return {
    name: sweepCommand,
    decide(tx, webhookRef, { at }) {
      sweepOld(tx, webhookRef, at, timeScale)
      return true
    },
  }
}

function createReschedule(timeScale: number): Command<RescheduleInput, true> {
  return {
    name: rescheduleCommand,
    decide(tx, webhookRef, { at }) {
      reschedule(tx, webhookRef, at, timeScale)
      return true
    },
  }
}

export function deliveryCommands(timeScale: number) {
  return {
    enqueue: enqueue(timeScale),
    startDue,
    attemptOutcome: applyAttemptOutcome(timeScale),
    replay,
    sweep: sweep(timeScale),
    reschedule: createReschedule(timeScale),
  }
}
