/** Messages between nodes: late, lost, reordered, or answered with no listener; none arrives twice. */

import { BusUnreachable, NoResponders, type Rpc } from '../../../runtime/nats/contract.js'
import { bus as limits } from '../../../runtime/nats/limits.js'
import type { Rng } from './rng.js'
import type { Connection, Servers } from './servers.js'
import type { Timeline } from './timeline.js'

export interface ServerRpc {
  of(connection: Connection): Rpc
  /** The share of requests and answers that are lost. */
  trouble(lost: number): void
}

interface Listener {
  readonly connection: Connection
  readonly answer: (body: Uint8Array) => Promise<Uint8Array>
  isActive: boolean
}

/** How often a listener retries its registration. */
const retryMs = 400

export function createServerRpc(timeline: Timeline, rng: Rng, servers: Servers): ServerRpc {
  const subjects = new Map<string, Set<Listener>>()
  let lost = 0

  function listenersOf(subject: string): Listener[] {
    return [...(subjects.get(subject) ?? [])].filter(
      ({ connection }) => connection.isOpen() && !connection.link.isKnownDown(),
    )
  }

  function deliver(listener: Listener, body: Buffer, answered: (answer: Buffer) => void): void {
    const { incarnation, link } = listener.connection
    link.transmit('toNode', () =>
      incarnation.enter(() => {
        if (!listener.isActive) return
        listener.answer(Buffer.from(body)).then(
          (answer) => {
            if (answer.length > limits.messageBytes) throw new Error('an answer is too large for the wire')
            const bytes = Buffer.from(answer)
            if (incarnation.reach()) link.transmit('toBus', () => answered(bytes))
          },
          () => {},
        )
      }),
    )
  }

  return {
    trouble(share) {
      lost = share
    },
    of: (connection) => ({
      request(subject, body, withinMs) {
        if (body.length > limits.messageBytes) throw new Error('a message is too large for the wire')
        const { incarnation, link, clock } = connection
        const bytes = Buffer.from(body)
        return incarnation.outside(({ resolve, reject }) => {
          const cancel = timeline.after(clock.worldMs(withinMs), () =>
            reject(new BusUnreachable('The simulated wire brought no answer.')),
          )
          const back = (call: () => void) => {
            if (!servers.isUp() || rng.chance(lost)) return
            link.transmit('toNode', () => {
              cancel()
              call()
            })
          }
          const arrive = () => {
            if (!servers.isUp()) return
            const listeners = listenersOf(subject)
            if (listeners.length === 0) back(() => reject(new NoResponders(`Nobody serves ${subject}.`)))
            for (const listener of listeners) {
              if (!rng.chance(lost)) deliver(listener, bytes, (answer) => back(() => resolve(answer)))
            }
          }
          if (!connection.isOpen() || link.isKnownDown()) return
          link.transmit('toBus', arrive)
        })
      },
      serve(subject, answer) {
        const listener: Listener = { connection, answer, isActive: true }
        const { incarnation, link } = connection
        function begin(): void {
          if (!listener.isActive || !incarnation.alive()) return
          const arrives = link.transmit('toBus', () => {
            if (!listener.isActive || !incarnation.alive()) return
            const listeners = subjects.get(subject) ?? new Set()
            subjects.set(subject, listeners.add(listener))
          })
          if (!arrives) timeline.after(retryMs, begin)
        }
        if (incarnation.reach()) begin()
        return () => {
          listener.isActive = false
          link.transmit('toBus', () => subjects.get(subject)?.delete(listener))
        }
      },
    }),
  }
}
