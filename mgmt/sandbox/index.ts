/** Sandbox: personas, turns as a persona, and the links that give others access to them. */
import type { Clock } from '../../runtime/clock.js'
import type { Route } from '../../runtime/http/route.js'
import type { Shards } from '../../runtime/shard/contract.js'
import type { SignedTokens } from '../access/index.js'
import type { Agents } from '../agents/index.js'
import { moduleOf, type RouteDeps } from '../area.js'
import type { Conversations } from '../people/conversations.js'
import type { People } from '../people/index.js'
import { createPersonas } from './commands.js'
import type { SandboxCommands, SandboxConversations } from './conversations.js'
import { createGrantCheck, emulatorLinkCommands, emulatorLinkQueries, removeLinks } from './emulatorlinks.js'
import { emulatorRoutes } from './emulatorroutes.js'
import { personaRoutes } from './routes.js'

export interface SandboxDeps {
  readonly agents: Pick<Agents, 'onLifecycle'>
  readonly people: Pick<People, 'byId' | 'newId' | 'save' | 'remove'>
  readonly commands: SandboxCommands
  readonly conversations: Pick<Conversations, 'asidOf'>
  readonly randomBytes: (count: number) => Uint8Array
  readonly clock: Clock
}

export interface SandboxRouteDeps extends RouteDeps, Pick<SignedTokens, 'grants'> {
  readonly sandbox: SandboxConversations
}

export function createSandbox({ agents, people, commands: sandbox, clock, ...deps }: SandboxDeps) {
  const personas = createPersonas({ people, sandbox })
  agents.onLifecycle({ removed: personas.onAgentRemoved })
  agents.onLifecycle({ removed: removeLinks })
  return {
    personas,
    module: moduleOf(personas, { commands: emulatorLinkCommands, queries: emulatorLinkQueries }),
    /** The check of emulator grants for the authentication of tokens. */
    grantCheck: (shards: Shards) => createGrantCheck(shards, clock.now),
    routes: (engine: SandboxRouteDeps): Route[] => [
      ...personaRoutes({ ...engine, ...deps, personas, begin: sandbox.begin }),
      ...emulatorRoutes({ ...engine, ...deps, clock }),
    ],
  }
}
export type Sandbox = ReturnType<typeof createSandbox>
