/** A request and its reply as the pipeline sees them, over a socket or injected by a test. */

/**
 * A request whose head has arrived. `body` may be called only in the turn that brought the head. `respond` is called
 * once, unless the client disconnects before its body is complete.
 */
export interface Incoming extends Connection {
  readonly method: string
  /** As sent: percent-encoded, without the query. */
  readonly path: string
  /** The part of the URL after the question mark. */
  readonly query: string
  /** The first header of that name, in lower case; empty when there is none. */
  header(name: string): string
  /** Reads the body and passes it on, or undefined once it exceeds the limit; never, if the client disconnects. */
  body(limitBytes: number, to: Receiver): void
  respond(reply: Reply): void
}

export interface Receiver {
  receive(bytes: Buffer | undefined): void
}

export interface Connection {
  /**
   * The subject of limits by address: the peer, or the client that a trusted proxy names; of an IPv6 address its /64.
   * The first call must be made before the client disconnects.
   */
  remoteAddress(): string
  /** Aborted when the client disconnects. */
  readonly signal: AbortSignal
}

/** A streamed body is pulled no faster than the client reads it. */
export type AnswerBody = Uint8Array | string | AsyncIterable<Uint8Array | string>

export interface Reply {
  readonly status: number
  readonly requestId: string
  /** Content type of the body; absent without a body. */
  readonly type?: string
  readonly body?: AnswerBody
  /** The length of a streamed body, where it is known. */
  readonly bodyBytes?: number
  readonly headers?: Readonly<Record<string, string>>
  /** CORS headers of the reply. */
  readonly cors?: Readonly<Record<string, string>>
  /** The connection cannot be used again, because the rest of the request was not read. */
  readonly close?: true
}

/** Starts a request. It is decided and answered at the end of this turn, unless a step of its pipeline has to wait. */
export type Serve = (incoming: Incoming) => void

/** Writes the headers of a reply, those that every reply has first. */
export function writeHeaders(reply: Reply, to: { writeHeader(name: string, value: string): unknown }): void {
  const { headers, cors } = reply
  to.writeHeader('x-request-id', reply.requestId)
  to.writeHeader('x-content-type-options', 'nosniff')
  if (!headers || !('cache-control' in headers)) to.writeHeader('cache-control', 'no-store')
  if (reply.type) to.writeHeader('content-type', reply.type)
  if (headers) for (const name of Object.keys(headers)) to.writeHeader(name, headers[name]!)
  if (cors) for (const name of Object.keys(cors)) to.writeHeader(name, cors[name]!)
}
