/** Constants of the campaign scenarios' candidates. */

/** The default number of shards of a node. */
export const shards = 16

/** More recipients than all windows of a run can send to. */
export const audience = 50_000
export const smallAudience = 10_000

/** The bound for a stage: this many people in this time. */
export const allowedPeople = 1_000
export const allowedMs = 100
