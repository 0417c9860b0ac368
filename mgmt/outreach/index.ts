/** Outreach: sends that open conversations, from admission to delivery report. */
import type { OrgEventPayload } from '../../core/orgevents.js'
import type { Clock } from '../../runtime/clock.js'
import type { Route } from '../../runtime/http/route.js'
import type { Metrics } from '../../runtime/observe/metrics.js'
import type { Command, EffectHandler, Shards } from '../../runtime/shard/contract.js'
import type { Agents } from '../agents/index.js'
import { type EffectDeps, moduleOf, type RouteDeps } from '../area.js'
import type { Channels } from '../channels/index.js'
import type { People } from '../people/index.js'
import type { Personas } from '../sandbox/commands.js'
import { createSends, type Sends } from './api.js'
import { createBulkSends } from './campaignsends.js'
import { createRescheduleCommand } from './clockchange.js'
import { sendCommands } from './commands.js'
import type { OutreachConversations } from './conversations.js'
import type { CampaignGate, ReferrersOf, SendListener, SendListeners, UnmatchedReportListener } from './listeners.js'
import { createSendMetrics } from './metrics.js'
import { createStopListener } from './optouts.js'
import { createWithdrawal } from './outreachdeletion.js'
import { sendQueries } from './queries.js'
import { outreachRoutes } from './routes.js'
import { createSweep } from './sweep.js'
import { type AgentLog, attemptEffect, type SendDeps } from './transitions.js'
import { createAttemptHandler, createCampaignAttempt } from './worker.js'

export interface OutreachDeps {
  readonly orgEvent: Command<OrgEventPayload, unknown>
  readonly agents: Pick<Agents, 'documents' | 'onLifecycle'>
  readonly channels: Pick<Channels, 'throughputOf' | 'drawTimes'>
  readonly people: People
  readonly personas: Pick<Personas, 'personOf'>
  readonly conversations: OutreachConversations
  readonly log?: AgentLog
  readonly metrics: Metrics
  readonly clock: Clock
  readonly timeScale: number
}

export function createOutreach({ agents, conversations, metrics, clock, ...shared }: OutreachDeps) {
  const sendMetrics = createSendMetrics(metrics)
  const listeners: SendListeners = { changed: [sendMetrics.onSendChanged], unmatched: [], referrers: [] }
  const deps: SendDeps = { ...shared, documents: agents.documents, listeners }
  const { onDocumentChanged, withdraw } = createWithdrawal(deps)
  const { sweep, clear, onAgentRemoved: removed } = createSweep(deps)
  const commands = { ...sendCommands(deps), withdraw, sweep, clear, reschedule: createRescheduleCommand(deps) }
  const queries = sendQueries(deps)
  const sends = (shards: Shards): Sends => createSends({ shards, commands, queries, conversations, clock, sendMetrics })
  agents.onLifecycle({ removed })
  agents.documents.onChanged(onDocumentChanged)
  shared.people.onChanged(createStopListener(deps))
  return {
    commands,
    queries,
    /** Creates named sends for later areas, as the route does. */
    sends,
    /** Sends of campaigns, for use in a campaign's own commits. */
    bulkSends: createBulkSends(deps),
    /** Makes one attempt at a send of a campaign. */
    attempt: createCampaignAttempt({ ...deps, conversations, clock, sendMetrics }),
    /**
     * Called for every transition of a send and every report that changes it, sandbox sends too: in the same commit,
     * after the send was written, in order of registration. A transition may keep the state. Neither the creation of a
     * send nor a new due time alone is a transition.
     */
    onChanged: (listener: SendListener): void => void listeners.changed.push(listener),
    /** Called with a report on an opening that is not a send, in order of registration until one listener claims it. */
    onUnmatchedReport: (listener: UnmatchedReportListener): void => void listeners.unmatched.push(listener),
    /** Refuses the deletion of an outreach that one of these referrers names. */
    addReferrers: (referrersOf: ReferrersOf): void => void listeners.referrers.push(referrersOf),
    /** Set once, when campaigns are created. Without campaigns every send may leave. */
    setCampaignGate(gate: CampaignGate): void {
      listeners.campaigns = gate
    },
    module: moduleOf({ commands, queries }),
    effectHandlers: ({ shards }: EffectDeps): Readonly<Record<string, EffectHandler>> => ({
      [attemptEffect]: createAttemptHandler({ ...deps, shards, conversations, clock, commands, sendMetrics }),
    }),
    routes: ({ shards }: Pick<RouteDeps, 'shards'>): Route[] =>
      outreachRoutes({ shards, commands, queries, sends: sends(shards) }),
  }
}
export type Outreach = ReturnType<typeof createOutreach>
