/** Puts together what an agent knows and is shown with: sources, media, places of addresses, and the language model. */
import type { AgentPlace } from '../core/agentkey.js'
import { idFromBytes } from '../core/ids.js'
import type { AgentDocumentDoor } from '../mgmt/knowledge/document.js'
import { objectOf } from '../mgmt/knowledge/media.js'
import { agentMediaRoutes, type MediaObjects } from '../mgmt/knowledge/mediaroutes.js'
import { knowledgeRepertoire, openKnowledge } from '../mgmt/knowledge/repertoire.js'
import { sourceRoutes } from '../mgmt/knowledge/routes.js'
import type { Clock } from './clock.js'
import type { Config } from './config.js'
import { openGeocoder } from './geocode/open.js'
import type { Pages } from './http/page.js'
import type { Route } from './http/route.js'
import { openPageReader } from './knowledge/page.js'
import { NoRoom, type Objects } from './media/contract.js'
import { typeOf } from './media/types.js'
import { openModel } from './model/open.js'
import type { Shards } from './shard/contract.js'
import type { Reader } from './store/contract.js'
import { checkUrl } from './webhook/guard.js'

export interface KnowledgeOptions {
  readonly config: Config
  readonly documents: AgentDocumentDoor
  readonly objects: Objects
  readonly clock: Clock
  readonly randomBytes: (count: number) => Uint8Array
  /** Where the gateway is reached, without its version prefix. */
  readonly gatewayUrl: () => string
}

/** As many as the name of an object takes. */
const nameBytes = 17

export function openKnowing({ config, documents, objects, clock, randomBytes, gatewayUrl }: KnowledgeOptions) {
  const policy = { allowPrivate: config.allowPrivateUrls }
  const knowledge = openKnowledge(documents)
  const pageReader = openPageReader(policy)
  const { geocoderUrl, modelUrl, modelKey, modelName } = config
  const geocoder = geocoderUrl ? openGeocoder({ url: geocoderUrl, clock, publicUrl: gatewayUrl }) : undefined
  const model = modelUrl ? openModel({ url: modelUrl, key: modelKey, name: modelName }) : undefined
  const urlOf = (object: string) => `${gatewayUrl()}/v4/media/${object}`
  return {
    /** Where what `image:<id>` names is served. */
    pictureUrl(reader: Reader, place: AgentPlace, mediaId: string): string | undefined {
      const object = objectOf(reader, place, mediaId)
      return object === undefined ? undefined : urlOf(object)
    },
    /** What of this comes and goes with an agent. */
    part: knowledge.part,
    repertoire: knowledgeRepertoire(knowledge, {
      getPage: pageReader.get,
      removeObject: (name) => objects.remove(name),
    }),
    /** What the routes of the document ask before they ask the document. */
    around: { clock, ...(geocoder && { geocode: geocoder.geocode }), ...(model && { model }) },
    routes({ shards, pages }: { readonly shards: Shards; readonly pages: Pages }): Route[] {
      const { sources, media } = knowledge
      return [
        ...sourceRoutes({ shards, sources, pages, checkUrl: (url) => checkUrl(url, policy) }),
        ...agentMediaRoutes({
          shards,
          media,
          pages,
          objects: objectsOf(objects),
          newName: () => idFromBytes('', randomBytes(nameBytes)).slice(1),
          urlOf,
        }),
      ]
    },
    async close(): Promise<void> {
      await Promise.all([pageReader.close(), geocoder?.close(), model?.close()])
    },
  }
}

function objectsOf(objects: Objects): MediaObjects {
  return {
    typeOf: (bytes) => typeOf(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)),
    async put(name, bytes) {
      try {
        await objects.put(name, whole(bytes))
        return 'kept'
      } catch (error) {
        if (error instanceof NoRoom) return 'full'
        throw error
      }
    },
  }
}

async function* whole(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes
}
