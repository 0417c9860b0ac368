/** Calls of the JetStream API that may be repeated. */

import type { BusContext, Clients } from './connection.js'
import { Timeout } from './errors.js'
import { bus as limits } from './limits.js'

/**
 * Calls again every half second until one of the calls is answered: a stream that is electing its leader answers no
 * call made meanwhile, and the client would wait for the first one until it times out.
 */
export function callUntilAnswered<T>(
  { connection, clock }: Pick<BusContext, 'connection' | 'clock'>,
  work: (clients: Clients) => Promise<T>,
): Promise<T> {
  const endsAt = clock.monotonic() + limits.requestMs
  return new Promise((resolve, reject) => {
    let cancel = () => {}
    function finish(resolveOrReject: () => void): void {
      cancel()
      resolveOrReject()
    }
    function callOnce(): void {
      if (clock.monotonic() >= endsAt) return reject(new Timeout('No answer came in time.'))
      cancel = clock.setTimer(clock.now() + limits.requestRetryMs, callOnce)
      connection.call(work).then(
        (answer) => finish(() => resolve(answer)),
        (error) => error instanceof Timeout || finish(() => reject(error)),
      )
    }
    callOnce()
  })
}
