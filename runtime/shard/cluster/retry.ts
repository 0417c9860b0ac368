/** Retries calls to servers that do not answer yet: a stream without a leader has one a moment later. */

import type { Clock } from '../../clock.js'
import { BusUnreachable } from '../../nats/contract.js'
import { sleep } from '../../time.js'
import { cluster as limits } from '../limits.js'

/**
 * Retries for `joinMs` while the call gets no answer, or none that `isAccepted` accepts; then returns the last answer.
 */
export async function retryUntil<T>(
  clock: Clock,
  call: () => Promise<T>,
  isAccepted: (answer: T) => boolean = () => true,
): Promise<T> {
  for (const deadline = clock.monotonic() + limits.joinMs; ; await sleep(clock, limits.retryMs)) {
    try {
      const answer = await call()
      if (isAccepted(answer) || clock.monotonic() >= deadline) return answer
    } catch (error) {
      if (!(error instanceof BusUnreachable) || clock.monotonic() >= deadline) throw error
    }
  }
}
