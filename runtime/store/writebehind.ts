/** Write-behind: commits are visible to readers at once, and a transaction at a time writes them to the file. */

import type { Commit } from './commits.js'
import type { Change } from './contract.js'
import type { Environment, StoredRow } from './environment.js'
import { store as limits } from './limits.js'
import { isWithin } from './range.js'

/**
 * The file always holds a prefix of the commits, and every transaction is synced as the environment below syncs it. A
 * transaction holds all commits since the previous one, each key once, and begins `everyMs` after that one began, or
 * later. A commit waits while too many bytes are unwritten. After a failed transaction reads still return every
 * accepted commit, and no further commit is accepted.
 */
export function withWriteBehind(environment: Environment, everyMs: number = limits.writeBehindMs): Environment {
  let pending = createUnwrittenChanges()
  let inFlight = createUnwrittenChanges()
  /** The pause before a transaction and the transaction itself; never rejects. */
  let step = Promise.resolve()
  let isWriting = false
  let isClosing = false
  let startedAt = Number.NEGATIVE_INFINITY
  let endPause = () => {}
  let failure: Error | undefined

  async function writeAll(): Promise<void> {
    isWriting = true
    while (pending.bytes > 0 && !failure) {
      step = writePending()
      await step
    }
    isWriting = false
  }

  async function writePending(): Promise<void> {
    await pause()
    startedAt = performance.now()
    inFlight = pending
    pending = createUnwrittenChanges()
    try {
      await environment.write(inFlight.commits())
      inFlight = createUnwrittenChanges()
    } catch (error) {
      failure = error as Error
    }
  }

  async function pause(): Promise<void> {
    const ms = startedAt + everyMs - performance.now()
    if (ms <= 0 || isClosing) return
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, ms)
      endPause = () => {
        clearTimeout(timer)
        resolve()
      }
    })
  }

  /** Runs the next transaction without the pause before it. */
  async function nextStep(): Promise<void> {
    endPause()
    await step
  }

  /** Resolves once the file has every commit before the call. */
  async function flush(): Promise<void> {
    const last = pending.bytes > 0 ? pending : inFlight
    while (last.bytes > 0 && (last === pending || last === inFlight) && !failure) await nextStep()
    if (failure) throw failure
  }

  /** Unwritten changes within these bounds, in order: the newest of each key. */
  function changesWithin(space: number, bounds: Parameters<Environment['slice']>[1]): Change[] {
    const newest = new Map<string, Change>()
    const [least, most] = [bounds.start, bounds.end].map(nameOf).sort() as [string, string]
    for (const { spaces } of [inFlight, pending]) {
      for (const [name, change] of spaces.get(space) ?? []) {
        // Comparing names takes a fifth of the time of comparing bytes.
        if (name >= least && name <= most && isWithin(change.key, bounds)) newest.set(name, change)
      }
    }
    const direction = bounds.reverse ? -1 : 1
    return [...newest.values()].sort((a, b) => direction * Buffer.compare(a.key, b.key))
  }

  return {
    get(space, key) {
      const [newer, older] = [pending.spaces.get(space), inFlight.spaces.get(space)]
      if (!newer && !older) return environment.get(space, key)
      const name = nameOf(key)
      const change = newer?.get(name) ?? older?.get(name)
      return change ? change.value : environment.get(space, key)
    },
    slice(space, bounds, rows) {
      const changes = changesWithin(space, bounds)
      if (changes.length === 0) return environment.slice(space, bounds, rows)
      const stored = environment.slice(space, bounds, rows + changes.length)
      return merge(stored, changes, bounds.reverse ? -1 : 1).slice(0, rows)
    },
    async write(commits) {
      while (pending.bytes >= limits.unwrittenBytes && !failure) await nextStep()
      if (failure) throw failure
      for (const commit of commits) pending.add(commit)
      if (!isWriting) void writeAll()
    },
    async copyTo(path) {
      await flush()
      await environment.copyTo(path)
    },
    failure: () => failure ?? environment.failure(),
    async close() {
      isClosing = true
      await flush().catch(() => undefined)
      await environment.close()
    },
  }
}

interface UnwrittenChanges {
  /** By the number of the space and the bytes of the key. */
  readonly spaces: ReadonlyMap<number, ReadonlyMap<string, Change>>
  readonly bytes: number
  add(commit: Commit): void
  commits(): Commit[]
}

function createUnwrittenChanges(): UnwrittenChanges {
  const spaces = new Map<number, Map<string, Change>>()
  let bytes = 0
  return {
    spaces,
    get bytes() {
      return bytes
    },
    add({ space, changes }) {
      let spaceChanges = spaces.get(space)
      if (!spaceChanges) {
        spaceChanges = new Map()
        spaces.set(space, spaceChanges)
      }
      for (const change of changes) {
        spaceChanges.set(nameOf(change.key), change)
        bytes += change.key.length + (change.value?.length ?? 0)
      }
    },
    commits: () => Array.from(spaces, ([space, spaceChanges]) => ({ space, changes: [...spaceChanges.values()] })),
  }
}

function nameOf(key: Uint8Array): string {
  return Buffer.from(key.buffer, key.byteOffset, key.length).latin1Slice()
}

/** The stored rows with the changes applied; both come in that direction. */
function merge(stored: readonly StoredRow[], changes: readonly Change[], direction: number): StoredRow[] {
  const rows: StoredRow[] = []
  let at = 0
  for (const change of changes) {
    while (at < stored.length && direction * Buffer.compare(stored[at]!.key, change.key) < 0) rows.push(stored[at++]!)
    if (at < stored.length && stored[at]!.key.equals(change.key)) at++
    if (change.value) rows.push({ key: change.key, value: change.value })
  }
  return rows.concat(stored.slice(at))
}
