/**
 * The follower of a shard's log: applies entries to the copy, and rebuilds the copy when the log does not continue from
 * it.
 */

import type { Clock } from '../../clock.js'
import type { Log as CommitLog } from '../../nats/contract.js'
import type { Log } from '../../observe/log.js'
import type { ClusterLimits } from '../limits.js'
import { type Copy, Diverged, isAheadOf, type LogEnd } from './copy.js'
import { isReseed, lineageIdOf } from './entry.js'
import type { SnapshotStore } from './snapshotstore.js'

/** The remaining log begins with a state that the servers have lost. The copy of another node may have it. */
export class LogStartMissing extends Error {
  override readonly name = 'LogStartMissing'

  constructor(readonly end: LogEnd) {
    super('neither a snapshot nor the log reaches back to the beginning of the shard')
  }
}

export interface Follower {
  /** Brings the copy to the current end of the log and continues to follow; returns that end. */
  catchUp(): Promise<number>
  isFollowing(): boolean
  /** The end of the log at the last look. */
  logEnd(): number
  /** Stops following until the next `catchUp`. */
  stop(): void
}

export function openFollower(options: {
  number: number
  log: CommitLog
  copy: Copy
  snapshotStore: SnapshotStore
  clock: Clock
  limits: ClusterLimits
  logger: Log
  /** False once the node no longer needs the copy. */
  isNeeded: () => boolean
  /** Called when the shard has another owner, or the log cannot be followed. */
  onChange: () => void
}): Follower {
  const { number, log, copy, snapshotStore, clock, limits, logger, isNeeded, onChange } = options
  let stopFollowing: (() => void) | undefined
  /** The log does not continue from the copy, which must be rebuilt. */
  let hasDiverged = false
  let logEnd = 0
  let recheck: (() => void) | undefined

  async function catchUp(): Promise<number> {
    for (;;) {
      const { first, last } = await log.bounds()
      logEnd = last
      if (!isNeeded()) return last
      if (await mustRebuild(first, last)) await rebuild(first, last)
      else {
        follow()
        if (copy.readTo() >= last) return last
        await waitUntilReached(last)
      }
    }
  }

  async function mustRebuild(first: number, last: number): Promise<boolean> {
    const position = copy.position()
    const { loading, lineageId, number: at } = position
    if (loading || hasDiverged) return true
    if (first > at + 1) return true
    if (at === 0) return last > 0 && !copy.isEmpty()
    if (last === 0) return false
    const message = at >= last ? await log.read(last) : undefined
    if (message === undefined || lineageIdOf(message) === lineageId) return false
    return !isAheadOf(position, { lineageId: lineageIdOf(message), last })
  }

  /** Resolves when the copy has received that message, or after `leaseMs`, when the caller checks the log again. */
  function waitUntilReached(last: number): Promise<void> {
    return new Promise((resolve) => {
      const cancel = clock.setTimer(clock.now() + limits.leaseMs, done)
      function done(): void {
        cancel()
        recheck = undefined
        resolve()
      }
      recheck = () => {
        if (copy.readTo() >= last || !stopFollowing) done()
      }
      recheck()
    })
  }

  function follow(): void {
    if (stopFollowing) return
    const stopCurrent = log.follow(copy.startReading(), receive, onEnd)
    async function receive(message: Uint8Array, at: number): Promise<void> {
      const { owner } = copy.position()
      await copy.receive(message, at)
      recheck?.()
      if (copy.position().owner !== owner) onChange()
    }
    function onEnd(reason: unknown): void {
      if (stopFollowing !== stopCurrent) return
      stopFollowing = undefined
      if (reason instanceof Diverged) {
        hasDiverged = true
        logger.warn('shard.copy.diverged', { shard: number, error: reason })
      }
      clock.setTimer(clock.now() + limits.retryMs, () => {
        recheck?.()
        onChange()
      })
    }
    stopFollowing = stopCurrent
  }

  function stop(): void {
    stopFollowing?.()
    stopFollowing = undefined
    recheck?.()
  }

  /** Rebuilds the copy: from the newest snapshot of the log's lineage, or from the log alone if it is complete. */
  async function rebuild(first: number, last: number): Promise<void> {
    stop()
    const message = last > 0 ? await log.read(last) : undefined
    const lineageId = message ? lineageIdOf(message) : ''
    if (!(await snapshotStore.load(copy, lineageId, first))) {
      const firstMessage = first === 1 && last > 0 ? await log.read(1) : undefined
      if (first > 1 || (firstMessage && isReseed(firstMessage))) {
        throw new LogStartMissing({ lineageId, last })
      }
      await copy.reset()
    }
    hasDiverged = false
    logger.info('shard.copy.rebuilt', { shard: number, line: lineageId, number: copy.position().number })
  }

  return { catchUp, isFollowing: () => stopFollowing !== undefined, logEnd: () => logEnd, stop }
}
