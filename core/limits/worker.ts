/** Work that would hold the event loop and is done in threads of its own. */
import { second } from '../durations.js'

export const worker = {
  threads: 2,
  /** Jobs that wait for a thread; one more is refused. */
  waitingJobs: 32,
  /** Of those, jobs of one org, beside the one that may run. */
  waitingJobsPerOwner: 4,
  /** A job that takes longer is ended, with its thread. The largest agent is read or written in a fraction of it. */
  jobMs: 15 * second,
  /** An import with more names at its top is refused before it is made into a value; sections are a few dozen. */
  importNames: 256,
  /** Added to the nice value of the process for these threads: the event loop gets three quarters of a core that both need. */
  niceness: 5,
  heapMb: 1_024,
  stackMb: 4,
  /** What is handed back is taken over in parts of about this size, each in a turn of the loop of its own. */
  partBytes: 256 * 1024,
  /** JSON that is parsed in a thread. */
  jsonValues: 5_000_000,
  jsonNames: 5_000_000,
} as const
