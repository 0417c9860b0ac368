/** What the budget scenario is about: how fast time goes in its node, and what a platform asks besides. */
import { outreachSend } from '../../../core/limits/index.js'
import type { Calls } from './calls.js'

/** Twelve times as fast as a clock: a send is picked up five seconds after it was accepted, within the measured time. */
export const timeScale = 4

/** By then a send must be with the provider: picked up with those of its step, and a while for its way. */
export const finalAfterMs = (outreachSend.pickupMs + outreachSend.pickupStepMs) / timeScale + 5_000

/** One call in so many is the step of an earlier one again. */
export const repeatEvery = 20
export const statusEveryMs = 200

export interface BudgetLoad extends Calls {
  /** Without the id of a send. */
  readonly statusPath: string
  /** Another, so that looking takes nothing from the budget of sending. */
  readonly statusKey: string
  /** All that a full budget holds at once, in place of a steady pace. */
  readonly isBurst: boolean
}
