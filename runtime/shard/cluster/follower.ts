/** Keeps a copy where its log is: follows the log, and makes the copy anew when it cannot go on from it. */
import { cluster as limits } from '../../../core/limits.js'
import type { Clock } from '../../clock.js'
import type { Log as CommitLog } from '../../nats/contract.js'
import type { Log } from '../../observe/log.js'
import { type Copy, Diverged, isBeyond, type LogEnd } from './copy.js'
import { isFounding, lineOf } from './entry.js'
import type { Shelf } from './shelf.js'

/** What the servers have left of the log begins with a state that they have not. Another node's copy may know it. */
export class NoBeginning extends Error {
  override readonly name = 'NoBeginning'

  constructor(readonly end: LogEnd) {
    super('neither a snapshot nor the log reaches back to the beginning of the shard')
  }
}

export interface Follower {
  /** Brings the copy to where the log ends now and keeps following it; answers where that is. */
  reachEnd(): Promise<number>
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
  shelf: Shelf
  clock: Clock
  say: Log
  /** False once nobody wants the copy any more. */
  isWanted: () => boolean
  /** Called when the shard has another holder, or the log cannot be followed. */
  changed: () => void
}): Follower {
  const { number, log, copy, shelf, clock, say, isWanted, changed } = options
  let unfollow: (() => void) | undefined
  /** The copy cannot go on from the log and must be made anew. */
  let broken = false
  let logEnd = 0
  let lookAgain: (() => void) | undefined

  async function reachEnd(): Promise<number> {
    for (;;) {
      const { first, last } = await log.bounds()
      logEnd = last
      if (!isWanted()) return last
      if (await mustRebuild(first, last)) await rebuild(first, last)
      else {
        follow()
        if (copy.reached() >= last) return last
        await reached(last)
      }
    }
  }

  async function mustRebuild(first: number, last: number): Promise<boolean> {
    const position = copy.position()
    const { loading, line, number: at } = position
    if (loading || broken) return true
    if (first > at + 1) return true
    if (at === 0) return last > 0 && !copy.isEmpty()
    if (last === 0) return false
    const message = at >= last ? await log.read(last) : undefined
    if (message === undefined || lineOf(message) === line) return false
    return !isBeyond(position, { line: lineOf(message), last })
  }

  /** Resolves when the copy has taken that message, or it is time to look whether it still can. */
  function reached(last: number): Promise<void> {
    return new Promise((resolve) => {
      const cancel = clock.wake(clock.now() + limits.leaseMs, done)
      function done(): void {
        cancel()
        lookAgain = undefined
        resolve()
      }
      lookAgain = () => {
        if (copy.reached() >= last || !unfollow) done()
      }
      lookAgain()
    })
  }

  function follow(): void {
    if (unfollow) return
    const stopThis = log.follow(copy.begin(), take, ended)
    async function take(message: Uint8Array, at: number): Promise<void> {
      const { holder } = copy.position()
      await copy.take(message, at)
      lookAgain?.()
      if (copy.position().holder !== holder) changed()
    }
    function ended(why: unknown): void {
      if (unfollow !== stopThis) return
      unfollow = undefined
      if (why instanceof Diverged) {
        broken = true
        say.warn('shard.copy.diverged', { shard: number, error: why })
      }
      clock.wake(clock.now() + limits.againMs, () => {
        lookAgain?.()
        changed()
      })
    }
    unfollow = stopThis
  }

  function stop(): void {
    unfollow?.()
    unfollow = undefined
    lookAgain?.()
  }

  /** Makes the copy anew: from the newest snapshot of the log's line, or from the log alone if it holds everything. */
  async function rebuild(first: number, last: number): Promise<void> {
    stop()
    const message = last > 0 ? await log.read(last) : undefined
    const line = message ? lineOf(message) : ''
    if (!(await shelf.load(copy, line, first))) {
      const beginning = first === 1 && last > 0 ? await log.read(1) : undefined
      if (first > 1 || (beginning && isFounding(beginning))) {
        throw new NoBeginning({ line, last })
      }
      await copy.empty()
    }
    broken = false
    say.info('shard.copy.made', { shard: number, line, number: copy.position().number })
  }

  return { reachEnd, isFollowing: () => unfollow !== undefined, logEnd: () => logEnd, stop }
}
