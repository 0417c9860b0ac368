/** What a scenario is: candidates measured in turn beside their limit, and the ratios between them that must hold. */
import type { MetricName } from './metrics.js'
import type { Subject } from './subject.js'

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
export type Part = 'without' | 'steady' | 'steadyWithout'

/** What one window yields. */
export interface Sample {
  readonly operations: number
  readonly seconds: number
  /** What went wrong and how often: `status 401`, `connection closed`. A sample with failures proves nothing. */
  readonly failures: Readonly<Record<string, number>>
  readonly bytes: number
  readonly latencyMs: readonly Percentile[]
  /** Of parts of what it did, where a candidate tells them apart. */
  readonly partsMs?: Readonly<Record<Part, readonly Percentile[]>>
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
  readonly heldBytes: number
  /** All that the system counts as the process's, pages of mapped files included. */
  readonly residentBytes: number
}

/** Puts load on a running candidate and measures it. */
export type Load = (subject: Subject, window: Window) => Promise<Sample>

export interface Candidate {
  readonly name: string
  readonly role: 'limit' | 'ours' | 'peer'
  readonly about: string
  /** A program of this folder, started as a process of its own. */
  readonly program: string
  readonly args?: readonly string[]
  /** Flags of Node itself. */
  readonly flags?: readonly string[]
  /** How much is on record before it is measured, where that is what it shows; it may take minutes to be ready then. */
  readonly filled?: number
  readonly load: Load
}

/** A metric of one candidate over a metric of the same or another, taken within each round; without a bound it is told only. */
export interface Ratio {
  readonly metric: MetricName
  readonly of: string
  readonly over: string
  /** The metric of `over`, when it is not the same. */
  readonly overMetric?: MetricName
  readonly atLeast?: number
  readonly atMost?: number
}

export interface Scenario {
  readonly name: string
  readonly purpose: string
  /** What is counted: `requests`, `commits`. */
  readonly unit: string
  /** In the order of measuring, the limit first. */
  readonly candidates: readonly Candidate[]
  readonly ratios: readonly Ratio[]
  /** How long and how often, unless the command line says otherwise. */
  readonly seconds: number
  readonly rounds: number
  /** Operations on their way at any moment, where the usual number says too little. */
  readonly concurrency?: number
  /** How many operations a window has, in a scenario whose work is counted and not timed. */
  readonly operations?: number
  /**
   * While one candidate is measured the others stand still. For tails: the garbage that another process collects after its
   * window is enough to be one.
   */
  readonly othersRest?: true
  /** A sentence saying what this machine lacks, when the scenario cannot run here. */
  readonly missing?: () => string | undefined
}
