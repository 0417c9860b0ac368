/** How long a page waits before it tries again. */
import { backoffMs } from '../../../core/time.js'

const reconnectBackoff = { firstMs: 500, mostMs: 30_000, jitterShare: 0.5 }

/** Anywhere between half and the whole of a wait that doubles: pages that lost the line together do not return together. */
export function reconnectDelayMs(failures: number, random: number): number {
  return Math.round(backoffMs(failures + 1, reconnectBackoff, 1 - random))
}
