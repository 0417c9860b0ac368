/** Delays: under the time scale, and growing with failures. */

/** A delay of the product under `PARLEY_TIME_SCALE`, which divides it; in whole milliseconds. */
export function scaledMs(ms: number, timeScale: number): number {
  return Math.ceil(ms / timeScale)
}

export interface Backoff {
  readonly firstMs: number
  readonly mostMs: number
  /** The share of the wait that chance may remove, so that retries spread out. */
  readonly jitterShare?: number
}

/**
 * The wait after that many failures in a row, the first being 1: doubles each time up to `mostMs`. `random` is from 0
 * to 1.
 */
export function backoffMs(failures: number, { firstMs, mostMs, jitterShare = 0 }: Backoff, random = 0): number {
  const fullMs = Math.min(mostMs, firstMs * 2 ** Math.min(failures - 1, 30))
  return fullMs * (1 - jitterShare * random)
}
