/** Lengths of time that are computed. */

export interface Backoff {
  readonly firstMs: number
  readonly mostMs: number
  /** The share of the wait that chance may take away, so that not all come back at the same moment. */
  readonly jitterShare?: number
}

/** How long to wait after that many failures in a row, the first being 1: twice as long each time. `random` is from 0 to 1. */
export function backoffMs(failures: number, { firstMs, mostMs, jitterShare = 0 }: Backoff, random = 0): number {
  const fullMs = Math.min(mostMs, firstMs * 2 ** Math.min(failures - 1, 30))
  return fullMs * (1 - jitterShare * random)
}
