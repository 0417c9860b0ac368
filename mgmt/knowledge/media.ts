/**
 * Media items of an agent. Their bytes are objects under names that nobody can guess; a name is on record before its
 * object is put, and the object is removed after its record, so that nothing is kept that nobody knows of.
 */

import type { MediaItem } from '../../core/agent/resources/knowledge.js'
import type { AgentPlace } from '../../core/agentkey.js'
import { isRefusal, refuse } from '../../core/errors.js'
import { knowledge as limits } from '../../core/limits.js'
import type { Conditions } from '../../runtime/http/etag.js'
import type { Command, Query, Tx } from '../../runtime/shard/contract.js'
import { table } from '../../runtime/store/contract.js'
import { objectOf, objectTable } from '../agents/mediaobjects.js'
import { type Documents, type Shown, viewRow, writeRow } from './document.js'

/** Names under which something is being put. */
const begunTable = table<[orgId: string, agentId: string, name: string], true>('knowledge.uploads')

export interface OneUpload extends AgentPlace {
  readonly name: string
}

/** The effect that takes an object away for good. */
export const removeObjectKind = 'agentMediaRemove'
export interface RemoveObject {
  readonly name: string
}

const rows = {
  list: 'GET /media',
  read: 'GET /media/{mediaId}',
  add: 'POST /media',
  remove: 'DELETE /media/{mediaId}',
} as const

/** An item with the name of its object; where that is served is known to whoever answers. */
export interface KeptMedia {
  readonly item: MediaItem
  readonly object: string
}

interface AddMedia extends OneUpload, Conditions {
  readonly item: { readonly id?: string; readonly name?: string; readonly contentType: string; readonly bytes: number }
}

const abandonName = 'knowledge.abandon'
const timerOf = (name: string) => `${abandonName}:${name}`

function removeObject(tx: Tx, name: string): void {
  const payload: RemoveObject = { name }
  tx.effect({ kind: removeObjectKind, payload })
}

const begin: Command<OneUpload, true> = {
  name: 'knowledge.begin',
  decide(tx, { orgId, agentId, name }, { at }) {
    tx.put(begunTable, [orgId, agentId, name], true)
    const dueAt = at + limits.unfinishedMs
    tx.schedule({ name: timerOf(name), dueAt, command: abandonName, input: { orgId, agentId, name } })
    return true
  },
}

/** Whoever began it has failed, or has not been heard of for so long that it must have ended. */
const abandon: Command<OneUpload, true> = {
  name: abandonName,
  decide(tx, upload) {
    if (ended(tx, upload)) removeObject(tx, upload.name)
    return true
  },
}

/** False when it was not, or is no longer, on record. */
function ended(tx: Tx, { orgId, agentId, name }: OneUpload): boolean {
  if (!tx.get(begunTable, [orgId, agentId, name])) return false
  tx.remove(begunTable, [orgId, agentId, name])
  tx.unschedule(timerOf(name))
  return true
}

export function agentMediaCommands(documents: Documents) {
  const add: Command<AddMedia, Shown<KeptMedia>> = {
    name: 'knowledge.keep',
    decide(tx, { orgId, agentId, name, item: body, ifMatch, ifNoneMatch }, told) {
      const place = { orgId, agentId }
      if (!ended(tx, { ...place, name })) return tooLate
      const shown = writeRow<MediaItem>(documents, tx, place, rows.add, { body, ifMatch, ifNoneMatch }, told)
      if (isRefusal(shown)) return shown
      const item = shown.json!
      tx.put(objectTable, [orgId, agentId, item.id], name)
      return { etag: shown.etag, json: { item, object: name } }
    },
  }

  const remove: Command<AgentPlace & Conditions & { readonly mediaId: string }, { etag: string }> = {
    name: 'knowledge.drop',
    decide(tx, { orgId, agentId, mediaId, ifMatch, ifNoneMatch }, told) {
      const place = { orgId, agentId }
      const shown = writeRow(documents, tx, place, rows.remove, { params: { mediaId }, ifMatch, ifNoneMatch }, told)
      if (isRefusal(shown)) return shown
      const object = objectOf(tx, place, mediaId)
      tx.remove(objectTable, [orgId, agentId, mediaId])
      if (object !== undefined) removeObject(tx, object)
      return { etag: shown.etag }
    },
  }

  const list: Query<AgentPlace, Shown<KeptMedia[]>> = {
    name: 'knowledge.media',
    read(reader, place) {
      const shown = viewRow<MediaItem[]>(documents, reader, place, rows.list)
      if (isRefusal(shown)) return shown
      const items = shown.json!.map((item) => ({ item, object: objectOf(reader, place, item.id) ?? '' }))
      return { etag: shown.etag, json: items }
    },
  }

  const read: Query<AgentPlace & { readonly mediaId: string }, Shown<KeptMedia>> = {
    name: 'knowledge.mediaItem',
    read(reader, { orgId, agentId, mediaId }) {
      const place = { orgId, agentId }
      const shown = viewRow<MediaItem>(documents, reader, place, rows.read, { mediaId })
      if (isRefusal(shown)) return shown
      return { etag: shown.etag, json: { item: shown.json!, object: objectOf(reader, place, mediaId) ?? '' } }
    },
  }

  /** The agent goes, and all objects with it. */
  function removed(tx: Tx, { orgId, agentId }: AgentPlace): void {
    for (const { key, value } of [...tx.range(objectTable, { prefix: [orgId, agentId] })]) {
      tx.remove(objectTable, key)
      removeObject(tx, value)
    }
    for (const { key } of [...tx.range(begunTable, { prefix: [orgId, agentId] })]) {
      const upload = { orgId, agentId, name: key[2] }
      if (ended(tx, upload)) removeObject(tx, upload.name)
    }
  }

  return { commands: { begin, abandon, add, remove }, queries: { list, read }, removed }
}
export type AgentMediaCommands = ReturnType<typeof agentMediaCommands>

const tooLate = refuse('service.unavailable', {
  detail: 'The upload took too long to be kept. Try again.',
  headers: { 'retry-after': '1' },
})
