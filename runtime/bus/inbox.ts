/** Where answers arrive: one subscription for all of them, and an address within it for every question. */
import { randomBytes } from 'node:crypto'
import { bus as limits } from '../../core/limits.js'
import { BusUnreachable } from './contract.js'
import type { Headers, Message, Surroundings } from './link.js'

/** The servers are there, and nobody has answered in time. */
export class Silence extends BusUnreachable {}

export interface Address {
  readonly replyTo: string
  close(): void
}

export interface Inbox {
  /**
   * An address for `withinMs`. Then, or as soon as the servers are lost, `failed` is told once and the address is gone:
   * whoever could not hear an answer must not wait for it.
   */
  open(withinMs: number, heard: (message: Message) => void, failed: (why: BusUnreachable) => void): Address
  /** Sends a message and resolves with the first answer, be it the servers' own that nobody listens. */
  ask(subject: string, body: Uint8Array, options?: AskOptions): Promise<Message>
}

export interface AskOptions {
  readonly headers?: Headers
  readonly withinMs?: number
  /** Sent again this often until there is an answer, for what may be asked twice: who should hear it may not be there yet. */
  readonly againMs?: number
}

interface Waiting {
  heard(message: Message): void
  fail(why: BusUnreachable): void
}

export function openInbox({ link, clock }: Pick<Surroundings, 'link' | 'clock'>): Inbox {
  const prefix = `_INBOX.${randomBytes(12).toString('hex')}.`
  const waiting = new Map<string, Waiting>()
  let opened = 0
  link.hear(`${prefix}*`, (message) => waiting.get(message.subject)?.heard(message))
  link.watch((failure) => {
    if (failure !== undefined) for (const each of [...waiting.values()]) each.fail(new BusUnreachable(failure))
  })

  function open(withinMs: number, heard: Waiting['heard'], failed: Waiting['fail']): Address {
    const replyTo = `${prefix}${opened++}`
    const close = () => {
      waiting.delete(replyTo)
      stopClock()
    }
    const fail = (why: BusUnreachable) => {
      close()
      failed(why)
    }
    const stopClock = clock.wake(clock.now() + withinMs, () => fail(new Silence('No answer came in time.')))
    waiting.set(replyTo, { heard, fail })
    return { replyTo, close }
  }

  return {
    open,
    ask(subject, body, { headers, withinMs = limits.requestMs, againMs } = {}) {
      return new Promise((resolve, reject) => {
        let stopAsking = () => {}
        const heard = (message: Message) => {
          address.close()
          stopAsking()
          resolve(message)
        }
        const failed = (why: unknown) => {
          address.close()
          stopAsking()
          reject(why)
        }
        const address = open(withinMs, heard, failed)
        const send = () => {
          try {
            link.send(subject, body, address.replyTo, headers)
            if (againMs !== undefined) stopAsking = clock.wake(clock.now() + againMs, send)
          } catch (error) {
            failed(error)
          }
        }
        send()
      })
    },
  }
}
