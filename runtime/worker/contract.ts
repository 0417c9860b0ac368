/** Work that is done in a thread of its own, because it would hold the event loop. */
import type { Jobs } from './jobs.js'

export type JobName = keyof Jobs

/** Why there is no result: too many jobs wait, the job took too long or too much memory, or the thread ended. */
export type NoResult = 'full' | 'tooLong' | 'failed'

/**
 * A job is a pure function of its input, which is copied to the thread; bytes may be moved instead, and are gone here then.
 * At most `worker.threads` jobs run at a time, one of each owner, and `worker.waitingJobs` wait, `waitingJobsPerOwner` of
 * each. Owners take turns; the jobs of one come in order. So whoever asks for much keeps others waiting for one job at the
 * most. A job that is not done in `worker.jobMs` is ended with its thread. A job is run once; the caller decides whether to
 * ask again.
 */
export interface Workers {
  /** Gives each part of the result to `onPart` in a turn of the event loop of its own, in order. */
  run<N extends JobName>(owner: string, job: N, work: Work<N>): Promise<NoResult | 'done'>
  /** Ends the threads; whoever waits is told that the job failed. */
  close(): Promise<void>
}

export interface Work<N extends JobName> {
  readonly input: Jobs[N]['input']
  readonly onPart: (part: Jobs[N]['part']) => void
  readonly transfer?: readonly ArrayBuffer[]
}

/** What goes to a thread and what comes back from it. */
export type ToThread =
  | { readonly id: number; readonly job: JobName; readonly input: unknown }
  | { readonly id: number; readonly next: true }
export type FromThread =
  | { readonly id: number; readonly part: unknown }
  | { readonly id: number; readonly isDone: true }
  | { readonly id: number; readonly failed: string }
