/** Limits of the threads that run partner adapters, one thread for each module. */
import { minute, second } from '../../core/durations.js'

export const adapterThread = Object.freeze({
  heapMb: 256,
  stackMb: 4,
  /** Memory of a thread outside of its heap, such as buffers, as each heartbeat reports it. */
  externalBytes: 256 * 1024 * 1024,
  heartbeatMs: second,
  /** A thread that leaves this many heartbeats in a row unanswered is ended. */
  missedHeartbeats: 5,
  loadMs: 30 * second,
  /** How long a thread blocks for the answer of the node to a synchronous call. */
  syncCallMs: 5 * second,
  /** Requests that the adapters of one thread may have open at the node. */
  openRequests: 1_000,
  logLinesPerSecond: 50,
  /** The wait before the first restart. Each further one is twice as long, up to the most. */
  restartMs: 100,
  restartMaxMs: 30 * second,
  /** A thread that lived for longer than this has no earlier failures counted against it. */
  stableMs: minute,
  /** Lists of device capabilities of one adapter whose traits are cached. */
  traitsCached: 10_000,
} as const)
