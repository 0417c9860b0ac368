/** The servers of the bus as one: what they hold, whether they answer, and how a node's request gets to them and back. */
import { bus as limits } from '../../../core/limits/index.js'
import { BusUnreachable } from '../../../runtime/nats/contract.js'
import type { NodeClock } from './clock.js'
import type { Life } from './life.js'
import type { Link } from './link.js'
import type { Rng } from './rng.js'
import type { Timeline } from './timeline.js'

/** One process's end of the bus. */
export interface Connection {
  readonly life: Life
  readonly link: Link
  readonly clock: NodeClock
  /** False once the process has closed it or the servers have noticed that it is gone. */
  readonly isOpen: () => boolean
}

export interface Servers {
  /** All of them gone, or back with what they had. */
  setUp(up: boolean): void
  isUp(): boolean
  /**
   * Has the servers do something once and brings back what came of it. Without an answer in time it is BusUnreachable,
   * whether or not it was done, is done later, or never. What does nothing the second time may reach them twice.
   */
  ask<T>(connection: Connection, work: () => T, about?: { mayRepeat: boolean }): Promise<T>
  /** Told when the servers come back. */
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
    ask<T>({ life, link, clock, isOpen }: Connection, work: () => T, { mayRepeat } = { mayRepeat: false }) {
      return life.outside<T>(({ resolve, reject }) => {
        let answered = false
        const settle = (call: () => void) => {
          if (answered) return
          answered = true
          cancel()
          call()
        }
        const unreachable = () => settle(() => reject(new BusUnreachable('The simulated servers did not answer.')))
        const cancel = timeline.after(clock.worldMs(limits.requestMs), unreachable)
        if (!isOpen() || link.isKnownDown()) {
          timeline.after(rng.between(0.1, 2), unreachable)
          return
        }
        const arrive = () => {
          if (!up) return
          const result = work()
          link.transmit('toNode', () => settle(() => resolve(result)))
        }
        link.transmit('toBus', arrive)
        if (mayRepeat && link.repeats()) timeline.after(rng.between(...repeatsMs), () => link.transmit('toBus', arrive))
      })
    },
    onUp: (call) => void returns.push(call),
  }
}
