/** Sockets that stay open, as the rest of the house sees them: who may open one, and what can be done with it. */
import type { Refusal } from '../../core/errors.js'

export interface SocketDoor {
  readonly limits: SocketLimits
  /** Whether requests for a socket on that path are meant for this door; others are answered as any request. */
  takes(path: string): boolean
  /**
   * Who comes in gets a listener. It is decided at once, by the request alone: what has to be asked around for is found
   * out over the open socket, which a page can be told the reason on, too; of a refusal here a browser tells it nothing.
   */
  admit(request: SocketRequest): SocketListener | Refusal
}

/** The request that asks for a socket, as its head said. */
export interface SocketRequest {
  readonly path: string
  /** What stood after the question mark, without it. */
  readonly query: string
  /** Empty where no browser sent it. */
  readonly origin: string
  readonly remoteAddress: string
}

/** It is opened, hears and drains, and is closed, in that order; the first and the last exactly once. */
export interface SocketListener {
  opened(socket: LiveSocket): void
  /** One text message; a binary one is empty text. */
  heard(text: string): void
  /** Less waits to be read by the client than before. */
  drained(): void
  closed(): void
}

/** Everything here may be called at any time: on a socket that is closed it does nothing. */
export interface LiveSocket {
  /** `dropped`: more would wait than `bufferedMostBytes`, so it was not sent. */
  send(text: string): 'sent' | 'dropped'
  bufferedBytes(): number
  close(code: number, reason: string): void
}

export interface SocketLimits {
  readonly frameBytes: number
  readonly bufferedMostBytes: number
  readonly idleSeconds: number
  readonly lifetimeMinutes: number
}
