/** WebSockets as the rest of the node uses them: accepting requests, receiving and sending text. */
import type { Refusal } from '../../core/errors.js'

export interface SocketAcceptor {
  readonly limits: SocketLimits
  /** Whether upgrades on that path are this acceptor's; a request for any other is served as an ordinary one. */
  handles(path: string): boolean
  /**
   * Returns the listener of an accepted socket. The decision is synchronous and made from the request alone. Checks
   * that need a lookup run on the open socket, where a page can learn why it is closed; a browser hides the reason of a
   * refusal here from the page.
   */
  accept(request: SocketRequest): SocketListener | Refusal
}

/** The head of a request for a socket. */
export interface SocketRequest {
  readonly path: string
  /** The part of the URL after the question mark. */
  readonly query: string
  /** Empty when the client is no browser. */
  readonly origin: string
  readonly remoteAddress: string
}

/** `onOpen` is called first and `onClose` last, each exactly once; the others any number of times in between. */
export interface SocketListener {
  onOpen(socket: LiveSocket): void
  /** Called with each text message. A binary message is passed on as empty text. */
  onMessage(text: string): void
  /** Called when fewer bytes wait to be sent than before. */
  onDrain(): void
  onClose(): void
}

/** Every method may be called at any time. On a closed socket it has no effect. */
export interface LiveSocket {
  /** `dropped`: not sent, because more than `bufferedMaxBytes` would wait. */
  send(text: string): 'sent' | 'dropped'
  bufferedBytes(): number
  close(code: number, reason: string): void
}

export interface SocketLimits {
  readonly frameBytes: number
  readonly bufferedMaxBytes: number
  readonly idleSeconds: number
  readonly lifetimeMinutes: number
}
