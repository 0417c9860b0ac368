/** Effect handler of org webhooks: makes one try of one delivery. */
import { isRefusal } from '../../core/errors.js'
import type { EffectContext, Shards } from '../../runtime/shard/contract.js'
import type { WebhookCommands } from './commands.js'
import type { InFlightTries } from './inflight.js'
import type { WebhookMetrics } from './metrics.js'
import type { WebhookTry } from './queue.js'
import { openSecret, type Sealer } from './secret.js'
import type { Outcome } from './statemachine.js'
import { type Delivery, deliveryTable, type Webhook, webhookTable } from './store.js'

/**
 * The HTTP client to endpoints. Never throws; `stopped` is the answer to an aborted signal, or to a node that is
 * closing.
 */
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

/** Headers that prove the origin of a body sent at `at`. */
export type Sign = (secret: string, at: number, body: Uint8Array) => Record<string, string>

export interface DeliverOptions {
  readonly shards: Shards
  readonly commands: Pick<WebhookCommands, 'attemptOutcome'>
  readonly post: Post
  readonly sealer: Sealer
  readonly sign: Sign
  readonly clock: { now(): number }
  readonly inFlight: InFlightTries
  readonly webhookMetrics?: WebhookMetrics
}

/**
 * Makes one try. The handler reads webhook and delivery in the same turn in which it tracks the try, so a later change
 * can still abort it. If it throws, the effect stays in the outbox and runs again under the same number.
 */
export function createWebhookTryHandler(options: DeliverOptions) {
  const { shards, commands } = options
  return async (tryRef: WebhookTry, { reader, signal }: EffectContext): Promise<void> => {
    const { orgId, webhookId, deliveryId, tryNumber } = tryRef
    const webhook = reader.get(webhookTable, [orgId, webhookId])
    const delivery = reader.get(deliveryTable, [orgId, webhookId, deliveryId])
    if (!webhook || delivery?.inFlight !== tryNumber) return
    const outcome: Outcome = webhook.active ? await attempt(options, webhook, delivery, signal) : { kind: 'stopped' }
    const answer = await shards.execute(orgId, commands.attemptOutcome, { ...tryRef, outcome })
    if (isRefusal(answer)) throw new Error(`the outcome of a webhook try was not taken: ${answer.refused}`)
    if (answer && outcome.kind !== 'stopped') options.webhookMetrics?.observeTry(outcome)
  }
}

async function attempt(options: DeliverOptions, webhook: Webhook, delivery: Delivery, shardLost: AbortSignal) {
  const { signal, end } = options.inFlight.track(webhook, shardLost)
  try {
    const outcome = await postDelivery(options, webhook, delivery, signal)
    if (outcome !== 'aborted') return outcome
    if (signal.aborted && !shardLost.aborted) return { kind: 'stopped' } as const
    throw new Error('a webhook was being tried when its shard left this node')
  } finally {
    end()
  }
}

async function postDelivery(
  options: DeliverOptions,
  webhook: Webhook,
  delivery: Delivery,
  signal: AbortSignal,
): Promise<Outcome | 'aborted'> {
  const { clock, post, sign } = options
  const secret = await readableSecret(options, webhook)
  if (signal.aborted) return 'aborted'
  const at = clock.now()
  if (secret === undefined) return { kind: 'failed', at, durationMs: 0, error: unreadable }
  const body = Buffer.from(delivery.body)
  const headers = {
    'Content-Type': 'application/json',
    'User-Agent': 'Parley-Webhooks/1',
    'X-Svc-Event-Id': delivery.eventId,
    'X-Svc-Event-Type': delivery.eventType,
    ...sign(secret, at, body),
  }
  const answer = await post({ url: webhook.url, headers, body, signal, answer: 'status' })
  const durationMs = Math.max(0, clock.now() - at)
  if (answer.ok) return { ...outcomeOfStatus(answer.status), at, durationMs }
  return answer.reason === 'stopped' ? 'aborted' : { kind: 'failed', at, durationMs, error: answer.message }
}

const unreadable = 'The signing secret cannot be read; rotate it.'

/** Undefined if the secret is sealed under a root key that this node does not have. */
async function readableSecret({ sealer }: DeliverOptions, webhook: Webhook): Promise<string | undefined> {
  const secret = await openSecret(sealer, webhook.orgId, webhook.id, webhook.secret).catch(() => undefined)
  if (isRefusal(secret)) throw new Error(`the key that seals a webhook's secret cannot be had: ${secret.refused}`)
  return secret
}

function outcomeOfStatus(status: number): { kind: 'succeeded' | 'failed'; status: number; error?: string } {
  if (status >= 200 && status < 300) return { kind: 'succeeded', status }
  if (status >= 300 && status < 400) return { kind: 'failed', status, error: 'Redirects are not followed.' }
  return { kind: 'failed', status }
}
