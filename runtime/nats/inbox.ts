/**
 * Requests whose answers arrive at one subscription, each at its own address. The `request` of the library makes a
 * commit a sixth slower (ops/decisions/076), and returns a single message.
 */
import { randomBytes } from 'node:crypto'
import type { Msg } from '@nats-io/transport-node'
import { type BusContext, callSafely } from './connection.js'
import { BusUnreachable } from './contract.js'
import { busError, Timeout } from './errors.js'

export interface Inbox {
  /**
   * Gives `send` the address for answers, and resolves with the first result of `parse` that is not undefined. Rejects
   * when either throws, with a Timeout after `withinMs`, and with a BusUnreachable as soon as the servers are lost.
   */
  request<T>(withinMs: number, send: (reply: string) => void, parse: (message: Msg) => T | undefined): Promise<T>
}

interface Waiting {
  onMessage(message: Msg): void
  fail(reason: unknown): void
}

export function createInbox({ connection, clock, log }: BusContext): Inbox {
  const prefix = `_INBOX.${randomBytes(12).toString('hex')}.`
  const pendingRequests = new Map<string, Waiting>()
  let requests = 0
  connection.clients.nats.subscribe(`${prefix}*`, {
    callback(error, message) {
      if (!error) callSafely(log, () => pendingRequests.get(message.subject)?.onMessage(message))
    },
  })
  connection.watch((failure) => {
    if (failure !== undefined) for (const { fail } of [...pendingRequests.values()]) fail(new BusUnreachable(failure))
  })

  return {
    request: (withinMs, send, parse) =>
      new Promise((resolve, reject) => {
        const reply = `${prefix}${requests++}`
        function close(): void {
          pendingRequests.delete(reply)
          cancelTimeout()
        }
        function fail(reason: unknown): void {
          close()
          reject(busError(reason))
        }
        function onMessage(message: Msg): void {
          try {
            const parsed = parse(message)
            if (parsed === undefined) return
            close()
            resolve(parsed)
          } catch (error) {
            fail(error)
          }
        }
        const cancelTimeout = clock.setTimer(clock.now() + withinMs, () => fail(new Timeout('No answer came in time.')))
        pendingRequests.set(reply, { onMessage, fail })
        try {
          const failure = connection.failure()
          if (failure !== undefined) throw new BusUnreachable(failure)
          send(reply)
        } catch (error) {
          fail(error)
        }
      }),
  }
}
