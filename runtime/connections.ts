/** Puts the sign-ins of orgs and agents together: who speaks with providers, who keeps what they give, and who uses it. */

import { isRefusal } from '../core/errors.js'
import { openDocuments } from '../mgmt/agents/document.js'
import { agentTable, findAgent } from '../mgmt/agents/store.js'
import {
  type ConnectionCommandsOptions,
  connectionCommands,
  connectionRepertoire,
} from '../mgmt/connections/commands.js'
import type { HasAgent } from '../mgmt/connections/pending.js'
import { connectionQueries, type ToolsIn } from '../mgmt/connections/queries.js'
import { revocationEffect, revocationPerformer } from '../mgmt/connections/revoke.js'
import { connectionRoutes } from '../mgmt/connections/routes.js'
import { openStates } from '../mgmt/connections/state.js'
import { openTokenDoor, type TokenDoor } from '../mgmt/connections/tokens.js'
import type { Clock } from './clock.js'
import type { Config } from './config.js'
import type { Route } from './http/route.js'
import { openOAuthClient } from './oauth/client.js'
import { readProviders } from './oauth/providers.js'
import { openReach } from './oauth/reach.js'
import type { Log } from './observe/log.js'
import type { Performer, Shards } from './shard/contract.js'
import type { RootSecrets } from './store/rootsecrets.js'
import { deriveKey } from './store/seal.js'
import type { Sealer } from './store/sealer.js'

export interface ConnectionsOptions extends Pick<ConnectionCommandsOptions, 'orgEvent'> {
  readonly config: Pick<Config, 'oauthProvidersFile' | 'oauthReturnHosts' | 'allowPrivateUrls'>
  readonly secrets: RootSecrets
  readonly clock: Clock
  readonly log: Log
  readonly randomBytes: (count: number) => Uint8Array
  /** Where others reach the management API. */
  readonly mgmtUrl: () => string
}

/** Once there are shards to ask. */
export interface Over {
  readonly shards: Shards
  readonly sealer: Sealer
}

const hasAgent: HasAgent = (reader, place) => findAgent(reader, place) !== undefined

export function openConnections({ config, secrets, clock, log, randomBytes, mgmtUrl, orgEvent }: ConnectionsOptions) {
  const policy = { allowPrivate: config.allowPrivateUrls }
  const providers = readProviders(config.oauthProvidersFile, policy)
  const reach = openReach(policy)
  const redirectUri = () => `${mgmtUrl()}/v1/oauth/callback`
  const provider = openOAuthClient({ ...policy, providers, reach, redirectUri, clock })
  const { commands, part, follow } = connectionCommands({ orgEvent, hasAgent })
  const queries = connectionQueries(hasAgent, toolsIn())

  return {
    part,
    follow,
    repertoire: connectionRepertoire(commands, queries),
    performers({ sealer }: Pick<Over, 'sealer'>): Readonly<Record<string, Performer>> {
      return { [revocationEffect]: revocationPerformer({ provider, sealer, clock, log }) }
    },
    /** How connections of an org stand, by id; an id that the org does not know is left out. */
    standingsOf: (shards: Pick<Shards, 'read'>) => async (orgId: string, ids: readonly string[]) => {
      const found = await shards.read(orgId, queries.standings, { orgId, ids })
      return isRefusal(found) ? found : new Map(found.map(({ id, standing }) => [id, standing]))
    },
    /** For whatever acts in the name of a sign-in. */
    tokens: (over: Over): TokenDoor => openTokenDoor({ ...over, commands, queries, provider, clock }),
    routes(over: Over): Route[] {
      const states = openStates(deriveKey(secrets.signing, 'oauth states'), randomBytes)
      const returnRules = { hosts: config.oauthReturnHosts ?? [], allowHttp: policy.allowPrivate }
      return connectionRoutes({ ...over, commands, queries, provider, states, returnRules, randomBytes })
    },
    close: reach.close,
  }
}
export type Connections = ReturnType<typeof openConnections>

/** The agents of one shard with their tools; it reads documents as their own area does. */
function toolsIn(): ToolsIn {
  const documents = openDocuments()
  return function* (reader, orgId) {
    for (const { key } of reader.range(agentTable, { prefix: [orgId] })) {
      const place = { orgId, agentId: key[1] }
      const loaded = documents.load(reader, place, ['toolBindings'])
      if (!loaded) continue
      const { name } = loaded.agent
      yield { agentId: place.agentId, name, configs: loaded.document.toolBindings.map(({ config }) => config) }
    }
  }
}
