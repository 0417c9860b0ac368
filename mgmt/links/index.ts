/** Outreach links: pages on which testers enter their number, so that the agent writes to them. */
import type { Clock } from '../../runtime/clock.js'
import type { Route } from '../../runtime/http/route.js'
import type { Buckets } from '../../runtime/ratelimit/contract.js'
import type { RootSecrets } from '../../runtime/secrets/rootsecrets.js'
import { deriveKey } from '../../runtime/secrets/seal.js'
import type { EffectHandler } from '../../runtime/shard/contract.js'
import type { Agents } from '../agents/index.js'
import { moduleOf, type RouteDeps } from '../area.js'
import type { Channels } from '../channels/index.js'
import type { OutreachConversations } from '../outreach/conversations.js'
import type { Personas } from '../sandbox/commands.js'
import { createLinkCommands, startEffect } from './commands.js'
import { createLinkStartHandler } from './opener.js'
import { linkPageRoutes } from './pageroutes.js'
import { linkRoutes } from './routes.js'
import { linkCodes } from './store.js'

export interface LinksDeps {
  readonly agents: Pick<Agents, 'documents' | 'onLifecycle'>
  readonly channels: Pick<Channels, 'onRemoved'>
  readonly personas: Pick<Personas, 'personOf' | 'identityOf'>
  readonly conversations: OutreachConversations
  readonly secrets: Pick<RootSecrets, 'identity'>
  /** Base URL of the gateway, without its version. */
  readonly gatewayUrl: () => string
  readonly randomBytes: (count: number) => Uint8Array
  readonly clock: Clock
}

export function createLinks({ agents, channels, personas, secrets, ...deps }: LinksDeps) {
  const { conversations, gatewayUrl } = deps
  const links = createLinkCommands({ documents: agents.documents, personas })
  const { put, remove, find } = linkCodes
  agents.onLifecycle({ removed: links.onAgentRemoved })
  channels.onRemoved(links.onBindingRemoved)
  return {
    module: moduleOf(links, { commands: { put, remove }, queries: { find } }),
    effectHandlers: (): Readonly<Record<string, EffectHandler>> => ({
      [startEffect]: createLinkStartHandler(links, conversations),
    }),
    routes: ({ shards }: Pick<RouteDeps, 'shards'>): Route[] =>
      linkRoutes({ ...deps, shards, links, urlOf: (code) => `${gatewayUrl()}/v4/start/${code}` }),
    /** Gateway routes of the pages. */
    gatewayRoutes({ shards, buckets }: Pick<RouteDeps, 'shards'> & { readonly buckets: Buckets }): Route[] {
      const numberKey = deriveKey(secrets.identity, 'numbers entered at links')
      return linkPageRoutes({ ...deps, shards, buckets, links, numberKey, publicUrl: gatewayUrl })
    },
  }
}
