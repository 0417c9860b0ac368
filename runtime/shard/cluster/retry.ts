/** Waiting for servers that do not answer yet: a stream that has no leader this moment has one in the next. */
import { cluster as limits } from '../../../core/limits/index.js'
import type { Clock } from '../../clock.js'
import { BusUnreachable } from '../../nats/contract.js'
import { sleep } from '../../time.js'

/** Asks again while nobody answers, or the answer is not wanted, for `joinMs`; then the last answer counts. */
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
