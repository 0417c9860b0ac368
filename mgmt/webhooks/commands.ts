/** Commands that change an org's webhooks. Secrets arrive sealed: the input of a command cannot sign a request. */
import { refuse } from '../../core/errors.js'
import { orgWebhook } from '../../core/limits/index.js'
import type { OrgEventName } from '../../core/orgevents.js'
import type { Command, Tx } from '../../runtime/shard/contract.js'
import { deliveryCommands } from './deliveries.js'
import { advance, removeWebhook } from './queue.js'
import type { PatchBody, WebhookView } from './schema.js'
import { type SealedSecret, type Webhook, webhookAsRead, webhooksOf, webhookTable } from './store.js'

export interface CreateWebhook {
  readonly orgId: string
  /** The caller mints the id, because the secret is sealed for this id. */
  readonly id: string
  readonly url: string
  readonly events: readonly OrgEventName[]
  readonly active: boolean
  readonly description?: string
  readonly secret: SealedSecret
}

export interface WebhookChange<Change> {
  readonly orgId: string
  readonly id: string
  readonly change: Change
}

const create: Command<CreateWebhook, WebhookView> = {
  name: 'webhooks.create',
  decide(tx, input, { at }) {
    if (webhooksOf(tx, input.orgId).length >= orgWebhook.perOrg) {
      return refuse('request.invalid', { detail: `An org has at most ${orgWebhook.perOrg} webhooks.` })
    }
    const { events, ...fields } = input
    return saveWebhook(
      tx,
      { ...fields, events: unique(events), revision: 1, inFlight: [], createdAt: at, updatedAt: at },
      at,
    )
  },
}

const update: Command<WebhookChange<PatchBody>, WebhookView> = {
  name: 'webhooks.update',
  decide(tx, { orgId, id, change }, { at }) {
    const webhook = tx.get(webhookTable, [orgId, id])
    if (!webhook) return notFound
    if (Object.keys(change).length === 0) return webhookAsRead(webhook)
    const { url = webhook.url, active = webhook.active, events = webhook.events } = change
    const description = change.description === undefined ? webhook.description : (change.description ?? undefined)
    const isRetargeted = url !== webhook.url || active !== webhook.active
    const revision = webhook.revision + (isRetargeted ? 1 : 0)
    return saveWebhook(
      tx,
      { ...webhook, url, active, events: unique(events), description, revision, updatedAt: at },
      at,
    )
  },
}

const rotate: Command<WebhookChange<SealedSecret>, WebhookView> = {
  name: 'webhooks.rotate',
  decide(tx, { orgId, id, change: secret }, { at }) {
    const webhook = tx.get(webhookTable, [orgId, id])
    if (!webhook) return notFound
    return saveWebhook(tx, { ...webhook, secret, revision: webhook.revision + 1, updatedAt: at }, at)
  },
}

function remove(timeScale: number): Command<{ readonly orgId: string; readonly id: string }, true> {
  return {
    name: 'webhooks.remove',
    decide(tx, { orgId, id }, { at }) {
      const webhook = tx.get(webhookTable, [orgId, id])
      if (!webhook) return notFound
      removeWebhook(tx, webhook, at, timeScale)
      return true
    },
  }
}

export const notFound = refuse('resource.not_found')

function unique<T>(values: readonly T[]): T[] {
  return [...new Set(values)]
}

function saveWebhook(tx: Tx, webhook: Webhook, at: number): WebhookView {
  return webhookAsRead(advance(tx, webhook, at))
}

/** All commands of this area; `timeScale` divides the waits between tries and the retention of deliveries. */
export function webhookCommands({ timeScale }: { readonly timeScale: number }) {
  return { create, update, rotate, remove: remove(timeScale), ...deliveryCommands(timeScale) }
}
export type WebhookCommands = ReturnType<typeof webhookCommands>
