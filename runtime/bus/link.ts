/** What the parts of the bus ask of the connection to the servers. Only nats.ts knows how it is made. */
import type { Clock } from '../clock.js'
import type { Log } from '../observe/log.js'

export interface Message {
  readonly subject: string
  /** Empty when nobody waits for an answer. */
  readonly replyTo: string
  readonly body: Uint8Array
  /** What the servers themselves have to say, such as `noResponders`; 0 when somebody else speaks. */
  readonly status: number
  /** Empty when there is none. */
  header(name: string): string
}

/** The status with which the servers answer a request that nobody listens to. */
export const noResponders = 503

export type Headers = Readonly<Record<string, string>>

export interface ServerFacts {
  /** Host and port. */
  readonly address: string
  readonly version: string
  readonly payloadBytes: number
  readonly clustered: boolean
}

/**
 * A connection that is made again for ever. Messages from one sender arrive in the order of sending, or not at all.
 * Whoever listens listens on after the servers were away; what was sent meanwhile did not reach it.
 */
export interface Link {
  /** The server it is connected to, or was last. */
  server(): ServerFacts
  /** Throws BusUnreachable while the servers are away. That it did not throw does not say that it arrived. */
  send(subject: string, body: Uint8Array, replyTo?: string, headers?: Headers): void
  hear(subject: string, heard: (message: Message) => void): () => void
  /** Why the servers cannot be reached just now, in a sentence. */
  failure(): string | undefined
  /** Told each time the servers are lost, with the sentence, and each time they are back, without one. */
  watch(seen: (failure: string | undefined) => void): () => void
}

export type BusLog = Pick<Log, 'info' | 'warn' | 'error'>

/** What every part of the bus works with. */
export interface Surroundings {
  readonly link: Link
  readonly clock: Clock
  readonly log: BusLog
  /** Aborted when the bus is closed: nothing is tried again after that. */
  readonly closing: AbortSignal
}

/** A pause between two tries. */
export function pause({ clock }: Pick<Surroundings, 'clock'>, ms: number): Promise<void> {
  return new Promise((resolve) => clock.wake(clock.now() + ms, resolve))
}
