/** Long work in pieces, so that everything else of the process has its turn of the loop in between. */
import { longWork } from '../core/limits.js'
import type { Steps } from '../core/steps.js'
import type { Clock } from './clock.js'
import type { Soon } from './soon.js'

export type TurnClock = Pick<Clock, 'elapsed' | 'soon'>

/** Work that is done within one slice is done at once. A slice is over with the first step that ends `sliceMs` after it began. */
export function inTurns<R>(steps: Steps<R>, clock: TurnClock, sliceMs: number = longWork.sliceMs): Soon<R> {
  const began = clock.elapsed()
  for (;;) {
    const { done, value } = steps.next()
    if (done) return value
    if (clock.elapsed() - began >= sliceMs) return nextTurn(clock).then(() => inTurns(steps, clock, sliceMs))
  }
}

const lastTurns = new WeakMap<object, Promise<void>>()

/**
 * However much long work there is at a time, only one piece of it is done in a turn of the loop, and requests that came
 * during the piece before are decided first. They are read in the turn after that piece, behind what was put off by then,
 * so the next one is put off twice.
 */
export function nextTurn(clock: Pick<Clock, 'soon'>): Promise<void> {
  const before = lastTurns.get(clock) ?? Promise.resolve()
  const turn = before.then(() => new Promise<void>((resolve) => clock.soon(() => clock.soon(resolve))))
  lastTurns.set(clock, turn)
  return turn
}
