/** Parameters of the budget scenario: the time scale of its node, and the platform's other calls. */
import { outreachSend } from '../../../core/limits/index.js'
import type { Calls } from './calls.js'

/** Four times as fast as a clock, so that the node picks sends up within the measured time. */
export const timeScale = 4

/** The time by which the provider must have a send: pickup with its step, plus delivery. */
export const finalAfterMs = (outreachSend.pickupMs + outreachSend.pickupStepMs) / timeScale + 5_000

/** One call in this many repeats an earlier step. */
export const repeatEvery = 20
export const statusEveryMs = 200

export interface BudgetLoad extends Calls {
  /** The path without the id of a send. */
  readonly statusPath: string
  /** A separate key, so that status reads take nothing from the budget of sending. */
  readonly statusKey: string
  /** Sends the whole burst of a full budget at once instead of a steady rate. */
  readonly isBurst: boolean
}
