/** Knowledge: the sources that an agent answers from, and its media. */
import { idFromBytes } from '../../core/ids.js'
import type { Route } from '../../runtime/http/route.js'
import type { EffectHandler } from '../../runtime/shard/contract.js'
import type { Agents } from '../agents/index.js'
import { type EffectDeps, moduleOf, type RouteDeps } from '../area.js'
import { catalogQueries } from './catalogsearch.js'
import { agentMediaCommands, type RemoveObject, removeObjectKind } from './media.js'
import { agentMediaRoutes, type MediaObjects } from './mediaroutes.js'
import { createPageReadHandler, type GetPage } from './pagereads.js'
import { createPassageSearch } from './passagesearch.js'
import { sourceRoutes } from './routes.js'
import { pageReadEffect, sourceCommands } from './sources.js'

export interface KnowledgeDeps {
  readonly agents: Pick<Agents, 'documents' | 'onLifecycle'>
  readonly getPage: GetPage
  /** The problem of a URL as the end of a sentence; undefined for an allowed URL. */
  readonly checkUrl: (url: string) => string | undefined
  readonly objects: MediaObjects
  /** The public URL of a stored object. */
  readonly mediaUrl: (object: string) => string
  readonly randomBytes: (count: number) => Uint8Array
}

/** Random bytes for one object name. */
const nameBytes = 17

export function createKnowledge({ agents, getPage, checkUrl, objects, mediaUrl, randomBytes }: KnowledgeDeps) {
  const { documents } = agents
  const sources = sourceCommands(documents)
  const catalog = catalogQueries(documents)
  const media = agentMediaCommands(documents)
  agents.onLifecycle({ removed: sources.onAgentRemoved })
  agents.onLifecycle({ removed: media.onAgentRemoved })
  return {
    module: moduleOf(sources, catalog, media),
    /** Passages that answer best, for other parts of a node; best first. */
    searchPassages: createPassageSearch(sources),
    effectHandlers: ({ shards }: EffectDeps): Readonly<Record<string, EffectHandler>> => ({
      [pageReadEffect]: createPageReadHandler({ shards, documents, commands: sources.commands, getPage }),
      [removeObjectKind]: ({ name }: RemoveObject) => objects.remove(name),
    }),
    routes: (engine: RouteDeps): Route[] => [
      ...sourceRoutes({ ...engine, sources, catalog, checkUrl }),
      ...agentMediaRoutes({
        ...engine,
        media,
        objects,
        newName: () => idFromBytes('', randomBytes(nameBytes)).slice(1),
        urlOf: mediaUrl,
      }),
    ],
  }
}
export type Knowledge = ReturnType<typeof createKnowledge>
