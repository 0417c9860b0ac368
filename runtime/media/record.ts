/**
 * What is known of each URL's media, kept where state lives. A name is written down before an object is put under it and
 * the object is removed after it has been struck out, so that nothing is kept that nobody knows of.
 */
import { createHash } from 'node:crypto'
import { media as limits } from '../../core/limits.js'
import type { Command, Query, Repertoire, Tx } from '../shard/contract.js'
import { table } from '../store/contract.js'
import type { Objects } from './contract.js'

export interface Kept {
  readonly name: string
  readonly type: string
  readonly bytes: number
  readonly usedAt: number
}

/** Of the URL itself nothing is kept but this: many a URL opens a door to whoever reads it. */
export function hashOf(url: string): string {
  return createHash('sha256').update(url).digest('hex')
}

export const ownerOf = (hash: string) => `media/${hash}`

export const keptTable = table<[hash: string], Kept>('media.kept')
/** Names under which something is being put, each until it is kept or its time is over. */
export const begunTable = table<[hash: string, name: string], true>('media.begun')

export interface OneName {
  readonly hash: string
  readonly name: string
}

const sweepName = 'media.sweep'
const abandonName = 'media.abandon'
const abandonTimer = (name: string) => `${abandonName}:${name}`

/** The effect that takes an object away for good. */
const removeKind = 'mediaRemove'
interface RemoveMedia {
  readonly name: string
}

function remove(tx: Tx, name: string): void {
  const payload: RemoveMedia = { name }
  tx.effect({ kind: removeKind, payload })
}

const begin: Command<OneName, true> = {
  name: 'media.begin',
  decide(tx, { hash, name }, { at }) {
    tx.put(begunTable, [hash, name], true)
    const dueAt = at + limits.unfinishedMs
    tx.schedule({ name: abandonTimer(name), dueAt, command: abandonName, input: { hash, name } })
    return true
  },
}

function strikeOut(tx: Tx, { hash, name }: OneName): void {
  tx.remove(begunTable, [hash, name])
  tx.unschedule(abandonTimer(name))
  remove(tx, name)
}

/** Whoever began it has failed, or has not been heard of for so long that it must have ended. */
const abandon: Command<OneName, true> = {
  name: abandonName,
  decide(tx, which) {
    if (tx.get(begunTable, [which.hash, which.name])) strikeOut(tx, which)
    return true
  },
}

/** What was kept under a name is no longer there. */
const forget: Command<OneName, true> = {
  name: 'media.forget',
  decide(tx, { hash, name }) {
    if (tx.get(keptTable, [hash])?.name !== name) return true
    tx.remove(keptTable, [hash])
    tx.unschedule(sweepName)
    remove(tx, name)
    return true
  },
}

const find: Query<{ readonly hash: string }, Kept | null> = {
  name: 'media.find',
  read: (reader, { hash }) => reader.get(keptTable, [hash]) ?? null,
}

/** How often a use is written down. */
export const usedEveryMs = (timeScale: number) => Math.ceil(limits.usedEveryMs / timeScale)

/** Every command of this area; `timeScale` divides how long media is kept. */
export function mediaCommands({ timeScale }: { readonly timeScale: number }) {
  const keptMs = Math.ceil(limits.keptMs / timeScale)
  /** The last use may be later than the one written down. */
  const endOf = ({ usedAt }: Kept) => usedAt + keptMs + usedEveryMs(timeScale)

  function save(tx: Tx, hash: string, kept: Kept): Kept {
    tx.put(keptTable, [hash], kept)
    tx.schedule({ name: sweepName, dueAt: endOf(kept), command: sweepName, input: { hash } })
    return kept
  }

  /** Answers what is kept of the URL, which another process may have brought first; null when it took too long. */
  const keep: Command<OneName & Pick<Kept, 'type' | 'bytes'>, Kept | null> = {
    name: 'media.keep',
    decide(tx, { hash, name, type, bytes }, { at }) {
      const before = tx.get(keptTable, [hash])
      if (before?.name === name) return before
      if (!tx.get(begunTable, [hash, name])) return null
      if (before) {
        strikeOut(tx, { hash, name })
        return save(tx, hash, { ...before, usedAt: at })
      }
      tx.remove(begunTable, [hash, name])
      tx.unschedule(abandonTimer(name))
      return save(tx, hash, { name, type, bytes, usedAt: at })
    },
  }

  const use: Command<{ readonly hash: string }, Kept | null> = {
    name: 'media.use',
    decide(tx, { hash }, { at }) {
      const kept = tx.get(keptTable, [hash])
      return kept ? save(tx, hash, { ...kept, usedAt: Math.max(at, kept.usedAt) }) : null
    },
  }

  const sweep: Command<{ readonly hash: string }, true> = {
    name: sweepName,
    decide(tx, { hash }, { at }) {
      const kept = tx.get(keptTable, [hash])
      if (!kept) return true
      if (endOf(kept) > at) save(tx, hash, kept)
      else {
        tx.remove(keptTable, [hash])
        remove(tx, kept.name)
      }
      return true
    },
  }

  return { begin, abandon, keep, use, forget, sweep }
}
export type MediaCommands = ReturnType<typeof mediaCommands>

export const mediaQueries = { find }

export function mediaRepertoire(commands: MediaCommands, objects: Objects): Repertoire {
  return {
    commands: Object.values(commands),
    queries: Object.values(mediaQueries),
    performers: () => ({ [removeKind]: ({ name }: RemoveMedia) => objects.remove(name) }),
  }
}
