/**
 * Commands and tables of media records by URL. A name is recorded before its object is stored, and the object is
 * removed after its record, so no object exists without a record.
 */
import { createHash } from 'node:crypto'
import { media as limits } from '../../core/limits/index.js'
import { scaledMs } from '../../core/time.js'
import type { Command, Handlers, Query, Tx } from '../shard/contract.js'
import { table } from '../store/contract.js'
import type { MediaStore } from './contract.js'

export interface MediaRecord {
  readonly name: string
  readonly type: string
  readonly bytes: number
  readonly touchedAt: number
}

/** Only this hash of the URL is stored: many URLs give access to anyone who reads them. */
export function hashOf(url: string): string {
  return createHash('sha256').update(url).digest('hex')
}

export const ownerOf = (hash: string) => `media/${hash}`

export const recordTable = table<[hash: string], MediaRecord>('media.records')
/** Names of objects being stored, each until `finish` or a timeout. */
export const unfinishedTable = table<[hash: string, name: string], true>('media.unfinished')

export interface MediaName {
  readonly hash: string
  readonly name: string
}

const sweepName = 'media.sweep'
const abandonName = 'media.abandon'
const abandonTimer = (name: string) => `${abandonName}:${name}`

/** The effect that deletes an object. */
const removeKind = 'mediaRemove'
interface RemoveMedia {
  readonly name: string
}

function remove(tx: Tx, name: string): void {
  const payload: RemoveMedia = { name }
  tx.emit({ kind: removeKind, payload })
}

const begin: Command<MediaName, true> = {
  name: 'media.begin',
  decide(tx, { hash, name }, { at }) {
    tx.put(unfinishedTable, [hash, name], true)
    const dueAt = at + limits.unfinishedMs
    tx.schedule({ name: abandonTimer(name), dueAt, command: abandonName, input: { hash, name } })
    return true
  },
}

function discardUnfinished(tx: Tx, { hash, name }: MediaName): void {
  tx.remove(unfinishedTable, [hash, name])
  tx.unschedule(abandonTimer(name))
  remove(tx, name)
}

/** The fetch has failed, or has taken so long that it must have ended. */
const abandon: Command<MediaName, true> = {
  name: abandonName,
  decide(tx, mediaName) {
    if (tx.get(unfinishedTable, [mediaName.hash, mediaName.name])) discardUnfinished(tx, mediaName)
    return true
  },
}

/** Removes a record whose object is missing. */
const drop: Command<MediaName, true> = {
  name: 'media.drop',
  decide(tx, { hash, name }) {
    if (tx.get(recordTable, [hash])?.name !== name) return true
    tx.remove(recordTable, [hash])
    tx.unschedule(sweepName)
    remove(tx, name)
    return true
  },
}

const find: Query<{ readonly hash: string }, MediaRecord | null> = {
  name: 'media.find',
  read: (reader, { hash }) => reader.get(recordTable, [hash]) ?? null,
}

/** The minimum interval between recorded uses. */
export const touchEveryMs = (timeScale: number) => scaledMs(limits.usedEveryMs, timeScale)

/** All commands of media records; `timeScale` divides the retention time. */
export function mediaCommands({ timeScale }: { readonly timeScale: number }) {
  const retentionMs = scaledMs(limits.retentionMs, timeScale)
  /** The last use may be later than the recorded one. */
  const expiresAt = ({ touchedAt }: MediaRecord) => touchedAt + retentionMs + touchEveryMs(timeScale)

  function save(tx: Tx, hash: string, record: MediaRecord): MediaRecord {
    tx.put(recordTable, [hash], record)
    tx.schedule({ name: sweepName, dueAt: expiresAt(record), command: sweepName, input: { hash } })
    return record
  }

  /** Returns the record of the URL, which another process may have stored first; null when the fetch had timed out. */
  const finish: Command<MediaName & Pick<MediaRecord, 'type' | 'bytes'>, MediaRecord | null> = {
    name: 'media.finish',
    decide(tx, { hash, name, type, bytes }, { at }) {
      const existing = tx.get(recordTable, [hash])
      if (existing?.name === name) return existing
      if (!tx.get(unfinishedTable, [hash, name])) return null
      if (existing) {
        discardUnfinished(tx, { hash, name })
        return save(tx, hash, { ...existing, touchedAt: at })
      }
      tx.remove(unfinishedTable, [hash, name])
      tx.unschedule(abandonTimer(name))
      return save(tx, hash, { name, type, bytes, touchedAt: at })
    },
  }

  const touch: Command<{ readonly hash: string }, MediaRecord | null> = {
    name: 'media.touch',
    decide(tx, { hash }, { at }) {
      const record = tx.get(recordTable, [hash])
      return record ? save(tx, hash, { ...record, touchedAt: Math.max(at, record.touchedAt) }) : null
    },
  }

  const sweep: Command<{ readonly hash: string }, true> = {
    name: sweepName,
    decide(tx, { hash }, { at }) {
      const record = tx.get(recordTable, [hash])
      if (!record) return true
      if (expiresAt(record) > at) save(tx, hash, record)
      else {
        tx.remove(recordTable, [hash])
        remove(tx, record.name)
      }
      return true
    },
  }

  return { begin, abandon, finish, touch, drop, sweep }
}
export type MediaCommands = ReturnType<typeof mediaCommands>

export const mediaQueries = { find }

export function mediaHandlers(commands: MediaCommands, store: MediaStore): Handlers {
  return {
    commands: Object.values(commands),
    queries: Object.values(mediaQueries),
    effectHandlers: () => ({ [removeKind]: ({ name }: RemoveMedia) => store.remove(name) }),
  }
}
