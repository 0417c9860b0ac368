/** The numbers of send budgets; they are read through `limits.ts`. */
import { second } from '../durations.js'

/** Messages in bulk leave over one binding at this pace, unless its provider says otherwise. */
export const bulk = {
  perSecond: 100,
  /** Messages of one step leave together. */
  everyMs: 100,
  /** A message that leaves within this time waits where it is handed over; one that leaves later waits in its conversation. */
  soonMs: second,
  /** Messages that did not wait are counted against the budget this often. */
  reportEveryMs: second,
} as const
