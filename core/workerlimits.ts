/** Work that would hold the event loop and is done in threads of its own. */
import { second } from './durations.js'

export const worker = {
  threads: 2,
  /** Jobs that wait for a thread; one more is refused. */
  waitingJobs: 32,
  /** A job that takes longer is ended, with its thread. */
  jobMs: 30 * second,
  heapMb: 1_024,
  stackMb: 4,
  /** What is handed back is taken over in parts of about this size, each in a turn of the loop of its own. */
  partBytes: 256 * 1024,
  /** JSON that is parsed in a thread. */
  jsonValues: 5_000_000,
  jsonNames: 5_000_000,
} as const
