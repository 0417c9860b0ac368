/** Performs the effects of org webhooks: brings events to their org, and makes one try of one delivery. */
import { isRefusal } from '../../core/errors.js'
import type { OrgEventPayload } from '../../core/orgevents.js'
import type { Shards } from '../../runtime/shard/contract.js'
import type { WebhookCommands } from './commands.js'
import type { Outcome } from './machine.js'
import type { WebhookTry } from './queue.js'
import { openSecret, type Sealer } from './secret.js'
import { type Delivery, deliveryTable, type Webhook, webhookTable } from './store.js'
import type { Tries } from './tries.js'

/** The door out. It never throws; `stopped` is the answer to a signal, or to a node that is closing. */
export type Post = (request: {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array
  readonly signal: AbortSignal
  readonly answer: 'status'
}) => Promise<
  | { readonly ok: true; readonly status: number }
  | { readonly ok: false; readonly reason: string; readonly message: string }
>

/** The headers that prove a body sent at `at` is ours. */
export type Sign = (secret: string, at: number, body: Uint8Array) => Record<string, string>

export interface DriverOptions {
  readonly shards: Shards
  readonly commands: Pick<WebhookCommands, 'tried'>
  readonly post: Post
  readonly sealer: Sealer
  readonly sign: Sign
  readonly clock: { now(): number }
  readonly tries: Tries
}

/** The id of the effect becomes the command's, so an event performed twice is queued once. */
export function orgEventPerformer(shards: Shards, commands: Pick<WebhookCommands, 'enqueue'>) {
  return async (payload: OrgEventPayload, effectId: string): Promise<void> => {
    const answer = await shards.ask(payload.orgId, commands.enqueue, payload, { id: effectId })
    if (isRefusal(answer)) throw new Error(`an org event was not taken: ${answer.refused}`)
  }
}

/**
 * Makes one try. Webhook and delivery are read in the turn in which the try is entered, so a change that comes
 * later can still cut it. A throw leaves the effect owed: it is then performed again, under the same number.
 */
export function webhookTryPerformer(options: DriverOptions) {
  const { shards, commands } = options
  return async (which: WebhookTry): Promise<void> => {
    const { orgId, webhookId, deliveryId, tryNumber } = which
    const webhook = shards.view(orgId).get(webhookTable, [orgId, webhookId])
    const delivery = shards.view(orgId).get(deliveryTable, [orgId, webhookId, deliveryId])
    if (!webhook || delivery?.trying !== tryNumber) return
    const outcome: Outcome = webhook.active ? await attempt(options, webhook, delivery) : { kind: 'stopped' }
    const answer = await shards.ask(orgId, commands.tried, { ...which, outcome })
    if (isRefusal(answer)) throw new Error(`the outcome of a webhook try was not taken: ${answer.refused}`)
  }
}

async function attempt(options: DriverOptions, webhook: Webhook, delivery: Delivery): Promise<Outcome> {
  const { clock, post, tries } = options
  const at = clock.now()
  const body = Buffer.from(delivery.body)
  const headers = signedHeaders(options, webhook, delivery, at, body)
  if (!headers) return { kind: 'failed', at, durationMs: 0, error: 'The signing secret cannot be read; rotate it.' }
  const { signal, end } = tries.begin(webhook)
  try {
    const answer = await post({ url: webhook.url, headers, body, signal, answer: 'status' })
    const durationMs = Math.max(0, clock.now() - at)
    if (answer.ok) return { ...judged(answer.status), at, durationMs }
    if (answer.reason !== 'stopped') return { kind: 'failed', at, durationMs, error: answer.message }
    if (signal.aborted) return { kind: 'stopped' }
    throw new Error('the node closed while a webhook was being tried')
  } finally {
    end()
  }
}

/** Undefined when the secret was sealed under a root key that this node does not have. */
function signedHeaders(
  { sealer, sign }: DriverOptions,
  webhook: Webhook,
  delivery: Delivery,
  at: number,
  body: Uint8Array,
): Record<string, string> | undefined {
  let secret: string
  try {
    secret = openSecret(sealer, webhook.orgId, webhook.id, webhook.secret)
  } catch {
    return undefined
  }
  return {
    'Content-Type': 'application/json',
    'User-Agent': 'Parley-Webhooks/1',
    'X-Svc-Event-Id': delivery.eventId,
    'X-Svc-Event-Type': delivery.eventType,
    ...sign(secret, at, body),
  }
}

function judged(status: number): { kind: 'succeeded' | 'failed'; status: number; error?: string } {
  if (status >= 200 && status < 300) return { kind: 'succeeded', status }
  if (status >= 300 && status < 400) return { kind: 'failed', status, error: 'Redirects are not followed.' }
  return { kind: 'failed', status }
}
