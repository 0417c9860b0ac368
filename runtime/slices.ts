/** Long work in time slices, so that the event loop serves other work in between. */
import { longWork } from '../core/limits/index.js'
import type { Steps } from '../core/steps.js'
import type { Clock } from './clock.js'
import type { MaybePromise } from './maybeasync.js'

export type SliceClock = Pick<Clock, 'monotonic' | 'nextTick'>

/**
 * Work that fits into one slice runs synchronously. A slice ends with the first step that ends `sliceMs` after it
 * began.
 */
export function runInSlices<R>(
  steps: Steps<R>,
  clock: SliceClock,
  sliceMs: number = longWork.sliceMs,
): MaybePromise<R> {
  const startedAt = clock.monotonic()
  for (;;) {
    const { done, value } = steps.next()
    if (done) return value
    if (clock.monotonic() - startedAt >= sliceMs) return nextSlice(clock).then(() => runInSlices(steps, clock, sliceMs))
  }
}

const lastSlices = new WeakMap<object, Promise<void>>()

/**
 * Schedules at most one slice of long work per turn of the event loop for all callers together, after the requests that
 * arrived during the last slice. The loop reads those in its next turn, but runs callbacks scheduled by then before it
 * decides the requests, so the next slice is scheduled two turns ahead.
 */
export function nextSlice(clock: Pick<Clock, 'nextTick'>): Promise<void> {
  const previous = lastSlices.get(clock) ?? Promise.resolve()
  const slice = previous.then(() => new Promise<void>((resolve) => clock.nextTick(() => clock.nextTick(resolve))))
  lastSlices.set(clock, slice)
  return slice
}
