/** Limits of worker threads, for work that would block the event loop. */
import { second } from '../durations.js'

export const worker = Object.freeze({
  threads: 2,
  /** Jobs that wait for a thread; one more is refused. */
  waitingJobs: 32,
  /** Of those, jobs of one org, beside the one that may run. */
  waitingJobsPerOwner: 4,
  /** A longer job is ended, with its thread. Reading or writing the largest agent takes a fraction of it. */
  jobMs: 15 * second,
  /** An import with more top-level names is refused before parsing; a document has a few dozen sections. */
  importNames: 256,
  /**
   * Added to the nice value of the process for these threads: the event loop gets three quarters of a core that both
   * need.
   */
  niceness: 5,
  heapMb: 1_024,
  stackMb: 4,
  /** Results are transferred in parts of about this size, each in its own turn of the event loop. */
  partBytes: 256 * 1024,
  /** JSON that is parsed in a thread. */
  jsonValues: 5_000_000,
  jsonNames: 5_000_000,
} as const)
