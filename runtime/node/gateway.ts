/** The gateway's commands, queries and effect handlers, put together. */

import { deadLetterRepertoire } from '../agentwebhook/deadletters.js'
import { callPerformer, type DispatchDeps } from '../agentwebhook/dispatch.js'
import { agentWebhookMetrics } from '../agentwebhook/metrics.js'
import { agentLogCommands } from '../conversation/agentlog.js'
import { conversationCommands } from '../conversation/commands.js'
import type { ConversationCommands } from '../conversation/contract.js'
import { effectKinds } from '../conversation/effects.js'
import { recordsSweep } from '../conversation/history.js'
import { readConversation } from '../conversation/queries.js'
import { expiring } from '../conversation/retention.js'
import type { Subscribers } from '../conversation/transaction.js'
import { type DeliveryDeps, deliverPerformer } from '../delivery/deliver.js'
import { type FailoverDeps, failoverPerformer } from '../delivery/failover.js'
import { deliveryMetrics } from '../delivery/metrics.js'
import { type Throttle, throttleModule } from '../delivery/throttle.js'
import type { InboundDeps } from '../ingress/inbound.js'
import { ingressMetrics } from '../ingress/metrics.js'
import { openRefusedCalls, type RefusedCalls, type RefusedCallsOptions } from '../ingress/refusedcalls.js'
import type { Log } from '../observe/log.js'
import type { Metrics } from '../observe/metrics.js'
import { directiveTable } from '../sandbox/turns.js'
import type { Performer, Repertoire, Shards } from '../shard/contract.js'
import { recordQueries } from '../traffic/queries.js'
import { sessionQueries } from '../traffic/sessions.js'
import { lineTable, transcriptListener } from '../webchat/transcript.js'

export interface GatewayOptions {
  readonly timeScale: number
  readonly subscribers?: Subscribers
}

/** What the effect handlers of the gateway work with. */
export interface HandlerDeps extends FailoverDeps {
  readonly delivery: DeliveryDeps
  readonly dispatch: DispatchDeps
}

export interface GatewayParts extends Pick<Repertoire, 'commands' | 'queries'> {
  readonly conversation: ConversationCommands
  refusedCalls(options: Omit<RefusedCallsOptions, 'command'>): RefusedCalls
  /** `deps` are asked for when the first effect is handled, since not all of them exist before. */
  performers(deps: () => HandlerDeps): Readonly<Record<string, Performer>>
}

export function gatewayParts({ timeScale, subscribers }: GatewayOptions): GatewayParts {
  const conversation = conversationCommands({
    timeScale,
    ...(subscribers && { subscribers }),
    listeners: [transcriptListener],
    expiring: [expiring(lineTable, 'at'), expiring(directiveTable, 'at')],
  })
  const agentLog = agentLogCommands(timeScale)
  return {
    conversation,
    refusedCalls: (options) => openRefusedCalls({ ...options, command: agentLog.note }),
    commands: [
      ...Object.values(conversation),
      ...throttleModule.commands,
      ...deadLetterRepertoire.commands,
      recordsSweep,
      ...Object.values(agentLog),
    ] as unknown as Repertoire['commands'],
    queries: [
      readConversation,
      ...throttleModule.queries,
      ...deadLetterRepertoire.queries,
      ...Object.values(recordQueries.messages),
      ...Object.values(recordQueries.logs),
      ...Object.values(recordQueries.attempts),
      recordQueries.sessionOwner,
      ...Object.values(sessionQueries),
    ] as unknown as Repertoire['queries'],
    performers(deps) {
      const lazily = (create: (deps: HandlerDeps) => Performer): Performer => {
        let created: Performer | undefined
        return (payload, performing) => {
          created ??= create(deps())
          return created(payload, performing)
        }
      }
      return {
        [effectKinds.deliver]: lazily(({ delivery }) => deliverPerformer(delivery)),
        [effectKinds.callWebhook]: lazily(({ dispatch }) => callPerformer(dispatch)),
        [effectKinds.failover]: lazily(failoverPerformer),
      }
    },
  }
}

export interface GatewayDepsOptions
  extends Omit<DeliveryDeps, 'commands' | 'metrics' | 'throttle'>,
    Pick<DispatchDeps, 'sealer' | 'door'>,
    Pick<InboundDeps, 'asidOf' | 'received'> {
  readonly parts: GatewayParts
  readonly throttle: Throttle
  readonly log: Log
  readonly metrics: Metrics
}

/** The dependencies of each stage: `handlerDeps` for the shards that effect handlers are given. */
export function gatewayDeps(options: GatewayDepsOptions) {
  const { parts, shards, lines, needsOperator, campaigns, sealer, door, received, log, metrics, ...rest } = options
  const shared = { ...rest, commands: parts.conversation }
  const { clock } = rest
  const refusedCalls = parts.refusedCalls({ shards, clock, log })
  const [delivered, called] = [deliveryMetrics(metrics), agentWebhookMetrics(metrics)]
  return {
    deps: { ...shared, shards },
    ingress: { ...shared, shards, received, refusedCalls, metrics: ingressMetrics(metrics) },
    handlerDeps: (shards: Shards): HandlerDeps => ({
      ...shared,
      shards,
      delivery: { ...shared, shards, lines, needsOperator, campaigns, metrics: delivered },
      dispatch: { ...shared, shards, sealer, door, metrics: called },
    }),
  }
}
