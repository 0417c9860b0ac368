/** Routes of an agent's media: upload, list, read and delete pictures and files. */

import { actorOf } from '../../core/access.js'
import { MediaItem } from '../../core/agent/resources/knowledge.js'
import { type AgentRef, formatAgentKey } from '../../core/agentref.js'
import { isRefusal, type Refusal, refuse } from '../../core/errors.js'
import { agentLimits, page } from '../../core/limits/index.js'
import { type Conditions, conditionHeaders, conditionsOf } from '../../runtime/http/etag.js'
import type { PageTokens } from '../../runtime/http/pagetokens.js'
import { paginate } from '../../runtime/http/pagination.js'
import { json, type Route, route } from '../../runtime/http/route.js'
import type { Shards } from '../../runtime/shard/contract.js'
import type { AgentMediaCommands, StoredMedia, UploadRef } from './media.js'
import { MediaList, MediaListQuery, mediaReadAccess, mediaWriteAccess, ofKnowledge, UploadQuery } from './schema.js'

/** Storage of media bytes. Each name is used once. */
export interface MediaObjects {
  /** The type that the bytes themselves show; undefined for a type that is not stored. */
  typeOf(bytes: Uint8Array): { readonly type: string; readonly extension: string } | undefined
  /** Resolves when all bytes are durable, or with `full` when the storage has no room. */
  put(name: string, bytes: Uint8Array): Promise<'stored' | 'full'>
  /** Resolves for an object that does not exist, too. */
  remove(name: string): Promise<void>
}

export interface MediaRoutesOptions {
  readonly shards: Shards
  readonly media: AgentMediaCommands
  readonly objects: Pick<MediaObjects, 'typeOf' | 'put'>
  readonly pages: PageTokens
  /** Letters and digits that cannot be guessed. */
  readonly newName: () => string
  /** The public URL of a stored object. */
  readonly urlOf: (object: string) => string
}

const collectionPath = '/orgs/{org}/agents/{agent}/media'
const itemPath = '/orgs/{org}/agents/{agent}/media/{mediaId}'
const agentRefOf = ({ org: orgId, agent: agentId }: { org: string; agent: string }): AgentRef => ({ orgId, agentId })

export function agentMediaRoutes(options: MediaRoutesOptions): Route[] {
  const { shards, media, pages, urlOf } = options
  const { commands, queries } = media
  const toMediaView = ({ item, object }: StoredMedia): MediaItem => ({
    ...item,
    ...(object !== '' && { url: urlOf(object) }),
  })
  return [
    route({
      ...ofKnowledge,
      access: mediaReadAccess,
      method: 'GET',
      path: collectionPath,
      summary: 'List the media of an agent, in the order of their uploading',
      query: MediaListQuery,
      reply: { 200: MediaList },
      errors: ['request.invalid'],
      async handler({ params, query: { limit = page.defaultRows, pageToken } }) {
        const agent = agentRefOf(params)
        const view = await shards.query(formatAgentKey(agent), queries.list, agent)
        if (isRefusal(view)) return view
        const items = view.json!.map(toMediaView)
        const mediaList = paginate(items, {
          pageTokens: pages,
          scope: `media:${formatAgentKey(agent)}`,
          limit,
          pageToken,
        })
        return isRefusal(mediaList) ? mediaList : json(200, mediaList, { etag: view.etag })
      },
    }),
    route({
      ...ofKnowledge,
      access: mediaWriteAccess,
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
        const agent = agentRefOf(params)
        const stored = await uploadMedia(options, agent, query, body as unknown as Uint8Array, {
          conditions: conditionsOf(header),
          by: actorOf(caller),
        })
        return isRefusal(stored) ? stored : json(201, toMediaView(stored.json!), { etag: stored.etag })
      },
    }),
    route({
      ...ofKnowledge,
      access: mediaReadAccess,
      method: 'GET',
      path: itemPath,
      summary: 'Read what a media item is and where it is served',
      reply: { 200: MediaItem },
      async handler({ params }) {
        const agent = agentRefOf(params)
        const view = await shards.query(formatAgentKey(agent), queries.read, { ...agent, mediaId: params.mediaId })
        return isRefusal(view) ? view : json(200, toMediaView(view.json!), { etag: view.etag })
      },
    }),
    route({
      ...ofKnowledge,
      access: mediaWriteAccess,
      method: 'DELETE',
      path: itemPath,
      summary: 'Delete a media item that nothing names, with its bytes',
      headers: conditionHeaders,
      reply: { 204: null },
      errors: ['agent.integrity_conflict', 'request.precondition_failed'],
      async handler({ params, caller, header }) {
        const agent = agentRefOf(params)
        const input = { ...agent, mediaId: params.mediaId, ...conditionsOf(header) }
        const removed = await shards.execute(formatAgentKey(agent), commands.removeMedia, input, {
          by: actorOf(caller),
        })
        return isRefusal(removed) ? removed : { status: 204, headers: { etag: removed.etag } }
      },
    }),
  ]
}

const unknownContent = refuse('request.unsupported_media_type', {
  detail: 'The content is of a kind that is not kept. Pictures, films, sound, PDF, contacts and calendars are.',
})
const storageFull = refuse('service.unavailable', {
  detail: 'There is no room to keep more media just now.',
  headers: { 'retry-after': '60' },
})

/** The bytes decide the type; the content type of the request does not count. */
async function uploadMedia(
  { shards, media: { commands, queries }, objects, newName }: MediaRoutesOptions,
  agentRef: AgentRef,
  { id, name }: { readonly id?: string; readonly name?: string },
  bytes: Uint8Array,
  { conditions, by }: { readonly conditions: Conditions; readonly by: ReturnType<typeof actorOf> },
): Promise<{ readonly json?: StoredMedia; readonly etag: string } | Refusal> {
  const owner = formatAgentKey(agentRef)
  const type = objects.typeOf(bytes)
  if (!type) return unknownContent
  // An upload does not begin for an agent that does not exist.
  const agent = await shards.query(owner, queries.list, agentRef)
  if (isRefusal(agent)) return agent
  const upload: UploadRef = { ...agentRef, name: `${newName()}.${type.extension}` }
  const started = await shards.execute(owner, commands.beginUpload, upload)
  if (isRefusal(started)) return started
  // If this command does not reach the shard, the timer set by beginUpload abandons the upload.
  const abandonUpload = () => shards.execute(owner, commands.abandonUpload, upload)
  try {
    if ((await objects.put(upload.name, bytes)) === 'full') {
      await abandonUpload()
      return storageFull
    }
  } catch (error) {
    await abandonUpload()
    throw error
  }
  const mediaInfo = { contentType: type.type, bytes: bytes.length }
  const item = { ...(id !== undefined && { id }), ...(name !== undefined && { name }), ...mediaInfo }
  const stored = await shards.execute(owner, commands.addMedia, { ...upload, item, ...conditions }, { by })
  if (isRefusal(stored)) await abandonUpload()
  return stored
}
