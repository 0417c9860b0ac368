/** An even pace: how long the next has to wait so that no more go out in a second than may. */

export interface RateLimiter {
  /** Milliseconds until the next may go; nothing, or less than nothing, when it may go at once. */
  waitMs(now: number): number
  consume(now: number): void
}

/** Nobody saves up while nothing is sent: after a pause the pace is the same. */
export function createRateLimiter(perSecond: number, burstMs: number): RateLimiter {
  const everyMs = 1_000 / perSecond
  let due = Number.NEGATIVE_INFINITY
  return {
    waitMs: (now) => due - burstMs - now,
    consume(now) {
      due = Math.max(due, now) + everyMs
    },
  }
}
