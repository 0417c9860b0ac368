/** Composition of the gateway: its commands, queries and effect handlers. */

import { deadLetterModule } from '../agentwebhook/deadletters.js'
import { createWebhookHandler, type DispatchDeps } from '../agentwebhook/dispatch.js'
import { agentWebhookMetrics } from '../agentwebhook/metrics.js'
import { agentLogCommands } from '../conversation/agentlog.js'
import { createConversation } from '../conversation/commands.js'
import type { ConversationCommands } from '../conversation/contract.js'
import { effectKinds } from '../conversation/effects.js'
import { recordsSweep } from '../conversation/history.js'
import { readConversation } from '../conversation/queries.js'
import { expiring } from '../conversation/retention.js'
import type { Subscribers } from '../conversation/transaction.js'
import { createDeliverHandler, type DeliveryDeps } from '../delivery/deliver.js'
import { createFailoverHandler, type FailoverDeps } from '../delivery/failover.js'
import { deliveryMetrics } from '../delivery/metrics.js'
import { type Throttle, throttleModule } from '../delivery/throttle.js'
import type { InboundDeps } from '../ingress/inbound.js'
import { ingressMetrics } from '../ingress/metrics.js'
import { createRefusedCallLog, type RefusedCallLog, type RefusedCallLogOptions } from '../ingress/refusedcalls.js'
import type { Log } from '../observe/log.js'
import type { Metrics } from '../observe/metrics.js'
import { directiveTable } from '../sandbox/turns.js'
import type { EffectHandler, Handlers, Shards } from '../shard/contract.js'
import { recordQueries } from '../traffic/queries.js'
import { sessionQueries } from '../traffic/sessions.js'
import { type BeginDeps, createDispatchHandler } from '../turn/begin.js'
import { type CallDeps, createCallHandler, createDeadlineHandler } from '../turn/call.js'
import { createTurnCommands, type TurnCommandsOptions } from '../turn/commands.js'
import type { TurnCommands } from '../turn/contract.js'
import { turnEffects } from '../turn/effects.js'
import { createPlanner } from '../turn/planner.js'
import type { TurnPort } from '../turn/port.js'
import { createPreparedAgents } from '../turn/prepared.js'
import { turnQueries } from '../turn/queries.js'
import { closeCutTurn } from '../turn/records.js'
import { transcriptListener, transcriptTable } from '../webchat/transcript.js'

export interface GatewayOptions {
  readonly timeScale: number
  readonly subscribers?: Subscribers
  /** Writes into the journal of a person, in the agent's shard. */
  readonly journal?: TurnCommandsOptions['journal']
}

/** Dependencies of the gateway's effect handlers. */
export interface HandlerDeps extends FailoverDeps {
  readonly delivery: DeliveryDeps
  readonly dispatch: DispatchDeps
  readonly turns: CallDeps & Omit<BeginDeps, 'callWebhook'>
}

export interface GatewayModule extends Pick<Handlers, 'commands' | 'queries'> {
  readonly conversation: ConversationCommands
  readonly turn: TurnCommands
  refusedCalls(options: Omit<RefusedCallLogOptions, 'command'>): RefusedCallLog
  /** `deps` is called at the first effect, since some dependencies do not exist before. */
  effectHandlers(deps: () => HandlerDeps): Readonly<Record<string, EffectHandler>>
}

export function createGatewayModule({ timeScale, subscribers, journal }: GatewayOptions): GatewayModule {
  const { commands: conversation, apply } = createConversation({
    timeScale,
    ...(subscribers && { subscribers }),
    listeners: [transcriptListener],
    expiring: [expiring(transcriptTable, 'at'), expiring(directiveTable, 'at')],
    onTurnCut: closeCutTurn,
  })
  const turn = createTurnCommands({ apply, timeScale, ...(journal && { journal }) })
  const agentLog = agentLogCommands(timeScale)
  return {
    conversation,
    turn,
    refusedCalls: (options) => createRefusedCallLog({ ...options, command: agentLog.write }),
    commands: [
      ...Object.values(conversation),
      ...Object.values(turn),
      ...throttleModule.commands,
      ...deadLetterModule.commands,
      recordsSweep,
      ...Object.values(agentLog),
    ] as unknown as Handlers['commands'],
    queries: [
      readConversation,
      ...throttleModule.queries,
      ...deadLetterModule.queries,
      ...Object.values(recordQueries.messages),
      ...Object.values(recordQueries.logs),
      ...Object.values(recordQueries.attempts),
      recordQueries.sessionOwner,
      ...Object.values(sessionQueries),
      ...Object.values(turnQueries),
    ] as unknown as Handlers['queries'],
    effectHandlers(deps) {
      const lazily = (create: (deps: HandlerDeps) => EffectHandler): EffectHandler => {
        let created: EffectHandler | undefined
        return (payload, context) => {
          created ??= create(deps())
          return created(payload, context)
        }
      }
      return {
        [effectKinds.deliver]: lazily(({ delivery }) => createDeliverHandler(delivery)),
        [effectKinds.dispatchEvent]: lazily(({ dispatch, turns }) =>
          createDispatchHandler({ ...turns, callWebhook: createWebhookHandler(dispatch) }),
        ),
        [turnEffects.call]: lazily(({ turns }) => createCallHandler(turns)),
        [turnEffects.deadline]: lazily(({ turns }) => createDeadlineHandler(turns)),
        [effectKinds.failover]: lazily(createFailoverHandler),
      }
    },
  }
}

export interface GatewayDepsOptions
  extends Omit<DeliveryDeps, 'commands' | 'metrics' | 'throttle'>,
    Pick<DispatchDeps, 'sealer' | 'client'>,
    Pick<InboundDeps, 'asidOf' | 'mediaUrls'> {
  readonly gatewayModule: GatewayModule
  readonly turnPort: TurnPort
  readonly throttle: Throttle
  readonly log: Log
  readonly metrics: Metrics
}

/** Creates the dependencies of each stage; `handlerDeps` takes the shards that effect handlers get. */
export function createGatewayDeps(options: GatewayDepsOptions) {
  const {
    gatewayModule,
    turnPort: port,
    shards,
    connections,
    markActionRequired: needsOperator,
    campaigns,
    sealer,
    client,
    mediaUrls: received,
    log,
    metrics,
    ...rest
  } = options
  const shared = { ...rest, commands: gatewayModule.conversation }
  const { clock } = rest
  const refusedCalls = gatewayModule.refusedCalls({ shards, clock, log })
  const [deliveryMeters, webhookMeters] = [deliveryMetrics(metrics), agentWebhookMetrics(metrics)]
  const planner = createPlanner({ ...rest, port, agents: createPreparedAgents(port, clock) })
  return {
    deps: { ...shared, shards },
    ingress: { ...shared, shards, mediaUrls: received, refusedCalls, metrics: ingressMetrics(metrics) },
    handlerDeps: (shards: Shards): HandlerDeps => ({
      ...shared,
      shards,
      delivery: {
        ...shared,
        shards,
        connections,
        markActionRequired: needsOperator,
        campaigns,
        metrics: deliveryMeters,
      },
      dispatch: { ...shared, shards, sealer, client, metrics: webhookMeters },
      turns: { ...rest, shards, commands: gatewayModule.turn, planner, port },
    }),
  }
}
