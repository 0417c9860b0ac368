/** What a query answers: at once, or made in steps with a turn for everything else between two of them. */
import type { Steps } from '../../core/steps.js'
import type { Clock } from '../clock.js'
import type { Reader } from '../store/contract.js'
import type { Query } from './contract.js'

/** A promise of it where it is made in steps. */
export function answerOf(query: Query<unknown, unknown>, reader: Reader, input: unknown, clock: Clock): unknown {
  const { inSteps } = query
  return inSteps?.isFor(input) ? walked(inSteps.read(reader, input), clock) : query.read(reader, input)
}

/** The first step is made at once. */
function walked<R>(steps: Steps<R>, clock: Clock): Promise<R> {
  return new Promise((resolve, reject) => {
    function step(): void {
      try {
        const { done, value } = steps.next()
        if (done) resolve(value)
        else clock.soon(step)
      } catch (error) {
        reject(error)
      }
    }
    step()
  })
}
