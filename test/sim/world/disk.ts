/**
 * A node's disk and the store on it; it outlives the node's processes. A commit takes time, and is whole or absent when
 * the process ends meanwhile. With `async` durability the end of the process loses the last unwritten commits, and a
 * power cut loses the unsynced ones.
 */
import {
  type Change,
  type DeferredCommit,
  type DeferredWrite,
  type Store,
  StoreFailed,
} from '../../../runtime/store/contract.js'
import type { Incarnation } from './life.js'
import type { Rng } from './rng.js'
import { createRows, type Rows } from './rows.js'
import { spaceOver } from './space.js'
import type { Timeline } from './timeline.js'

export type Durability = 'synced' | 'async'
export type SpaceName = number | 'own'

export interface Disk {
  /** The node's id as stored in its data; an empty disk gets a new one. */
  id(): string
  open(incarnation: Incarnation, durability: Durability): Store
  /** The current content, for comparison with other copies. */
  rows(space: SpaceName): Rows
  /** Loses the unsynced data; the node's process has ended before. */
  cutPower(): void
  /** A new, empty disk. */
  replace(): void
  /** Factor on all durations; 1 is normal. */
  slow(factor: number): void
  /** Refuses commits until it has room again. */
  fill(isFull: boolean): void
  /** Whether the next commit fails, and with it all later ones of that life. */
  breakNext(breaks: boolean): void
}

interface Waiting extends DeferredCommit {
  readonly space: SpaceName
  isFlushed: boolean
  readonly resolve: () => void
  readonly reject: (error: Error) => void
}

interface Commit extends Waiting {
  readonly changes: readonly Change[]
}

/** Commits that are written together. */
interface Group {
  readonly commits: readonly Commit[]
  /** Whether the operating system has them, so that they outlive the process. */
  isWritten: boolean
}

/** The duration of each step, at least and at most. */
const writeMs = [0.3, 6] as const
const ackMs = [0, 2] as const
const syncMs = [5, 400] as const

export interface DiskOptions {
  readonly node: string
  readonly timeline: Timeline
  readonly rng: Rng
}

export function openDisk({ node, timeline, rng }: DiskOptions): Disk {
  let seen = new Map<SpaceName, Rows>()
  let synced = new Map<SpaceName, Rows>()
  let unsynced: Group[] = []
  let factor = 1
  let isFull = false
  let failsNext = false
  /** Counts disks, so that a pending sync of an old one does not reach a new one. */
  let generation = 0
  const newManifest = () => ({ installation: `made-by-${node}-${generation}`, node: `${node}x${generation}` })
  let manifest = newManifest()

  const took = ([min, max]: readonly [number, number]) => rng.between(min, max) * factor

  function rowsIn(spaces: Map<SpaceName, Rows>, space: SpaceName): Rows {
    const rows = spaces.get(space) ?? createRows()
    spaces.set(space, rows)
    return rows
  }

  function write(commits: readonly Commit[]): void {
    for (const spaces of [seen, synced]) apply(commits, spaces)
  }

  function writeBehind(commits: readonly Commit[], willBeWritten = true): void {
    apply(commits, seen)
    const group = { commits, isWritten: false }
    unsynced.push(group)
    if (!willBeWritten) return
    const on = generation
    timeline.after(took(writeMs), () => {
      if (on === generation) writeUpTo(group)
    })
    timeline.after(took(syncMs), () => {
      if (on === generation) syncUpTo(group)
    })
  }

  function apply(commits: readonly Commit[], spaces: Map<SpaceName, Rows>): void {
    for (const { space, changes } of commits) rowsIn(spaces, space).apply(changes)
  }

  function writeUpTo(group: Group): void {
    for (const each of unsynced.slice(0, unsynced.indexOf(group) + 1)) each.isWritten = true
  }

  function syncUpTo(group: Group): void {
    for (const { commits } of unsynced.splice(0, unsynced.indexOf(group) + 1)) apply(commits, synced)
  }

  /** Removes all but this many of the unsynced groups. */
  function loseAllBut(count: number): void {
    unsynced.length = count
    seen = new Map([...synced].map(([space, rows]) => [space, rows.copy()]))
    for (const { commits } of unsynced) apply(commits, seen)
  }

  function open(incarnation: Incarnation, durability: Durability): Store {
    const submit = durability === 'synced' ? write : writeBehind
    let waiting: Waiting[] = []
    let busy = false
    let underWay: readonly Commit[] | undefined
    let failed: Error | undefined
    let afterFailure: readonly Commit[] | undefined
    let closed = false
    const idlers: (() => void)[] = []

    incarnation.ended(() => {
      // A pending commit may have reached the disk or not, and so may a failed one.
      for (const group of [afterFailure, underWay]) if (group && rng.chance(0.5)) submit(group)
      const written = unsynced.filter(({ isWritten }) => isWritten).length
      loseAllBut(written + rng.below(unsynced.length - written + 1))
    })

    function begin(): void {
      if (busy) return
      if (waiting.length === 0) {
        for (const idle of idlers.splice(0)) idle()
        return
      }
      if (!closed && !waiting.some(({ isFlushed }) => isFlushed)) return
      const batch = waiting
      waiting = []
      if (failed || isFull) {
        const error = failed ?? fullError()
        for (const { reject } of batch) reject(error)
        begin()
        return
      }
      const group = batch.map((each) => ({ ...each, changes: each.collect().map(copyChange) }))
      busy = true
      underWay = group
      timeline.after(took(writeMs), () => incarnation.alive() && finish(group))
    }

    function finish(group: readonly Commit[]): void {
      underWay = undefined
      if (failsNext) {
        failsNext = false
        failed = new StoreFailed('Writing the data failed: the simulated disk is broken.')
        busy = false
        if (durability === 'async') {
          writeBehind(group, false)
          for (const { onCommitted: committed } of group) committed()
          for (const { resolve } of group) resolve()
          begin()
          return
        }
        afterFailure = group
        for (const { reject } of group) reject(failed)
        begin()
        return
      }
      submit(group)
      timeline.after(took(ackMs), () => incarnation.enter(() => completeGroup(group)))
    }

    function completeGroup(group: readonly Commit[]): void {
      busy = false
      for (const { onCommitted: committed } of group) committed()
      // Waiting commits may be requested before or after the callers of this one are answered.
      if (rng.chance(0.5)) begin()
      for (const { resolve } of group) resolve()
      begin()
    }

    function commitDeferred(space: SpaceName, deferred: DeferredCommit): DeferredWrite {
      let flush = () => {}
      if (closed || failed) {
        return { done: Promise.reject(failed ?? new StoreFailed('The store is closed.')), flush }
      }
      const done = incarnation.outside<undefined>((answer) => {
        const resolve = () => answer.resolve(undefined)
        const commit: Waiting = { ...deferred, space, isFlushed: false, resolve, reject: answer.reject }
        waiting.push(commit)
        flush = () => {
          commit.isFlushed = true
          timeline.after(0, () => incarnation.enter(begin))
        }
      })
      return { done, flush }
    }

    const at = (space: SpaceName) =>
      spaceOver(
        () => rowsIn(seen, space),
        (deferred) => commitDeferred(space, deferred),
      )
    const spaces = new Map<number, ReturnType<typeof at>>()
    return {
      space(shard) {
        const space = spaces.get(shard) ?? at(shard)
        spaces.set(shard, space)
        return space
      },
      own: at('own'),
      get identity() {
        return manifest
      },
      adopt: (installation) =>
        incarnation.outside(({ resolve }) => {
          manifest = { ...manifest, installation }
          timeline.after(took(writeMs), () => resolve(undefined))
        }),
      failure: () => failed ?? (isFull ? fullError() : undefined),
      close() {
        closed = true
        return incarnation.outside(({ resolve }) => {
          const done = () => {
            const last = unsynced.at(-1)
            if (last && !failed) syncUpTo(last)
            resolve(undefined)
          }
          if (!busy && waiting.length === 0) done()
          else idlers.push(done)
        })
      },
    }
  }

  return {
    id: () => manifest.node,
    open,
    rows: (space) => rowsIn(seen, space),
    cutPower() {
      generation++
      const lastSynced = unsynced[rng.below(unsynced.length + 1) - 1]
      if (lastSynced) syncUpTo(lastSynced)
      loseAllBut(0)
    },
    replace() {
      generation++
      unsynced = []
      seen = new Map()
      synced = new Map()
      failsNext = false
      manifest = newManifest()
    },
    slow(times) {
      factor = times
    },
    fill(full) {
      isFull = full
    },
    breakNext(breaks) {
      failsNext = breaks
    },
  }
}

function copyChange({ key, value }: Change): Change {
  return { key: Buffer.from(key), value: value && Buffer.from(value) }
}

function fullError(): Error {
  return new StoreFailed('The simulated disk is nearly full.')
}
