/** The numbers of the threads that run the adapters of partners, one thread for each module. */
import { minute, second } from '../../core/durations.js'

export const adapterThread = {
  heapMb: 256,
  stackMb: 4,
  /** Memory of a thread outside of its heap, such as buffers, as each beat tells it. */
  externalBytes: 256 * 1024 * 1024,
  heartbeatMs: second,
  /** A thread that leaves more beats in a row unanswered is ended. */
  missedHeartbeats: 5,
  loadMs: 30 * second,
  /** How long a thread waits for the node to answer a question without which it cannot go on. */
  syncCallMs: 5 * second,
  /** Requests that the adapters of one thread may have open at the node. */
  openRequests: 1_000,
  logLinesPerSecond: 50,
  /** The wait before the first restart. Each further one is twice as long, up to the most. */
  restartMs: 100,
  restartMaxMs: 30 * second,
  /** A thread that lived for longer than this has no earlier failures counted against it. */
  stableMs: minute,
  /** Lists of abilities of one adapter whose traits are kept. */
  traitsCached: 10_000,
} as const
