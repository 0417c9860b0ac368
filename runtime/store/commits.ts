/** Group commit: commits that are added while one group is being written are written together as the next. */

import type { Change, DeferredCommit, DeferredWrite } from './contract.js'
import { store as limits } from './limits.js'

/** Changes of one space that belong together. */
export interface Commit {
  readonly space: number
  readonly changes: readonly Change[]
}

export interface Commits {
  add(space: number, commit: DeferredCommit): DeferredWrite
  /** Resolves when no commit is waiting or being written. */
  waitUntilIdle(): Promise<void>
  failure(): Error | undefined
}

export interface Disk {
  /** Writes all of them, or none and rejects. */
  write(commits: readonly Commit[]): Promise<void>
  /** The reason why no commit can be written at this moment; called before each group. */
  refusal(): Error | undefined
  /** The error with which the commits of a failed write reject. */
  errorFrom(cause: unknown): Error
}

/** A class, because each commit makes one. */
class PendingCommit implements DeferredWrite, Commit {
  /** Empty until they are collected. */
  changes: Commit['changes'] = []
  isFlushed = false
  readonly done: Promise<void>
  resolve!: () => void
  reject!: (error: unknown) => void

  constructor(
    readonly space: number,
    readonly deferred: DeferredCommit,
    private readonly onFlush: () => void,
  ) {
    this.done = new Promise((resolve, reject) => {
      this.resolve = resolve
      this.reject = reject
    })
  }

  /** A property of its own, since callers detach it from the object. */
  readonly flush = (): void => {
    if (this.isFlushed) return
    this.isFlushed = true
    this.onFlush()
  }
}

/**
 * Writes one group at a time, in the order of the calls. A group begins when one of the pending commits is flushed; it
 * takes all of them, with the changes that they have by then. A failed write fails every pending commit and every later
 * one. A refusal also fails all pending commits, since a later one may depend on an earlier one, but it ends when its
 * reason does.
 */
export function groupCommits(disk: Disk): Commits {
  let pending: PendingCommit[] = []
  const idleWaiters: (() => void)[] = []
  let isBusy = false
  let failed: Error | undefined

  /**
   * Begins after the current turn, so that every commit of that turn can share the first group. A microtask would run
   * sooner: with a disk that answers at once and callers that write again at once, no other work would run.
   */
  function begin(): void {
    isBusy = true
    setImmediate(writeGroup)
  }

  function beginIfIdle(): void {
    if (!isBusy) begin()
  }

  function writeGroup(): void {
    const refusal = disk.refusal()
    if (refusal) {
      fail(pending.splice(0), refusal)
      return
    }
    const group = nextGroup()
    disk.write(group).then(
      () => {
        for (const { deferred } of group) deferred.onCommitted()
        // The next group starts before the callers of this one continue, so that disk and callers work in parallel.
        if (pending.some(({ isFlushed }) => isFlushed)) writeGroup()
        else isBusy = false
        for (const commit of group) commit.resolve()
        resolveIfIdle()
      },
      (cause) => {
        failed = disk.errorFrom(cause)
        fail([...group, ...pending.splice(0)], failed)
      },
    )
  }

  function nextGroup(): PendingCommit[] {
    const group: PendingCommit[] = []
    let examined = 0
    for (let writes = 0; examined < pending.length && writes < limits.writesPerGroup; examined++) {
      const commit = pending[examined]!
      if (!collect(commit)) continue
      group.push(commit)
      writes += commit.changes.length
    }
    pending = pending.slice(examined)
    return group
  }

  /** False when the changes could not be collected: that commit fails alone. */
  function collect(commit: PendingCommit): boolean {
    commit.isFlushed = true
    try {
      commit.changes = commit.deferred.collect()
      return true
    } catch (error) {
      commit.reject(error)
      return false
    }
  }

  function fail(group: readonly PendingCommit[], error: Error): void {
    isBusy = false
    for (const commit of group) {
      commit.isFlushed = true
      commit.reject(error)
    }
    resolveIfIdle()
  }

  function resolveIfIdle(): void {
    if (!isBusy) for (const resolve of idleWaiters.splice(0)) resolve()
  }

  return {
    add(space, deferred) {
      const commit = new PendingCommit(space, deferred, beginIfIdle)
      if (failed) fail([commit], failed)
      else pending.push(commit)
      return commit
    },
    waitUntilIdle() {
      if (!isBusy && pending.length > 0) begin()
      if (!isBusy) return Promise.resolve()
      return new Promise((resolve) => {
        idleWaiters.push(resolve)
      })
    },
    failure: () => failed,
  }
}
