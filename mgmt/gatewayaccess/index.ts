/** Gateway access: an agent's access token, signing secret and webhook URL. */
import type { OrgEventPayload } from '../../core/orgevents.js'
import type { Route } from '../../runtime/http/route.js'
import type { Command, Local, Shards } from '../../runtime/shard/contract.js'
import type { Agents } from '../agents/index.js'
import { moduleOf, type RouteDeps } from '../area.js'
import { type AgentTokenAuth, createAgentTokenAuth } from './accesstokens.js'
import { accessLifecycle, createGatewayCommands } from './commands.js'
import { gatewayAccessRoutes } from './routes.js'
import { gatewayQueries, isManaged } from './store.js'
import { tokenIndex } from './tokenindex.js'
import { agentWebhookRoutes } from './webhook.js'

export interface GatewayAccessDeps {
  readonly orgEvent: Command<OrgEventPayload, unknown>
  readonly agents: Pick<Agents, 'onLifecycle' | 'documents'>
  /** The problem of a URL as the end of a sentence; undefined for an allowed URL. */
  readonly checkUrl: (url: string) => string | undefined
  readonly randomBytes: (count: number) => Uint8Array
}

export function createGatewayAccess({ orgEvent, agents, checkUrl, randomBytes }: GatewayAccessDeps) {
  const commands = createGatewayCommands(orgEvent)
  const { put, remove, find } = tokenIndex
  agents.onLifecycle(accessLifecycle)
  agents.documents.provide({ isManaged })
  return {
    commands,
    module: moduleOf({ commands, queries: gatewayQueries }, { commands: { put, remove }, queries: { find } }),
    agentTokenAuth: (shards: Shards & Local): AgentTokenAuth => createAgentTokenAuth(shards),
    routes: (engine: RouteDeps): Route[] => gatewayAccessRoutes({ ...engine, commands, randomBytes }),
    /** Gateway routes that the agent itself calls. */
    gatewayRoutes: ({ shards }: Pick<RouteDeps, 'shards'>): Route[] =>
      agentWebhookRoutes({ shards, commands, checkUrl }),
  }
}
export type GatewayAccess = ReturnType<typeof createGatewayAccess>
