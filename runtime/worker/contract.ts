/** Worker threads: jobs that would block the event loop. */
import type { Jobs } from './jobs.js'

export type JobName = keyof Jobs

/** Why there is no result: too many jobs wait, the job took too long or too much memory, or the thread ended. */
export type NoResult = 'full' | 'tooLong' | 'failed'

/**
 * A job is a pure function of its input, which is copied to the thread; bytes may be transferred instead, and the
 * caller must not use them afterwards. At most `worker.threads` jobs run at a time, one of each owner, and
 * `worker.waitingJobs` wait, `waitingJobsPerOwner` of each. Owners take turns; the jobs of one owner run in order. So
 * an owner with many jobs delays another by one job at most. A job that is not done in `worker.jobMs` is ended with its
 * thread. A job runs once; the caller decides whether to retry.
 */
export interface Workers {
  /** Calls `onPart` with each part of the result, in order, each in its own turn of the event loop. */
  run<N extends JobName>(owner: string, job: N, work: Work<N>): Promise<NoResult | 'done'>
  /** Ends the threads; jobs that run or wait fail. */
  close(): Promise<void>
}

export interface Work<N extends JobName> {
  readonly input: Jobs[N]['input']
  readonly onPart: (part: Jobs[N]['part']) => void
  readonly transfer?: readonly ArrayBuffer[]
}

/** Messages to a thread and from it. */
export type ToThread =
  | { readonly id: number; readonly job: JobName; readonly input: unknown }
  | { readonly id: number; readonly next: true }
export type FromThread =
  | { readonly id: number; readonly part: unknown }
  | { readonly id: number; readonly isDone: true }
  | { readonly id: number; readonly failed: string }
