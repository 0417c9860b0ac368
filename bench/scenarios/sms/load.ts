/** The HTTP load, followed by a check that the message center received everything that was accepted. */
import { httpLoad } from '../../harness/load/http.js'
import type { CandidateProcess } from '../../harness/process.js'
import type { Sample } from '../../harness/sample.js'
import type { Load } from '../../harness/scenario.js'

/** Counts the submits too: a gateway that accepts faster than it submits would otherwise look better than it is. */
export const untilSubmitted: Load = async (target, window) => {
  const accepted = await httpLoad(target, window)
  return addSamples(accepted, await target.work({ ...window, operations: accepted.operations }))
}

/** A window of zero length reads the processor time of a candidate whose work other processes do. */
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
