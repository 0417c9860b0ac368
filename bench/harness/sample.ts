/** A measured window and its result: operations, failures, latencies, processor time, memory. */

/** One measured stretch of time: load is put on for `warmSeconds` unmeasured and then for `seconds`. */
export interface Window {
  readonly warmSeconds: number
  readonly seconds: number
  /** Concurrent operations: connections of an HTTP load, writers of a store. */
  readonly concurrency: number
  /** How many operations a window has, where a scenario counts its work; `seconds` is then ignored. */
  readonly operations?: number
}

export type Percentile = readonly [percent: number, ms: number]

/**
 * Latencies of parts of a window. `excluding`: operations outside the effect that the candidate shows; `latencyMs`
 * covers the others. `noStall` and `noStallExcluding` are the same without the operations that met a stall of the
 * machine.
 */
export type LatencyPart = 'excluding' | 'noStall' | 'noStallExcluding'

/** The result of one window. */
export interface Sample {
  readonly operations: number
  readonly seconds: number
  /** Failures by reason: `status 401`, `connection closed`. A sample with failures proves nothing. */
  readonly failures: Readonly<Record<string, number>>
  readonly bytes: number
  readonly latencyMs: readonly Percentile[]
  /** Latencies of parts of its work, where a candidate separates them. */
  readonly partsMs?: Readonly<Record<LatencyPart, readonly Percentile[]>>
  /** How many operations met a stall of the machine, where the scenario looks for stalls. */
  readonly unsteady?: number
  /** Processor time of the candidate's process in the measured part of the window. */
  readonly cpuMicros: number
  /** Cores that the load kept busy; absent where the candidate loads itself. */
  readonly loadCores?: number
  /** How often the candidate committed to the disk or to a log, where the bench can see it. */
  readonly transactions?: number
  /** Memory of the process during the work, in the order of `operations`, where a scenario reads it. */
  readonly memory?: readonly MemoryReading[]
  /** The slices of the window, where the load takes them. */
  readonly timeline?: readonly Slice[]
}

/** One slice of a window; all slices have the same length. */
export interface Slice {
  /** Seconds since measuring began, at the end of the slice. */
  readonly atSeconds: number
  /** Operations a second. */
  readonly rate: number
  /** Absent where no operation completed. */
  readonly p50?: number
  readonly p99?: number
  /** The candidate's resident memory at that time. */
  readonly residentBytes?: number
}

/** A reading after a garbage collection, at this count of operations. */
export interface MemoryReading {
  readonly operations: number
  /** The JavaScript heap and the memory that its objects hold outside it. */
  readonly usedBytes: number
  /** All that the system counts for the process, pages of mapped files included. */
  readonly residentBytes: number
}
