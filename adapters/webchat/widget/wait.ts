/** How long a page waits before it tries again. */
import { backoffMs } from '../../../core/time.js'

const wait = { firstMs: 500, mostMs: 30_000, jitterShare: 0.5 }

/** Anywhere between half and the whole of a wait that doubles: pages that lost the line together do not return together. */
export function waitMs(failures: number, random: number): number {
  return Math.round(backoffMs(failures + 1, wait, 1 - random))
}
