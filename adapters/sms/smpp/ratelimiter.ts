/** Rate limiter of a session: spreads submits evenly over each second. */

export interface RateLimiter {
  /** Milliseconds until the next submit may be sent; zero or less: now. */
  waitMs(now: number): number
  consume(now: number): void
}

/** Idle time saves up no extra capacity beyond `burstMs`. */
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
