/** Delays between reconnects of a page. */
import { backoffMs } from '../../../core/time.js'

const reconnectBackoff = { firstMs: 500, mostMs: 30_000, jitterShare: 0.5 }

/**
 * Doubling delays with a jitter of up to half, so that pages that lost their connection together do not return
 * together.
 */
export function reconnectDelayMs(failures: number, random: number): number {
  return Math.round(backoffMs(failures + 1, reconnectBackoff, 1 - random))
}
