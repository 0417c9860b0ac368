/** The recent rate of an event, as an exponentially decaying count: constant memory, one addition for each event. */
import { second } from '../../core/durations.js'

export interface CallRate {
  record(): void
  /** About the number of events recorded within the last second. */
  perSecond(): number
}

export function createCallRate(elapsedMs: () => number = () => performance.now()): CallRate {
  let count = 0
  let countedAt = elapsedMs()

  function perSecond(): number {
    const now = elapsedMs()
    count *= Math.exp((countedAt - now) / second)
    countedAt = now
    return count
  }

  return {
    record() {
      count = perSecond() + 1
    },
    perSecond,
  }
}
