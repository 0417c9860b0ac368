/** The HTTP load, followed by a look at whether the provider got everything that was accepted. */
import { httpLoad } from '../load/http.js'
import type { Load } from '../scenario.js'

/** A node that accepted faster than it hands over would look better than it is, so the rest of its work is counted too. */
export const untilHandedOver: Load = async (subject, window) => {
  const taken = await httpLoad(subject, window)
  const rest = await subject.work(window)
  return {
    ...taken,
    seconds: taken.seconds + rest.seconds,
    cpuMicros: taken.cpuMicros + rest.cpuMicros,
    failures: { ...taken.failures, ...rest.failures },
  }
}
