/**
 * Collects what is young and dead while there is time for it. V8 waits until its young space is full. Under load that is
 * right: whatever is in flight when it collects is copied, so the less often the better. With little in flight nobody
 * gains by waiting, and of one long pause more people feel more than of several short ones.
 */
import { performance } from 'node:perf_hooks'
import { getHeapSpaceStatistics } from 'node:v8'
import { collecting as limits } from '../core/limits.js'
import type { Clock } from './clock.js'

export interface YoungSpace {
  usedBytes(): number
  collect(): void
}

/** Undefined where Node was started without `--expose-gc`: then V8 does as it likes. */
export function youngSpace(): YoungSpace | undefined {
  const { gc } = globalThis
  if (!gc) return undefined
  return {
    usedBytes: () => getHeapSpaceStatistics().find(({ space_name }) => space_name === 'new_space')!.space_used_size,
    collect: () => void gc({ type: 'minor' }),
  }
}

/** Answers, each time it is called, for which share of the time since the last call the process was busy. */
function busyShares(): () => number {
  let last = performance.eventLoopUtilization()
  return () => {
    const now = performance.eventLoopUtilization()
    const { utilization } = performance.eventLoopUtilization(now, last)
    last = now
    return utilization
  }
}

/** Until the returned function is called. */
export function collectEarly(clock: Clock, space = youngSpace(), busyShare = busyShares()): () => void {
  if (!space) return () => undefined
  function look(young: YoungSpace): void {
    const isCalm = busyShare() <= limits.busyShare
    if (isCalm && young.usedBytes() >= limits.youngBytes) young.collect()
  }
  function wait(young: YoungSpace): () => void {
    return clock.wake(clock.now() + limits.everyMs, () => {
      cancel = wait(young)
      look(young)
    })
  }
  let cancel = wait(space)
  return () => cancel()
}
