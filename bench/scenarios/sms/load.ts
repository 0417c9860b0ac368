/** The HTTP load, followed by a look at whether the message center got everything that was accepted. */
import { httpLoad } from '../../harness/load/http.js'
import type { CandidateProcess } from '../../harness/process.js'
import type { Sample } from '../../harness/sample.js'
import type { Load } from '../../harness/scenario.js'

/** A gateway that accepted faster than it submits would look better than it is, so the rest of its work is counted too. */
export const untilSubmitted: Load = async (target, window) => {
  const accepted = await httpLoad(target, window)
  return addSamples(accepted, await target.work({ ...window, operations: accepted.operations }))
}

/** A window of no time asks a candidate whose work is done by other processes what those have used so far. */
export const untilSubmittedByOthers: Load = (target, window) => {
  const cpuMicros = async () => (await target.work({ ...window, seconds: 0 })).cpuMicros
  return untilSubmitted({ ...target, cpuMicros } satisfies CandidateProcess, window)
}

function addSamples(accepted: Sample, drained: Sample): Sample {
  return {
    ...accepted,
    seconds: accepted.seconds + drained.seconds,
    cpuMicros: accepted.cpuMicros + drained.cpuMicros,
    failures: { ...accepted.failures, ...drained.failures },
  }
}
