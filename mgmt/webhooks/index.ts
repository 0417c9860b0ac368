/** Org webhooks: delivery of an org's events to the URLs that it registered. */
import type { OrgEventPayload } from '../../core/orgevents.js'
import type { Clock } from '../../runtime/clock.js'
import type { Route } from '../../runtime/http/route.js'
import type { Metrics } from '../../runtime/observe/metrics.js'
import type { Command, EffectHandler, Local } from '../../runtime/shard/contract.js'
import { type EffectDeps, moduleOf, type RouteDeps } from '../area.js'
import { createWebhookTryHandler, type Post, type Sign } from './attempt.js'
import { webhookCommands } from './commands.js'
import { cancelOnChange, createInFlightTries } from './inflight.js'
import { countDeadLetters, createWebhookMetrics } from './metrics.js'
import { webhookQueries } from './queries.js'
import { webhookRoutes } from './routes.js'

export interface WebhooksDeps {
  readonly post: Post
  readonly sign: Sign
  /** The problem of a URL as the end of a sentence; undefined for an allowed URL. */
  readonly checkUrl: (url: string) => string | undefined
  readonly randomBytes: (count: number) => Uint8Array
  readonly clock: Clock
  readonly metrics: Metrics
  readonly timeScale: number
}

export function createWebhooks({ timeScale, metrics, ...deps }: WebhooksDeps) {
  const commands = webhookCommands({ timeScale })
  const inFlight = createInFlightTries()
  const orgEvent: Command<OrgEventPayload, unknown> = commands.enqueue
  return {
    commands,
    /** The command that a commit sends to an org with an event; the org's webhooks are then called with it. */
    orgEvent,
    module: moduleOf({ commands, queries: webhookQueries }),
    effectHandlers({ shards, sealer }: EffectDeps): Readonly<Record<string, EffectHandler>> {
      const { post, sign, clock } = deps
      const webhookMetrics = createWebhookMetrics(metrics)
      return {
        webhookTry: createWebhookTryHandler({ shards, commands, sealer, clock, inFlight, post, sign, webhookMetrics }),
      }
    },
    subscribe(local: Local): void {
      cancelOnChange(local, inFlight)
      countDeadLetters(local, metrics)
    },
    routes: (engine: RouteDeps): Route[] => webhookRoutes({ ...engine, ...deps, commands }),
  }
}
export type Webhooks = ReturnType<typeof createWebhooks>
