/** Expiry of remembered answers: each commit removes a few whose time is over. */

import type { Reader } from '../store/contract.js'
import type { ShardLimits } from './limits.js'
import type { Overlay } from './overlay.js'
import { answerExpiryTable, answerTable } from './tables.js'

/**
 * `monotonicAt` is a time of day that is never set back. A new owner begins with a pause, because its time of day may
 * be far from that of the previous owner, whose callers may still retry.
 */
export function createAnswerExpiry(
  space: Reader,
  monotonicAt: number,
  { rememberedRetryMs }: Pick<ShardLimits, 'rememberedRetryMs'>,
) {
  /** Before this time no answer expires. */
  let nextExpiryAt = monotonicAt + rememberedRetryMs

  /** Returns the time at which more answers may expire. */
  function expireSome(overlay: Overlay, monotonicAt: number, limit: number): number {
    let expired = 0
    for (const { key } of space.range(answerExpiryTable, { limit })) {
      const [until, owner, commandId] = key
      if (until >= monotonicAt) return until
      overlay.remove(answerExpiryTable, key)
      overlay.remove(answerTable, [owner, commandId])
      expired++
    }
    return expired === limit ? monotonicAt : Number.POSITIVE_INFINITY
  }

  /** Removes more answers than a commit adds, so that the table shrinks again after a burst. */
  return function expireAnswers(overlay: Overlay, monotonicAt: number, commandCount: number): void {
    if (monotonicAt >= nextExpiryAt) nextExpiryAt = expireSome(overlay, monotonicAt, commandCount * 2 + 1)
    if (overlay.has(answerExpiryTable)) nextExpiryAt = Math.min(nextExpiryAt, monotonicAt + rememberedRetryMs)
  }
}
