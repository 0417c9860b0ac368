/** Retries calls to servers that do not answer yet: a stream without a leader has one a moment later. */

import type { Clock } from '../../clock.js'
import { BusUnreachable } from '../../nats/contract.js'
import { sleep } from '../../time.js'
import type { ClusterLimits } from '../limits.js'

/**
 * Retries for `joinMs` while the call gets no answer, or none that `isAccepted` accepts; then returns the last answer.
 */
export type RetryUntil = <T>(call: () => Promise<T>, isAccepted?: (answer: T) => boolean) => Promise<T>

export function createRetry(clock: Clock, { joinMs, retryMs }: Pick<ClusterLimits, 'joinMs' | 'retryMs'>): RetryUntil {
  return async (call, isAccepted = () => true) => {
    for (const deadline = clock.monotonic() + joinMs; ; await sleep(clock, retryMs)) {
      try {
        const answer = await call()
        if (isAccepted(answer) || clock.monotonic() >= deadline) return answer
      } catch (error) {
        if (!(error instanceof BusUnreachable) || clock.monotonic() >= deadline) throw error
      }
    }
  }
}
