/** Limits of send budgets. */
import { second } from '../durations.js'

/** The rate of messages in bulk over one binding, unless its provider sets another. */
export const bulk = Object.freeze({
  perSecond: 100,
  /** Messages of one step leave together. */
  everyMs: 100,
  /**
   * A message that leaves within this time waits in the send queue; one that leaves later waits among the paced
   * messages.
   */
  sendQueueMs: second,
  /** How often messages that did not wait are counted against the budget. */
  reportEveryMs: second,
} as const)
