/** The servers of the bus as one: their data, whether they answer, and the path of a node's request and answer. */

import { BusUnreachable } from '../../../runtime/nats/contract.js'
import { bus as limits } from '../../../runtime/nats/limits.js'
import type { NodeClock } from './clock.js'
import type { Incarnation } from './life.js'
import type { Link } from './link.js'
import type { Rng } from './rng.js'
import type { Timeline } from './timeline.js'

/** One process's connection to the bus. */
export interface Connection {
  readonly incarnation: Incarnation
  readonly link: Link
  readonly clock: NodeClock
  /** False once the process has closed it or the servers have noticed the end of the process. */
  readonly isOpen: () => boolean
}

export interface Servers {
  /** Stops all servers, or restarts them with their data. */
  setUp(up: boolean): void
  isUp(): boolean
  /**
   * Runs an operation once on the servers and returns its result. Without an answer in time it throws BusUnreachable,
   * whether or not the operation is done now, later, or never. An idempotent one may reach them twice.
   */
  request<T>(connection: Connection, work: () => T, options?: { mayRepeat: boolean }): Promise<T>
  /** Called when the servers are back. */
  onUp(call: () => void): void
}

const repeatsMs = [1, 8_000] as const

export function openServers(timeline: Timeline, rng: Rng): Servers {
  const returns: (() => void)[] = []
  let up = true
  return {
    setUp(isUp) {
      const back = isUp && !up
      up = isUp
      if (back) for (const call of returns) call()
    },
    isUp: () => up,
    request<T>({ incarnation, link, clock, isOpen }: Connection, work: () => T, { mayRepeat } = { mayRepeat: false }) {
      return incarnation.outside<T>(({ resolve, reject }) => {
        let answered = false
        const complete = (call: () => void) => {
          if (answered) return
          answered = true
          cancel()
          call()
        }
        const unreachable = () => complete(() => reject(new BusUnreachable('The simulated servers did not answer.')))
        const cancel = timeline.after(clock.worldMs(limits.requestMs), unreachable)
        if (!isOpen() || link.isKnownDown()) {
          timeline.after(rng.between(0.1, 2), unreachable)
          return
        }
        const arrive = () => {
          if (!up) return
          const result = work()
          link.transmit('toNode', () => complete(() => resolve(result)))
        }
        link.transmit('toBus', arrive)
        if (mayRepeat && link.repeats()) timeline.after(rng.between(...repeatsMs), () => link.transmit('toBus', arrive))
      })
    },
    onUp: (call) => void returns.push(call),
  }
}
