/** Connections: sign-ins at providers, of an org and of an agent's tools, and the tokens of these sign-ins. */
import type { ReturnRules } from '../../core/connections/outcome.js'
import { isRefusal } from '../../core/errors.js'
import type { OrgEventPayload } from '../../core/orgevents.js'
import type { Clock } from '../../runtime/clock.js'
import type { Route } from '../../runtime/http/route.js'
import type { Log } from '../../runtime/observe/log.js'
import type { RootSecrets } from '../../runtime/secrets/rootsecrets.js'
import { deriveKey } from '../../runtime/secrets/seal.js'
import type { Command, EffectHandler } from '../../runtime/shard/contract.js'
import type { Agents } from '../agents/index.js'
import { type EffectDeps, moduleOf, type RouteDeps } from '../area.js'
import { createConnectionCommands } from './commands.js'
import type { Provider } from './provider.js'
import { createConnectionQueries } from './queries.js'
import { createRevocationHandler, revocationEffect } from './revocation.js'
import { connectionRoutes } from './routes.js'
import { createSignInStates } from './state.js'
import { type AccessTokens, createAccessTokens } from './tokens.js'

export interface ConnectionsDeps {
  readonly orgEvent: Command<OrgEventPayload, unknown>
  readonly agents: Pick<Agents, 'documents' | 'onLifecycle'>
  readonly provider: Provider
  /** The rules for the address to which a browser may be sent after a sign-in. */
  readonly returnRules: ReturnRules
  readonly secrets: Pick<RootSecrets, 'signing'>
  readonly randomBytes: (count: number) => Uint8Array
  readonly clock: Clock
  readonly log: Log
}

export function createConnections({ orgEvent, agents, provider, secrets, clock, log, ...deps }: ConnectionsDeps) {
  const { commands, removed, onDocumentChanged } = createConnectionCommands(orgEvent)
  const queries = createConnectionQueries(agents.documents)
  agents.onLifecycle({ removed })
  agents.documents.onChanged(onDocumentChanged)
  agents.documents.provide({
    async connections(shards, orgId, ids) {
      const statuses = await shards.query(orgId, queries.statuses, { orgId, ids })
      return isRefusal(statuses) ? statuses : new Map(statuses.map(({ id, status }) => [id, status]))
    },
  })
  return {
    commands,
    queries,
    module: moduleOf({ commands, queries }),
    effectHandlers: ({ sealer }: EffectDeps): Readonly<Record<string, EffectHandler>> => ({
      [revocationEffect]: createRevocationHandler({ provider, sealer, clock, log }),
    }),
    /** Access tokens of sign-ins, for code that calls providers. */
    tokens: (engine: EffectDeps): AccessTokens => createAccessTokens({ ...engine, commands, queries, provider, clock }),
    routes(engine: RouteDeps): Route[] {
      const states = createSignInStates(deriveKey(secrets.signing, 'oauth states'), deps.randomBytes)
      return connectionRoutes({ ...engine, ...deps, commands, queries, provider, states })
    },
  }
}
export type Connections = ReturnType<typeof createConnections>
