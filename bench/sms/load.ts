/** The HTTP load, followed by a look at whether the message center got everything that was accepted. */
import { httpLoad } from '../load/http.js'
import type { Sample } from '../sample.js'
import type { Load } from '../scenario.js'
import type { Subject } from '../subject.js'

/** A gateway that accepted faster than it submits would look better than it is, so the rest of its work is counted too. */
export const untilSubmitted: Load = async (subject, window) => {
  const taken = await httpLoad(subject, window)
  return together(taken, await subject.work({ ...window, operations: taken.operations }))
}

/** A window of no time asks a candidate whose work is done by other processes what those have used so far. */
export const untilSubmittedByOthers: Load = (subject, window) => {
  const cpuMicros = async () => (await subject.work({ ...window, seconds: 0 })).cpuMicros
  return untilSubmitted({ ...subject, cpuMicros } satisfies Subject, window)
}

function together(taken: Sample, rest: Sample): Sample {
  return {
    ...taken,
    seconds: taken.seconds + rest.seconds,
    cpuMicros: taken.cpuMicros + rest.cpuMicros,
    failures: { ...taken.failures, ...rest.failures },
  }
}
