/** How often something happens of late: a count that fades, so that it costs nothing to keep and is never far behind. */
import { second } from '../../core/durations.js'

export interface CallRate {
  record(): void
  /** About as many as were noted within the last second. */
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
