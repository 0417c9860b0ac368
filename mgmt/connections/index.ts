/** Connections: sign-ins at providers, of an org and of an agent's tools, and the tokens that they gave. */
import type { ReturnRules } from '../../core/connections/outcome.js'
import { isRefusal } from '../../core/errors.js'
import type { OrgEventPayload } from '../../core/orgevents.js'
import type { Clock } from '../../runtime/clock.js'
import type { Route } from '../../runtime/http/route.js'
import type { Log } from '../../runtime/observe/log.js'
import type { Command, Performer } from '../../runtime/shard/contract.js'
import type { RootSecrets } from '../../runtime/store/rootsecrets.js'
import { deriveKey } from '../../runtime/store/seal.js'
import type { Agents } from '../agents/index.js'
import { type EffectDeps, moduleOf, type RouteDeps } from '../area.js'
import { createConnectionCommands } from './commands.js'
import type { Provider } from './provider.js'
import { createConnectionQueries } from './queries.js'
import { revocationEffect, revocationPerformer } from './revoke.js'
import { connectionRoutes } from './routes.js'
import { openStates } from './state.js'
import { openTokenDoor, type TokenDoor } from './tokens.js'

export interface ConnectionsDeps {
  readonly orgEvent: Command<OrgEventPayload, unknown>
  readonly agents: Pick<Agents, 'documents' | 'onLifecycle'>
  readonly provider: Provider
  /** Where a browser may be sent back to after a sign-in. */
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
      const found = await shards.read(orgId, queries.standings, { orgId, ids })
      return isRefusal(found) ? found : new Map(found.map(({ id, standing }) => [id, standing]))
    },
  })
  return {
    commands,
    queries,
    module: moduleOf({ commands, queries }),
    performers: ({ sealer }: EffectDeps): Readonly<Record<string, Performer>> => ({
      [revocationEffect]: revocationPerformer({ provider, sealer, clock, log }),
    }),
    /** The tokens of sign-ins, for code that acts with them. */
    tokens: (engine: EffectDeps): TokenDoor => openTokenDoor({ ...engine, commands, queries, provider, clock }),
    routes(engine: RouteDeps): Route[] {
      const states = openStates(deriveKey(secrets.signing, 'oauth states'), deps.randomBytes)
      return connectionRoutes({ ...engine, ...deps, commands, queries, provider, states })
    },
  }
}
export type Connections = ReturnType<typeof createConnections>
