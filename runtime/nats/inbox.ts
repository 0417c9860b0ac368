/**
 * Requests whose answers arrive at one subscription, each at an address of its own. The `request` of the library takes
 * longer, by a sixth of the time of a commit (ops/decisions/073), and its answer is a single message.
 */
import { randomBytes } from 'node:crypto'
import type { Msg } from '@nats-io/transport-node'
import { type BusContext, guarded } from './connection.js'
import { BusUnreachable } from './contract.js'
import { busError, Timeout } from './errors.js'

export interface Inbox {
  /**
   * Gives `send` the address for answers, and resolves with the first result of `take` that is not undefined. Rejects when
   * either throws, with a Timeout after `withinMs`, and with a BusUnreachable as soon as the servers are lost.
   */
  request<T>(withinMs: number, send: (reply: string) => void, take: (message: Msg) => T | undefined): Promise<T>
}

interface Waiting {
  answered(message: Msg): void
  failed(why: unknown): void
}

export function createInbox({ connection, clock, log }: BusContext): Inbox {
  const prefix = `_INBOX.${randomBytes(12).toString('hex')}.`
  const waiting = new Map<string, Waiting>()
  let requests = 0
  connection.clients.nats.subscribe(`${prefix}*`, {
    callback(error, message) {
      if (!error) guarded(log, () => waiting.get(message.subject)?.answered(message))
    },
  })
  connection.watch((failure) => {
    if (failure !== undefined) for (const { failed } of [...waiting.values()]) failed(new BusUnreachable(failure))
  })

  return {
    request: (withinMs, send, take) =>
      new Promise((resolve, reject) => {
        const reply = `${prefix}${requests++}`
        function close(): void {
          waiting.delete(reply)
          stopClock()
        }
        function failed(why: unknown): void {
          close()
          reject(busError(why))
        }
        function answered(message: Msg): void {
          try {
            const taken = take(message)
            if (taken === undefined) return
            close()
            resolve(taken)
          } catch (error) {
            failed(error)
          }
        }
        const stopClock = clock.wake(clock.now() + withinMs, () => failed(new Timeout('No answer came in time.')))
        waiting.set(reply, { answered, failed })
        try {
          const failure = connection.failure()
          if (failure !== undefined) throw new BusUnreachable(failure)
          send(reply)
        } catch (error) {
          failed(error)
        }
      }),
  }
}
