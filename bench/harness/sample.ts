/** A measured window and its result: operations, failures, latencies, processor time, memory. */

/** One measured stretch of time: load is put on for `warmSeconds` unmeasured and then for `seconds`. */
export interface Window {
  readonly warmSeconds: number
  readonly seconds: number
  /** Connections of an HTTP load, writers of a store: how many operations are on their way at any moment. */
  readonly concurrency: number
  /** How many operations there are, where a scenario counts its work: then the time above is not looked at. */
  readonly operations?: number
}

export type Percentile = readonly [percent: number, ms: number]

/**
 * `without` is what came in between without what the candidate shows, and `latencyMs` is of the rest. Those that are
 * `steady` met no standstill of the machine; so the first two differ by what the candidate shows and nothing else.
 */
export type LatencyPart = 'excluding' | 'noStall' | 'noStallExcluding'

/** What one window yields. */
export interface Sample {
  readonly operations: number
  readonly seconds: number
  /** What went wrong and how often: `status 401`, `connection closed`. A sample with failures proves nothing. */
  readonly failures: Readonly<Record<string, number>>
  readonly bytes: number
  readonly latencyMs: readonly Percentile[]
  /** Of parts of what it did, where a candidate tells them apart. */
  readonly partsMs?: Readonly<Record<LatencyPart, readonly Percentile[]>>
  /** How many met a standstill of the machine, where that is looked at. */
  readonly unsteady?: number
  /** Processor time of the candidate's process in the measured part of the window. */
  readonly cpuMicros: number
  /** Cores that the load kept busy; absent where the candidate loads itself. */
  readonly loadCores?: number
  /** How often the candidate committed, to the disk or to a log, where that can be seen. */
  readonly transactions?: number
  /** What the process held on its way, in the order of `operations`, where a scenario looks at that. */
  readonly memory?: readonly MemoryReading[]
  /** How it went on within the window, where the load looks at that. */
  readonly timeline?: readonly Slice[]
}

/** A part of a window, as long as its neighbours. */
export interface Slice {
  /** Since measuring began, at the end of the slice. */
  readonly atSeconds: number
  /** Operations a second. */
  readonly rate: number
  /** None where nothing was answered. */
  readonly p50?: number
  readonly p99?: number
  /** What the system counted as the candidate's at that time. */
  readonly residentBytes?: number
}

/** Taken after collecting garbage, when so many operations were done. */
export interface MemoryReading {
  readonly operations: number
  /** Objects of JavaScript and what they hold outside its heap. */
  readonly usedBytes: number
  /** All that the system counts as the process's, pages of mapped files included. */
  readonly residentBytes: number
}
