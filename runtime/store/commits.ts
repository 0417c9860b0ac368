/** Group commit: what is asked while one group is on its way to the disk waits, and goes together in the next. */
import { store as limits } from '../../core/limits.js'
import type { Change } from './contract.js'

/** Changes of one space that belong together. */
export interface Commit {
  readonly space: number
  readonly changes: readonly Change[]
}

export interface Commits {
  add(commit: Commit): Promise<void>
  /** Resolves when nothing is waiting or on its way. */
  settled(): Promise<void>
  failure(): Error | undefined
}

export interface Disk {
  /** Makes all of it durable, or none of it and rejects. */
  write(commits: readonly Commit[]): Promise<void>
  /** Why nothing can be written just now; asked before each group. */
  refusal(): Error | undefined
  /** What a failed write is told to those who waited for it. */
  failed(cause: unknown): Error
}

interface Waiting {
  readonly commit: Commit
  readonly resolve: () => void
  readonly reject: (error: Error) => void
}

/**
 * One group at a time, in the order of the calls. When a write fails, everything that waited fails with it and so does
 * all that comes later. A refusal also takes along all that waited, since a later commit may rest on an earlier one,
 * but ends when its reason does.
 */
export function groupCommits(disk: Disk): Commits {
  let waiting: Waiting[] = []
  const idlers: (() => void)[] = []
  let busy = false
  let failed: Error | undefined

  /** Begun after the current turn, so that everybody who writes in it can share the first group. */
  function begin(): void {
    busy = true
    setImmediate(nextGroup)
  }

  function nextGroup(): void {
    const refusal = disk.refusal()
    if (refusal) {
      end(waiting.splice(0), refusal)
      return
    }
    const group = takeGroup()
    disk.write(group.map(({ commit }) => commit)).then(
      () => {
        // What came meanwhile goes before this group hears of its end, so that the disk works while they go on.
        if (waiting.length > 0) nextGroup()
        else busy = false
        for (const { resolve } of group) resolve()
        restIfIdle()
      },
      (cause) => {
        failed = disk.failed(cause)
        end([...group, ...waiting.splice(0)], failed)
      },
    )
  }

  function takeGroup(): Waiting[] {
    let writes = 0
    let size = 0
    while (size < waiting.length && writes < limits.writesPerGroup) writes += waiting[size++]!.commit.changes.length
    if (size < waiting.length) return waiting.splice(0, size)
    const group = waiting
    waiting = []
    return group
  }

  function end(group: readonly Waiting[], error: Error): void {
    busy = false
    for (const { reject } of group) reject(error)
    restIfIdle()
  }

  function restIfIdle(): void {
    if (!busy) for (const idle of idlers.splice(0)) idle()
  }

  return {
    add(commit) {
      if (failed) return Promise.reject(failed)
      return new Promise((resolve, reject) => {
        waiting.push({ commit, resolve, reject })
        if (!busy) begin()
      })
    },
    settled() {
      if (!busy) return Promise.resolve()
      return new Promise((idle) => {
        idlers.push(idle)
      })
    },
    failure: () => failed,
  }
}
