/** The HTTP load, followed by a check that the provider received everything that was accepted. */
import { httpLoad } from '../../harness/load/http.js'
import type { Load } from '../../harness/scenario.js'

/** Counts delivery too: a node that accepts faster than it delivers would otherwise look better than it is. */
export const untilDelivered: Load = async (target, window) => {
  const accepted = await httpLoad(target, window)
  const drained = await target.work(window)
  return {
    ...accepted,
    seconds: accepted.seconds + drained.seconds,
    cpuMicros: accepted.cpuMicros + drained.cpuMicros,
    failures: { ...accepted.failures, ...drained.failures },
  }
}
