/** How often something happens of late: a count that fades, so that it costs nothing to keep and is never far behind. */
import { second } from '../../core/durations.js'

export interface Calls {
  note(): void
  /** About as many as were noted within the last second. */
  perSecond(): number
}

export function openCalls(elapsedMs: () => number = () => performance.now()): Calls {
  let count = 0
  let countedAt = elapsedMs()

  function perSecond(): number {
    const now = elapsedMs()
    count *= Math.exp((countedAt - now) / second)
    countedAt = now
    return count
  }

  return {
    note() {
      count = perSecond() + 1
    },
    perSecond,
  }
}
