/** Forgets the answers of commands that cannot be asked for again, a few with each commit. */
import { shard as limits } from '../../core/limits/index.js'
import type { Reader } from '../store/contract.js'
import type { Overlay } from './overlay.js'
import { answerExpiryTable, answerTable } from './tables.js'

/**
 * `at` is steady time. A new owner begins with a pause, since its time of day may be far from that of the last one, and
 * who asked then may still be asking.
 */
export function createAnswerExpiry(space: Reader, at: number) {
  /** Before this time nothing that is remembered is forgotten. */
  let nextExpiryAt = at + limits.rememberedRetryMs

  /** Answers when there may be more to forget. */
  function expireSome(overlay: Overlay, at: number, limit: number): number {
    let expired = 0
    for (const { key } of space.range(answerExpiryTable, { limit })) {
      const [until, owner, commandId] = key
      if (until >= at) return until
      overlay.remove(answerExpiryTable, key)
      overlay.remove(answerTable, [owner, commandId])
      expired++
    }
    return expired === limit ? at : Number.POSITIVE_INFINITY
  }

  /** A little more than comes in, so that what is remembered shrinks back after a rush. */
  return function expireAnswers(overlay: Overlay, at: number, commandCount: number): void {
    if (at >= nextExpiryAt) nextExpiryAt = expireSome(overlay, at, commandCount * 2 + 1)
    if (overlay.has(answerExpiryTable)) nextExpiryAt = Math.min(nextExpiryAt, at + limits.rememberedRetryMs)
  }
}
