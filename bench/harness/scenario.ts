/** The scenario type: candidates measured in turn beside their limit, and the ratios between them that must hold. */
import type { Ratio } from './metrics.js'
import type { CandidateProcess, Program } from './process.js'
import type { Sample, Window } from './sample.js'

/** Puts load on a running candidate and measures it. */
export type Load = (subject: CandidateProcess, window: Window) => Promise<Sample>

export interface Candidate extends Program {
  readonly role: 'limit' | 'ours' | 'peer'
  readonly about: string
  readonly load: Load
}

export interface Scenario {
  readonly name: string
  readonly purpose: string
  /** The unit that is counted: `requests`, `commits`. */
  readonly unit: string
  /** In the order of measuring, the limit first. */
  readonly candidates: readonly Candidate[]
  readonly ratios: readonly Ratio[]
  /** Length and number of windows, unless the command line sets them. */
  readonly seconds: number
  readonly rounds: number
  /** Concurrent operations, where the default is too low. */
  readonly concurrency?: number
  /** Operations of a window, in a scenario whose work is counted and not timed. */
  readonly operations?: number
  /**
   * Stops the other candidates while one is measured. Scenarios that compare tail latencies need this: a garbage
   * collection in another process is enough to raise a p99.
   */
  readonly pausesOthers?: true
  /** A sentence that names what this machine lacks, when the scenario cannot run here. */
  readonly missing?: () => string | undefined
}
