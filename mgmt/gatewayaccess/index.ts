/** Gateway access: the access token and signing secret of an agent, and the webhook that its events go to. */
import type { OrgEventPayload } from '../../core/orgevents.js'
import type { Route } from '../../runtime/http/route.js'
import type { Command, Local, Shards } from '../../runtime/shard/contract.js'
import type { Agents } from '../agents/index.js'
import { moduleOf, type RouteDeps } from '../area.js'
import { type AgentTokenAuth, createAgentTokenAuth } from './accesstokens.js'
import { accessLifecycle, createGatewayCommands } from './commands.js'
import { gatewayAccessRoutes } from './routes.js'
import { gatewayQueries } from './store.js'
import { tokenIndex } from './tokenindex.js'
import { agentWebhookRoutes } from './webhook.js'

export interface GatewayAccessDeps {
  readonly orgEvent: Command<OrgEventPayload, unknown>
  readonly agents: Pick<Agents, 'onLifecycle'>
  /** What is wrong with a URL, as the end of a sentence; undefined for one that may be called. */
  readonly checkUrl: (url: string) => string | undefined
  readonly randomBytes: (count: number) => Uint8Array
}

export function createGatewayAccess({ orgEvent, agents, checkUrl, randomBytes }: GatewayAccessDeps) {
  const commands = createGatewayCommands(orgEvent)
  const { put, remove, find } = tokenIndex
  agents.onLifecycle(accessLifecycle)
  return {
    commands,
    module: moduleOf({ commands, queries: gatewayQueries }, { commands: { put, remove }, queries: { find } }),
    agentTokenAuth: (shards: Shards & Local): AgentTokenAuth => createAgentTokenAuth(shards),
    routes: (engine: RouteDeps): Route[] => gatewayAccessRoutes({ ...engine, commands, randomBytes }),
    /** Routes of the gateway, for the agent itself. */
    gatewayRoutes: ({ shards }: Pick<RouteDeps, 'shards'>): Route[] =>
      agentWebhookRoutes({ shards, commands, checkUrl }),
  }
}
export type GatewayAccess = ReturnType<typeof createGatewayAccess>
