/** Waiting for servers that do not answer yet: a stream that has no leader this moment has one in the next. */
import { cluster as limits } from '../../../core/limits.js'
import type { Clock } from '../../clock.js'
import { BusUnreachable } from '../../nats/contract.js'
import { sleep } from '../../time.js'

/** Asks again while nobody answers, or the answer is not wanted, for `joinMs`; then the last answer counts. */
export async function insist<T>(
  clock: Clock,
  ask: () => Promise<T>,
  wanted: (answer: T) => boolean = () => true,
): Promise<T> {
  for (const ends = clock.elapsed() + limits.joinMs; ; await sleep(clock, limits.againMs)) {
    try {
      const answer = await ask()
      if (wanted(answer) || clock.elapsed() >= ends) return answer
    } catch (error) {
      if (!(error instanceof BusUnreachable) || clock.elapsed() >= ends) throw error
    }
  }
}
