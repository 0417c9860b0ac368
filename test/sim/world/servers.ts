/** The servers of the bus as one: what they hold, whether they answer, and how a node's request gets to them and back. */
import { bus as limits } from '../../../core/limits.js'
import { BusUnreachable } from '../../../runtime/bus/contract.js'
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
   * whether or not it was done, is done later, or never.
   */
  ask<T>(connection: Connection, work: () => T, withinMs?: number): Promise<T>
  /** Told when the servers come back. */
  onUp(call: () => void): void
}

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
    ask<T>({ life, link, clock, isOpen }: Connection, work: () => T, withinMs = limits.requestMs) {
      return life.outside<T>(({ resolve, reject }) => {
        let answered = false
        const settle = (call: () => void) => {
          if (answered) return
          answered = true
          cancel()
          call()
        }
        const unreachable = () => settle(() => reject(new BusUnreachable('The simulated servers did not answer.')))
        const cancel = timeline.after(clock.worldMs(withinMs), unreachable)
        if (!isOpen() || link.isKnownDown()) {
          timeline.after(rng.between(0.1, 2), unreachable)
          return
        }
        link.carry('toBus', () => {
          if (!up) return
          const result = work()
          link.carry('toNode', () => settle(() => resolve(result)))
        })
      })
    },
    onUp: (call) => void returns.push(call),
  }
}
