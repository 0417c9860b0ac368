/** Campaigns: one outreach sent to an audience, staged as a snapshot and dispatched at the pace of its provider. */
import type { DispatchWindow } from '../../core/campaign/throughput.js'
import type { OrgEventPayload } from '../../core/orgevents.js'
import type { Clock } from '../../runtime/clock.js'
import type { Route } from '../../runtime/http/route.js'
import type { Metrics } from '../../runtime/observe/metrics.js'
import type { Command, EffectHandler, Local } from '../../runtime/shard/contract.js'
import type { Agents } from '../agents/index.js'
import { type EffectDeps, moduleOf, type RouteDeps } from '../area.js'
import type { Channels } from '../channels/index.js'
import type { Outreach } from '../outreach/index.js'
import type { People } from '../people/index.js'
import type { Personas } from '../sandbox/commands.js'
import { onBindingReady } from './bindings.js'
import { countRecipients } from './metrics.js'
import { createCampaignOperations } from './operations.js'
import { campaignRoutes } from './routes.js'
import { batchEffect } from './scheduler.js'
import { createSendListener } from './sendlistener.js'
import { clearRemovedAgent } from './sweep.js'
import { createBatchHandler } from './worker.js'

export interface CampaignAreaDeps {
  readonly orgEvent: Command<OrgEventPayload, unknown>
  readonly agents: Pick<Agents, 'documents' | 'onLifecycle'>
  readonly channels: Pick<Channels, 'onReady' | 'throughputOf' | 'boundChannels' | 'drawTimes'>
  readonly people: Pick<People, 'byId' | 'scan'>
  readonly personas: Pick<Personas, 'personOf'>
  readonly outreach: Outreach
  /** How many recipients of a campaign may be in flight at the moment. */
  readonly dispatchWindow: () => DispatchWindow
  readonly metrics: Metrics
  readonly clock: Clock
  readonly timeScale: number
}

export function createCampaigns({ agents, outreach, metrics, clock, ...areaDeps }: CampaignAreaDeps) {
  const deps = { ...areaDeps, documents: agents.documents, bulkSends: outreach.bulkSends }
  const { commands, queries, referrersOf, draftCampaignsOf } = createCampaignOperations(deps)
  const sends = createSendListener(deps)
  agents.onLifecycle({ removed: clearRemovedAgent })
  agents.documents.provide({ draftCampaigns: draftCampaignsOf })
  areaDeps.channels.onReady(onBindingReady)
  outreach.onChanged(sends.onSendChanged)
  outreach.setCampaignGate(sends.gate)
  outreach.addReferrers(referrersOf)
  return {
    commands,
    queries,
    /** May the message of a campaign's send be handed to its provider? Queried right before the handover. */
    mayDispatch: sends.queries.mayDispatch,
    module: moduleOf({ commands, queries }, sends),
    effectHandlers: ({ shards }: EffectDeps): Readonly<Record<string, EffectHandler>> => ({
      [batchEffect]: createBatchHandler({ shards, attempt: outreach.attempt, commands }),
    }),
    subscribe: (local: Local): void => countRecipients(local, metrics),
    routes: ({ shards, pages }: RouteDeps): Route[] =>
      campaignRoutes({ shards, pages, clock, operations: { commands, queries } }),
  }
}
export type Campaigns = ReturnType<typeof createCampaigns>
