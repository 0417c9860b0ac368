/** What a scenario is: candidates measured in turn beside their limit, and the ratios between them that must hold. */
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
   * The other candidates are stopped while one is measured. Scenarios that compare tails need it: another process that
   * collects its garbage after its window is enough to make one.
   */
  readonly pausesOthers?: true
  /** A sentence saying what this machine lacks, when the scenario cannot run here. */
  readonly missing?: () => string | undefined
}
