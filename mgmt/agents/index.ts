/** Agents: their ids, their documents, and the listeners of later areas on them. */
import type { OrgEventPayload } from '../../core/orgevents.js'
import type { Clock } from '../../runtime/clock.js'
import type { Route } from '../../runtime/http/route.js'
import type { Command } from '../../runtime/shard/contract.js'
import { moduleOf, type RouteDeps } from '../area.js'
import type { Audit } from '../audit/index.js'
import type { Bodies } from './bodies.js'
import { type AgentListener, createAgentCommands } from './commands.js'
import { createImportYaml } from './documentbodies.js'
import { createDocuments } from './documentoperations.js'
import type { EndpointLookups } from './endpoint.js'
import type { Model } from './generationroute.js'
import { reservations } from './reservations.js'
import { agentRoutes } from './routes.js'
import { agentQueries } from './store.js'

export interface AgentsDeps {
  readonly orgEvent: Command<OrgEventPayload, unknown>
  readonly audit: Audit
  readonly bodies: Bodies
  /** Absent: addresses are not geocoded. */
  readonly geocode?: EndpointLookups['geocode']
  /** Absent: flows cannot be generated. */
  readonly model?: Model
  /** URL of a stored object, by its name. */
  readonly mediaUrl: (object: string) => string
  readonly randomBytes: (count: number) => Uint8Array
  readonly clock: Clock
}

export function createAgents({ orgEvent, mediaUrl, geocode, model, ...deps }: AgentsDeps) {
  const documents = createDocuments({ orgEvent, mediaUrl })
  const listeners: AgentListener[] = []
  const commands = createAgentCommands({ orgEvent, documents, listeners })
  const { release, ids } = reservations
  return {
    commands,
    documents,
    importYaml: createImportYaml(documents, deps.bodies),
    /** Listeners are called in the order of their registration. */
    onLifecycle: (listener: AgentListener): void => void listeners.push(listener),
    module: moduleOf(
      { commands: { ...commands }, queries: agentQueries },
      { commands: { release }, queries: { ids } },
      documents,
    ),
    routes: (engine: RouteDeps): Route[] =>
      agentRoutes({ ...engine, ...deps, commands, documents, ...(geocode && { geocode }), ...(model && { model }) }),
  }
}
export type Agents = ReturnType<typeof createAgents>
