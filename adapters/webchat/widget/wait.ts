/** How long a page waits before it tries again. */

const firstWaitMs = 500
const longestWaitMs = 30_000

/** Anywhere between half and the whole of a wait that doubles: pages that lost the line together do not return together. */
export function waitMs(failures: number, random: number): number {
  const most = Math.min(longestWaitMs, firstWaitMs * 2 ** Math.min(failures, 10))
  return Math.round(most / 2 + (most / 2) * random)
}
