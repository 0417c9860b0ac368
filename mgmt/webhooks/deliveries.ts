/** The commands that carry an event to the webhooks subscribed to it: queued, woken, tried, replayed and forgotten. */
import { refuse } from '../../core/errors.js'
import type { OrgEventPayload } from '../../core/orgevents.js'
import type { Command, Told } from '../../runtime/shard/contract.js'
import { type Outcome, replay as replayed, settle } from './machine.js'
import { unheard } from './queries.js'
import {
  advance,
  type OneWebhook,
  type Redating,
  redate,
  setBackCommand,
  sweepCommand,
  sweep as sweepOld,
  type WebhookTry,
  wakeCommand,
  withSweep,
} from './queue.js'
import type { DeliveryView, OrgEvent } from './schema.js'
import { type Delivery, deliveryAsRead, deliveryTable, keep, listeningTo, webhookTable } from './store.js'

/** One event, one pending delivery for each webhook that is subscribed now, paused or not; answers how many. */
function enqueue(timeScale: number): Command<OrgEventPayload, number> {
  return {
    name: 'webhooks.enqueue',
    decide(tx, payload, told) {
      const { at } = told
      const listening = listeningTo(tx, payload)
      if (listening.length === 0) return 0
      const event = eventOf(payload, told)
      const body = JSON.stringify(event)
      for (const webhook of listening) {
        keep(tx, newDelivery(webhook.id, event, body, told))
        advance(tx, withSweep(tx, webhook, at, timeScale), at)
      }
      return listening.length
    },
    idleWhen: unheard,
  }
}

function eventOf({ type, orgId, agentId, data }: OrgEventPayload, told: Told): OrgEvent {
  const createdAt = new Date(told.at).toISOString()
  return { id: told.mint('ev'), type, orgId, ...(agentId !== undefined && { agentId }), createdAt, data: { ...data } }
}

function newDelivery(webhookId: string, event: OrgEvent, body: string, told: Told): Delivery {
  const { at } = told
  return {
    id: told.mint('dl'),
    orgId: event.orgId,
    webhookId,
    state: 'pending',
    eventId: event.id,
    eventType: event.type as Delivery['eventType'],
    body,
    tried: 0,
    started: 0,
    dueAt: at,
    attemptCount: 0,
    attempts: [],
    createdAt: at,
    updatedAt: at,
  }
}

const wake: Command<OneWebhook, true> = {
  name: wakeCommand,
  decide(tx, { orgId, webhookId }, { at }) {
    const webhook = tx.get(webhookTable, [orgId, webhookId])
    if (webhook) advance(tx, webhook, at)
    return true
  },
}

/** Takes the outcome of one try. A report of a try that is no longer under way is a repeat, and changes nothing. */
function tried(timeScale: number): Command<WebhookTry & { readonly outcome: Outcome }, boolean> {
  return {
    name: 'webhooks.tried',
    decide(tx, { orgId, webhookId, deliveryId, tryNumber, outcome }, { at }) {
      const webhook = tx.get(webhookTable, [orgId, webhookId])
      const delivery = tx.get(deliveryTable, [orgId, webhookId, deliveryId])
      if (!webhook || delivery?.trying !== tryNumber) return false
      keep(tx, settle(delivery, outcome, at, timeScale), delivery)
      const rested = { ...webhook, trying: webhook.trying.filter((id) => id !== deliveryId) }
      if (outcome.kind === 'stopped') advance(tx, rested, at)
      else {
        const lastDeliveryStatus = outcome.kind === 'succeeded' ? 'success' : 'failure'
        advance(tx, { ...rested, lastDeliveryAt: outcome.at, lastDeliveryStatus }, at)
      }
      return true
    },
  }
}

const replay: Command<OneWebhook & { readonly deliveryId: string }, DeliveryView> = {
  name: 'webhooks.replay',
  decide(tx, { orgId, webhookId, deliveryId }, { at }) {
    const webhook = tx.get(webhookTable, [orgId, webhookId])
    const delivery = tx.get(deliveryTable, [orgId, webhookId, deliveryId])
    if (!webhook || !delivery) return refuse('resource.not_found')
    const next = replayed(delivery, at)
    keep(tx, next, delivery)
    advance(tx, webhook, at)
    return deliveryAsRead(next, webhook)
  },
}

function sweep(timeScale: number): Command<OneWebhook, true> {
  return {
    name: sweepCommand,
    decide(tx, which, { at }) {
      sweepOld(tx, which, at, timeScale)
      return true
    },
  }
}

function setBack(timeScale: number): Command<Redating, true> {
  return {
    name: setBackCommand,
    decide(tx, which, { at }) {
      redate(tx, which, at, timeScale)
      return true
    },
  }
}

export function deliveryCommands(timeScale: number) {
  return {
    enqueue: enqueue(timeScale),
    wake,
    tried: tried(timeScale),
    replay,
    sweep: sweep(timeScale),
    setBack: setBack(timeScale),
  }
}
