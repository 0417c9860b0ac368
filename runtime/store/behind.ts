/** Lets the file follow: a commit is there for readers as soon as it is taken, and is written behind them. */
import { store as limits } from '../../core/limits.js'
import type { Commit } from './commits.js'
import type { Change } from './contract.js'
import type { Environment, Stored } from './environment.js'
import { isWithin } from './range.js'

/**
 * What is written is always a beginning of what was taken: one transaction at a time holds everything that came during
 * the one before, each key once. A commit waits only while too much is unwritten. When a transaction fails, everything
 * that was taken is still read, and nothing more is taken.
 */
export function writtenBehind(environment: Environment): Environment {
  let taken = unwritten()
  let underWay = unwritten()
  let working: Promise<void> | undefined
  let step: Promise<void> | undefined
  let failure: Error | undefined

  async function writeAll(): Promise<void> {
    try {
      while (taken.bytes > 0) {
        underWay = taken
        taken = unwritten()
        step = environment.write(underWay.commits())
        await step
        underWay = unwritten()
      }
      working = undefined
    } catch (error) {
      failure = error as Error
    }
  }

  /** Resolves once the file has all that was taken before the call. */
  async function writtenSoFar(): Promise<void> {
    const wanted = [underWay, taken]
    const isOpen = (each: Unwritten) => each.bytes > 0 && (each === underWay || each === taken)
    while (wanted.some(isOpen) && !failure) await step?.catch(() => undefined)
    if (failure) throw failure
  }

  /** What is not in the file yet of these bounds, in their order: for each key its newest change. */
  function changesWithin(space: number, bounds: Parameters<Environment['slice']>[1]): Change[] {
    const newest = new Map<string, Change>()
    for (const { spaces } of [underWay, taken]) {
      for (const [name, change] of spaces.get(space) ?? []) if (isWithin(change.key, bounds)) newest.set(name, change)
    }
    const direction = bounds.reverse ? -1 : 1
    return [...newest.values()].sort((a, b) => direction * Buffer.compare(a.key, b.key))
  }

  return {
    ...environment,
    get(space, key) {
      const [newer, older] = [taken.spaces.get(space), underWay.spaces.get(space)]
      if (!newer && !older) return environment.get(space, key)
      const name = nameOf(key)
      const change = newer?.get(name) ?? older?.get(name)
      return change ? change.value : environment.get(space, key)
    },
    slice(space, bounds, rows) {
      const changes = changesWithin(space, bounds)
      if (changes.length === 0) return environment.slice(space, bounds, rows)
      const below = environment.slice(space, bounds, rows + changes.length)
      return merged(below, changes, bounds.reverse ? -1 : 1).slice(0, rows)
    },
    async write(commits) {
      while (taken.bytes >= limits.unwrittenBytes && !failure) await working
      if (failure) throw failure
      for (const commit of commits) taken.add(commit)
      if (taken.bytes > 0) working ??= writeAll()
    },
    async copyTo(path) {
      await writtenSoFar()
      await environment.copyTo(path)
    },
    failure: () => failure ?? environment.failure(),
    async close() {
      await working
      await environment.close()
    },
  }
}

interface Unwritten {
  /** By the number of the space and the bytes of the key. */
  readonly spaces: ReadonlyMap<number, ReadonlyMap<string, Change>>
  readonly bytes: number
  add(commit: Commit): void
  commits(): Commit[]
}

function unwritten(): Unwritten {
  const spaces = new Map<number, Map<string, Change>>()
  let bytes = 0
  return {
    spaces,
    get bytes() {
      return bytes
    },
    add({ space, changes }) {
      let known = spaces.get(space)
      if (!known) {
        known = new Map()
        spaces.set(space, known)
      }
      for (const change of changes) {
        known.set(nameOf(change.key), change)
        bytes += change.key.length + (change.value?.length ?? 0)
      }
    },
    commits: () => Array.from(spaces, ([space, known]) => ({ space, changes: [...known.values()] })),
  }
}

function nameOf(key: Uint8Array): string {
  return Buffer.from(key.buffer, key.byteOffset, key.length).latin1Slice()
}

/** The rows below as the changes leave them; both come in that direction. */
function merged(below: readonly Stored[], changes: readonly Change[], direction: number): Stored[] {
  const rows: Stored[] = []
  let at = 0
  for (const change of changes) {
    while (at < below.length && direction * Buffer.compare(below[at]!.key, change.key) < 0) rows.push(below[at++]!)
    if (at < below.length && below[at]!.key.equals(change.key)) at++
    if (change.value) rows.push({ key: change.key, value: change.value })
  }
  return rows.concat(below.slice(at))
}
