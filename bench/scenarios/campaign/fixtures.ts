/** What the candidates of the campaign scenarios have in common. */

/** As a node has them unless it is told otherwise. */
export const shards = 16

/** More than all windows of a run can send to. */
export const audience = 50_000
export const smallAudience = 10_000

/** The least that a stage is held to: so many people, in so long. */
export const allowedPeople = 1_000
export const allowedMs = 100
