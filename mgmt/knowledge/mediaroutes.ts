/** The routes of an agent's media: uploading, listing, reading and deleting pictures and files. */

import { actorOf } from '../../core/access.js'
import { MediaItem } from '../../core/agent/resources/knowledge.js'
import { type AgentPlace, agentKeyOf } from '../../core/agentkey.js'
import { isRefusal, type Refusal, refuse } from '../../core/errors.js'
import { agentLimits, page } from '../../core/limits.js'
import { type Conditions, conditionHeaders, conditionsOf } from '../../runtime/http/etag.js'
import type { Pages } from '../../runtime/http/page.js'
import { paged } from '../../runtime/http/paged.js'
import { json, type Route, route } from '../../runtime/http/route.js'
import type { Shards } from '../../runtime/shard/contract.js'
import type { AgentMediaCommands, KeptMedia, OneUpload } from './media.js'
import { MediaList, MediaListQuery, ofKnowledge, readingMedia, UploadQuery, writingMedia } from './schema.js'

/** Where the bytes of media items are stored, under names that are given once. */
export interface MediaObjects {
  /** What its content says it is; undefined for content that is not kept. */
  typeOf(bytes: Uint8Array): { readonly type: string; readonly extension: string } | undefined
  /** Resolves once all of it is durable, `full` when there is no room for it. */
  put(name: string, bytes: Uint8Array): Promise<'kept' | 'full'>
  /** Of one that is not there, too. */
  remove(name: string): Promise<void>
}

export interface MediaRoutesOptions {
  readonly shards: Shards
  readonly media: AgentMediaCommands
  readonly objects: Pick<MediaObjects, 'typeOf' | 'put'>
  readonly pages: Pages
  /** Letters and digits that nobody can guess. */
  readonly newName: () => string
  /** Where an object of that name is served. */
  readonly urlOf: (object: string) => string
}

const collectionPath = '/orgs/{org}/agents/{agent}/media'
const itemPath = '/orgs/{org}/agents/{agent}/media/{mediaId}'
const placeOf = ({ org: orgId, agent: agentId }: { org: string; agent: string }): AgentPlace => ({ orgId, agentId })

export function agentMediaRoutes(options: MediaRoutesOptions): Route[] {
  const { shards, media, pages, urlOf } = options
  const { commands, queries } = media
  const asRead = ({ item, object }: KeptMedia): MediaItem => ({ ...item, ...(object !== '' && { url: urlOf(object) }) })
  return [
    route({
      ...ofKnowledge,
      access: readingMedia,
      method: 'GET',
      path: collectionPath,
      summary: 'List the media of an agent, in the order of their uploading',
      query: MediaListQuery,
      reply: { 200: MediaList },
      errors: ['request.invalid'],
      async handler({ params, query: { limit = page.defaultRows, pageToken } }) {
        const place = placeOf(params)
        const shown = await shards.read(agentKeyOf(place), queries.list, place)
        if (isRefusal(shown)) return shown
        const items = shown.json!.map(asRead)
        const found = paged(items, { pages, scope: `media:${agentKeyOf(place)}`, limit, pageToken })
        return isRefusal(found) ? found : json(200, found, { etag: shown.etag })
      },
    }),
    route({
      ...ofKnowledge,
      access: writingMedia,
      method: 'POST',
      path: collectionPath,
      summary: 'Upload a picture or a file, as it is; texts show it as image:<id>',
      query: UploadQuery,
      headers: conditionHeaders,
      rawTypes: ['*/*'],
      bodyLimitBytes: agentLimits.media.bytes,
      reply: { 201: MediaItem },
      errors: [
        'request.invalid',
        'request.unsupported_media_type',
        'request.precondition_failed',
        'service.unavailable',
      ],
      async handler({ params, query, body, caller, header }) {
        const place = placeOf(params)
        const kept = await uploaded(options, place, query, body as unknown as Uint8Array, {
          conditions: conditionsOf(header),
          by: actorOf(caller),
        })
        return isRefusal(kept) ? kept : json(201, asRead(kept.json!), { etag: kept.etag })
      },
    }),
    route({
      ...ofKnowledge,
      access: readingMedia,
      method: 'GET',
      path: itemPath,
      summary: 'Read what a media item is and where it is served',
      reply: { 200: MediaItem },
      async handler({ params }) {
        const place = placeOf(params)
        const shown = await shards.read(agentKeyOf(place), queries.read, { ...place, mediaId: params.mediaId })
        return isRefusal(shown) ? shown : json(200, asRead(shown.json!), { etag: shown.etag })
      },
    }),
    route({
      ...ofKnowledge,
      access: writingMedia,
      method: 'DELETE',
      path: itemPath,
      summary: 'Delete a media item that nothing names, with its bytes',
      headers: conditionHeaders,
      reply: { 204: null },
      errors: ['agent.integrity_conflict', 'request.precondition_failed'],
      async handler({ params, caller, header }) {
        const place = placeOf(params)
        const input = { ...place, mediaId: params.mediaId, ...conditionsOf(header) }
        const removed = await shards.ask(agentKeyOf(place), commands.remove, input, { by: actorOf(caller) })
        return isRefusal(removed) ? removed : { status: 204, headers: { etag: removed.etag } }
      },
    }),
  ]
}

const unknownContent = refuse('request.unsupported_media_type', {
  detail: 'The content is of a kind that is not kept. Pictures, films, sound, PDF, contacts and calendars are.',
})
const noRoom = refuse('service.unavailable', {
  detail: 'There is no room to keep more media just now.',
  headers: { 'retry-after': '60' },
})

/** The type is told by the content, whatever the request called it. */
async function uploaded(
  { shards, media: { commands, queries }, objects, newName }: MediaRoutesOptions,
  place: AgentPlace,
  { id, name }: { readonly id?: string; readonly name?: string },
  bytes: Uint8Array,
  { conditions, by }: { readonly conditions: Conditions; readonly by: ReturnType<typeof actorOf> },
): Promise<{ readonly json?: KeptMedia; readonly etag: string } | Refusal> {
  const owner = agentKeyOf(place)
  const type = objects.typeOf(bytes)
  if (!type) return unknownContent
  // Of an agent that is not there nothing is begun.
  const agent = await shards.read(owner, queries.list, place)
  if (isRefusal(agent)) return agent
  const upload: OneUpload = { ...place, name: `${newName()}.${type.extension}` }
  const begun = await shards.ask(owner, commands.begin, upload)
  if (isRefusal(begun)) return begun
  // If this does not reach its shard, the timer that was set when it began does the same.
  const abandon = () => shards.ask(owner, commands.abandon, upload)
  try {
    if ((await objects.put(upload.name, bytes)) === 'full') {
      await abandon()
      return noRoom
    }
  } catch (error) {
    await abandon()
    throw error
  }
  const about = { contentType: type.type, bytes: bytes.length }
  const item = { ...(id !== undefined && { id }), ...(name !== undefined && { name }), ...about }
  const kept = await shards.ask(owner, commands.add, { ...upload, item, ...conditions }, { by })
  if (isRefusal(kept)) await abandon()
  return kept
}
