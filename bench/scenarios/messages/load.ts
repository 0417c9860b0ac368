/** The HTTP load, followed by a look at whether the provider got everything that was accepted. */
import { httpLoad } from '../../harness/load/http.js'
import type { Load } from '../../harness/scenario.js'

/** A node that accepted faster than it hands over would look better than it is, so the rest of its work is counted too. */
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
