/** Group commit: what is asked while one group is on its way to the disk waits, and goes together in the next. */
import { store as limits } from '../../core/limits.js'
import type { Change, LateCommit, LateWrite } from './contract.js'

/** Changes of one space that belong together. */
export interface Commit {
  readonly space: number
  readonly changes: readonly Change[]
}

export interface Commits {
  add(space: number, commit: LateCommit): LateWrite
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

/** A class for speed alone: one is made for every commit. */
class Waiting implements LateWrite, Commit {
  /** Known once it is sealed. */
  changes: Commit['changes'] = []
  isPressing = false
  readonly done: Promise<void>
  resolve!: () => void
  reject!: (error: unknown) => void

  constructor(
    readonly space: number,
    readonly late: LateCommit,
    private readonly pressed: () => void,
  ) {
    this.done = new Promise((resolve, reject) => {
      this.resolve = resolve
      this.reject = reject
    })
  }

  /** A function of its own, since it is handed on without the rest. */
  readonly press = (): void => {
    if (this.isPressing) return
    this.isPressing = true
    this.pressed()
  }
}

/**
 * One group at a time, in the order of the calls. It begins when one of those that wait is pressed for, and takes all of
 * them along, with whatever they have come to by then. When a write fails, everything that waited fails with it and so does
 * all that comes later. A refusal also takes along all that waited, since a later commit may rest on an earlier one,
 * but ends when its reason does.
 */
export function groupCommits(disk: Disk): Commits {
  let waiting: Waiting[] = []
  const idlers: (() => void)[] = []
  let busy = false
  let failed: Error | undefined

  /**
   * Begun after the current turn, so that everybody who writes in it can share the first group. As a microtask it would
   * come sooner, and a disk that answers at once, with callers who write again at once, would let nothing else run.
   */
  function begin(): void {
    busy = true
    setImmediate(nextGroup)
  }

  function beginIfIdle(): void {
    if (!busy) begin()
  }

  function nextGroup(): void {
    const refusal = disk.refusal()
    if (refusal) {
      end(waiting.splice(0), refusal)
      return
    }
    const group = takeGroup()
    disk.write(group).then(
      () => {
        for (const { late } of group) late.landed()
        // What came meanwhile goes before this group hears of its end, so that the disk works while they go on.
        if (waiting.some(({ isPressing }) => isPressing)) nextGroup()
        else busy = false
        for (const commit of group) commit.resolve()
        restIfIdle()
      },
      (cause) => {
        failed = disk.failed(cause)
        end([...group, ...waiting.splice(0)], failed)
      },
    )
  }

  function takeGroup(): Waiting[] {
    const group: Waiting[] = []
    let taken = 0
    for (let writes = 0; taken < waiting.length && writes < limits.writesPerGroup; taken++) {
      const commit = waiting[taken]!
      if (!seal(commit)) continue
      group.push(commit)
      writes += commit.changes.length
    }
    waiting = waiting.slice(taken)
    return group
  }

  /** Whether it could say what it has come to. One that cannot fails for itself. */
  function seal(commit: Waiting): boolean {
    commit.isPressing = true
    try {
      commit.changes = commit.late.seal()
      return true
    } catch (error) {
      commit.reject(error)
      return false
    }
  }

  function end(group: readonly Waiting[], error: Error): void {
    busy = false
    for (const commit of group) {
      commit.isPressing = true
      commit.reject(error)
    }
    restIfIdle()
  }

  function restIfIdle(): void {
    if (!busy) for (const idle of idlers.splice(0)) idle()
  }

  return {
    add(space, late) {
      const commit = new Waiting(space, late, beginIfIdle)
      if (failed) end([commit], failed)
      else waiting.push(commit)
      return commit
    },
    settled() {
      if (!busy && waiting.length > 0) begin()
      if (!busy) return Promise.resolve()
      return new Promise((idle) => {
        idlers.push(idle)
      })
    },
    failure: () => failed,
  }
}
