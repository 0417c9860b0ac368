/** Constants of the campaign scenarios' candidates. */
import { bulk } from '../../../core/limits/index.js'

/** More recipients than all windows of a run can send to. */
export const audience = 50_000
export const smallAudience = 10_000

/** Recipients that all windows of a paced run can reach, and the pace: the default for providers that declare none. */
export const pacedAudience = 10_000
export const recipientMs = 1_000 / bulk.perSecond

/** The bound for a stage: this many people in this time. */
export const allowedPeople = 1_000
export const allowedMs = 100
