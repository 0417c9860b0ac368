/** Forgets the answers of commands that cannot be asked for again, a few with each commit. */
import { shard as limits } from '../../core/limits.js'
import type { Reader } from '../store/contract.js'
import type { Layer } from './layer.js'
import { answeredTable, answeredUntilTable } from './tables.js'

/**
 * `at` is steady time. A new owner begins with a pause, since its time of day may be far from that of the last one, and
 * who asked then may still be asking.
 */
export function openForgetting(space: Reader, at: number) {
  /** Before this time nothing that is remembered is forgotten. */
  let forgetAt = at + limits.rememberedRetryMs

  /** Answers when there may be more to forget. */
  function forgetSome(layer: Layer, at: number, most: number): number {
    let forgotten = 0
    for (const { key } of space.range(answeredUntilTable, { limit: most })) {
      const [until, owner, commandId] = key
      if (until >= at) return until
      layer.remove(answeredUntilTable, key)
      layer.remove(answeredTable, [owner, commandId])
      forgotten++
    }
    return forgotten === most ? at : Number.POSITIVE_INFINITY
  }

  /** A little more than comes in, so that what is remembered shrinks back after a rush. */
  return function forget(layer: Layer, at: number, joined: number): void {
    if (at >= forgetAt) forgetAt = forgetSome(layer, at, joined * 2 + 1)
    if (layer.touches(answeredUntilTable)) forgetAt = Math.min(forgetAt, at + limits.rememberedRetryMs)
  }
}
