/** Keeps a copy where its log is: follows the log, and makes the copy anew when it cannot go on from it. */
import { cluster as limits } from '../../../core/limits/index.js'
import type { Clock } from '../../clock.js'
import type { Log as CommitLog } from '../../nats/contract.js'
import type { Log } from '../../observe/log.js'
import { type Copy, Diverged, isAheadOf, type LogEnd } from './copy.js'
import { isReseed, lineageIdOf } from './entry.js'
import type { SnapshotStore } from './snapshotstore.js'

/** What the servers have left of the log begins with a state that they have not. Another node's copy may know it. */
export class LogStartMissing extends Error {
  override readonly name = 'LogStartMissing'

  constructor(readonly end: LogEnd) {
    super('neither a snapshot nor the log reaches back to the beginning of the shard')
  }
}

export interface Follower {
  /** Brings the copy to where the log ends now and keeps following it; answers where that is. */
  catchUp(): Promise<number>
  isFollowing(): boolean
  /** Where the log ended when last looked at. */
  logEnd(): number
  /** Follows no more until it is asked to reach the end again. */
  stop(): void
}

export function openFollower(options: {
  number: number
  log: CommitLog
  copy: Copy
  snapshotStore: SnapshotStore
  clock: Clock
  logger: Log
  /** False once nobody wants the copy any more. */
  isNeeded: () => boolean
  /** Called when the shard has another holder, or the log cannot be followed. */
  onChange: () => void
}): Follower {
  const { number, log, copy, snapshotStore, clock, logger, isNeeded, onChange } = options
  let stopFollowing: (() => void) | undefined
  /** The copy cannot go on from the log and must be made anew. */
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

  /** Resolves when the copy has taken that message, or it is time to look whether it still can. */
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

  /** Makes the copy anew: from the newest snapshot of the log's line, or from the log alone if it holds everything. */
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
