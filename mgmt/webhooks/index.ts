/** Org webhooks: the events of an org, delivered to the URLs that it registered. */
import type { OrgEventPayload } from '../../core/orgevents.js'
import type { Clock } from '../../runtime/clock.js'
import type { Route } from '../../runtime/http/route.js'
import type { Metrics } from '../../runtime/observe/metrics.js'
import type { Command, Local, Performer } from '../../runtime/shard/contract.js'
import { type EffectDeps, moduleOf, type RouteDeps } from '../area.js'
import { webhookCommands } from './commands.js'
import { type Post, type Sign, webhookTryPerformer } from './driver.js'
import { meterDeliveries, webhookMeters } from './meters.js'
import { webhookQueries } from './queries.js'
import { webhookRoutes } from './routes.js'
import { followWebhooks, openTries } from './tries.js'

export interface WebhooksDeps {
  readonly post: Post
  readonly sign: Sign
  /** What is wrong with a URL, as the end of a sentence; undefined for one that may be called. */
  readonly checkUrl: (url: string) => string | undefined
  readonly randomBytes: (count: number) => Uint8Array
  readonly clock: Clock
  readonly metrics: Metrics
  readonly timeScale: number
}

export function createWebhooks({ timeScale, metrics, ...deps }: WebhooksDeps) {
  const commands = webhookCommands({ timeScale })
  const tries = openTries()
  const orgEvent: Command<OrgEventPayload, unknown> = commands.enqueue
  return {
    commands,
    /** Sent to an org by the commit in which something of it has happened: its webhooks are then called with the event. */
    orgEvent,
    module: moduleOf({ commands, queries: webhookQueries }),
    performers({ shards, sealer }: EffectDeps): Readonly<Record<string, Performer>> {
      const { post, sign, clock } = deps
      const meters = webhookMeters(metrics)
      return { webhookTry: webhookTryPerformer({ shards, commands, sealer, clock, tries, post, sign, meters }) }
    },
    subscribe(local: Local): void {
      followWebhooks(local, tries)
      meterDeliveries(local, metrics)
    },
    routes: (engine: RouteDeps): Route[] => webhookRoutes({ ...engine, ...deps, commands }),
  }
}
export type Webhooks = ReturnType<typeof createWebhooks>
