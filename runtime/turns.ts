/** Long work in pieces, so that everything else of the process has its turn of the loop in between. */
import { longWork } from '../core/limits.js'
import type { Steps } from '../core/steps.js'
import type { Clock } from './clock.js'
import type { MaybePromise } from './maybeasync.js'

export type TurnClock = Pick<Clock, 'elapsed' | 'soon'>

/** Work that is done within one slice is done at once. A slice is over with the first step that ends `sliceMs` after it began. */
export function inTurns<R>(steps: Steps<R>, clock: TurnClock, sliceMs: number = longWork.sliceMs): MaybePromise<R> {
  const began = clock.elapsed()
  for (;;) {
    const { done, value } = steps.next()
    if (done) return value
    if (clock.elapsed() - began >= sliceMs) return nextTurn(clock).then(() => inTurns(steps, clock, sliceMs))
  }
}

const lastTurns = new WeakMap<object, Promise<void>>()

/**
 * Schedules one slice of long work a turn of the event loop, however much of it there is, and after the requests that
 * arrived during the slice before. The loop reads those in its next turn, but runs the callbacks that were scheduled by
 * then before it decides them, so the next slice is scheduled two turns ahead.
 */
export function nextTurn(clock: Pick<Clock, 'soon'>): Promise<void> {
  const before = lastTurns.get(clock) ?? Promise.resolve()
  const turn = before.then(() => new Promise<void>((resolve) => clock.soon(() => clock.soon(resolve))))
  lastTurns.set(clock, turn)
  return turn
}
