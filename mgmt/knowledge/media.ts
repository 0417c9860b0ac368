/**
 * Media items of an agent. The bytes are objects under names that cannot be guessed. A name is recorded before its
 * object is stored, and the object is removed after its record, so no object exists without a record or a pending
 * removal.
 */

import type { MediaItem } from '../../core/agent/resources/knowledge.js'
import type { AgentRef } from '../../core/agentref.js'
import { isRefusal, refuse } from '../../core/errors.js'
import { knowledge as limits } from '../../core/limits/index.js'
import type { Conditions } from '../../runtime/http/etag.js'
import type { Command, Query, Tx } from '../../runtime/shard/contract.js'
import { table } from '../../runtime/store/contract.js'
import { objectOf, objectTable } from '../agents/mediaobjects.js'
import { type Documents, type EndpointView, readEndpoint, writeEndpoint } from './document.js'

/** Object names with an upload in progress. */
const uploadTable = table<[orgId: string, agentId: string, name: string], true>('knowledge.uploads')

export interface UploadRef extends AgentRef {
  readonly name: string
}

/** The effect that removes an object. */
export const removeObjectKind = 'agentMediaRemove'
export interface RemoveObject {
  readonly name: string
}

const endpoints = {
  list: 'GET /media',
  read: 'GET /media/{mediaId}',
  addMedia: 'POST /media',
  remove: 'DELETE /media/{mediaId}',
} as const

/** An item with its object name; the caller turns the name into a URL. */
export interface StoredMedia {
  readonly item: MediaItem
  readonly object: string
}

interface AddMedia extends UploadRef, Conditions {
  readonly item: { readonly id?: string; readonly name?: string; readonly contentType: string; readonly bytes: number }
}

const abandonCommand = 'knowledge.abandonUpload'
const timerName = (name: string) => `${abandonCommand}:${name}`

function removeObject(tx: Tx, name: string): void {
  const payload: RemoveObject = { name }
  tx.emit({ kind: removeObjectKind, payload })
}

const beginUpload: Command<UploadRef, true> = {
  name: 'knowledge.beginUpload',
  decide(tx, { orgId, agentId, name }, { at }) {
    tx.put(uploadTable, [orgId, agentId, name], true)
    const dueAt = at + limits.unfinishedMs
    tx.schedule({ name: timerName(name), dueAt, command: abandonCommand, input: { orgId, agentId, name } })
    return true
  },
}

/** Ends an upload that failed or that exceeded its time. */
const abandonUpload: Command<UploadRef, true> = {
  name: abandonCommand,
  decide(tx, upload) {
    if (endUpload(tx, upload)) removeObject(tx, upload.name)
    return true
  },
}

/** False if the upload is not on record. */
function endUpload(tx: Tx, { orgId, agentId, name }: UploadRef): boolean {
  if (!tx.get(uploadTable, [orgId, agentId, name])) return false
  tx.remove(uploadTable, [orgId, agentId, name])
  tx.unschedule(timerName(name))
  return true
}

export function agentMediaCommands(documents: Documents) {
  const addMedia: Command<AddMedia, EndpointView<StoredMedia>> = {
    name: 'knowledge.addMedia',
    decide(tx, { orgId, agentId, name, item: body, ifMatch, ifNoneMatch }, meta) {
      const agent = { orgId, agentId }
      if (!endUpload(tx, { ...agent, name })) return uploadExpired
      const view = writeEndpoint<MediaItem>(
        documents,
        tx,
        agent,
        endpoints.addMedia,
        { body, ifMatch, ifNoneMatch },
        meta,
      )
      if (isRefusal(view)) return view
      const item = view.json!
      tx.put(objectTable, [orgId, agentId, item.id], name)
      return { etag: view.etag, json: { item, object: name } }
    },
  }

  const removeMedia: Command<AgentRef & Conditions & { readonly mediaId: string }, { etag: string }> = {
    name: 'knowledge.removeMedia',
    decide(tx, { orgId, agentId, mediaId, ifMatch, ifNoneMatch }, meta) {
      const agent = { orgId, agentId }
      const view = writeEndpoint(
        documents,
        tx,
        agent,
        endpoints.remove,
        { params: { mediaId }, ifMatch, ifNoneMatch },
        meta,
      )
      if (isRefusal(view)) return view
      const object = objectOf(tx, agent, mediaId)
      tx.remove(objectTable, [orgId, agentId, mediaId])
      if (object !== undefined) removeObject(tx, object)
      return { etag: view.etag }
    },
  }

  const list: Query<AgentRef, EndpointView<StoredMedia[]>> = {
    name: 'knowledge.media',
    read(reader, agent) {
      const view = readEndpoint<MediaItem[]>(documents, reader, agent, endpoints.list)
      if (isRefusal(view)) return view
      const items = view.json!.map((item) => ({ item, object: objectOf(reader, agent, item.id) ?? '' }))
      return { etag: view.etag, json: items }
    },
  }

  const read: Query<AgentRef & { readonly mediaId: string }, EndpointView<StoredMedia>> = {
    name: 'knowledge.mediaItem',
    read(reader, { orgId, agentId, mediaId }) {
      const agent = { orgId, agentId }
      const view = readEndpoint<MediaItem>(documents, reader, agent, endpoints.read, { mediaId })
      if (isRefusal(view)) return view
      return { etag: view.etag, json: { item: view.json!, object: objectOf(reader, agent, mediaId) ?? '' } }
    },
  }

  /** Removes all media records and objects in the commit that deletes the agent. */
  function onAgentRemoved(tx: Tx, { orgId, agentId }: AgentRef): void {
    for (const { key, value } of [...tx.range(objectTable, { prefix: [orgId, agentId] })]) {
      tx.remove(objectTable, key)
      removeObject(tx, value)
    }
    for (const { key } of [...tx.range(uploadTable, { prefix: [orgId, agentId] })]) {
      const upload = { orgId, agentId, name: key[2] }
      if (endUpload(tx, upload)) removeObject(tx, upload.name)
    }
  }

  return { commands: { beginUpload, abandonUpload, addMedia, removeMedia }, queries: { list, read }, onAgentRemoved }
}
export type AgentMediaCommands = ReturnType<typeof agentMediaCommands>

const uploadExpired = refuse('service.unavailable', {
  detail: 'The upload took too long to be kept. Try again.',
  headers: { 'retry-after': '1' },
})
