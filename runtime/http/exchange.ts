/** A request and its reply as the pipeline sees them: the same whether they came by a socket or were injected. */

/**
 * A request as its head arrived, and the way to answer it. `body` may be called only in the turn that brought it. `respond` is called once, unless the client leaves before its body has come.
 */
export interface Incoming extends Connection {
  readonly method: string
  /** As sent: percent-encoded, without the query. */
  readonly path: string
  /** What stood after the question mark, without it. */
  readonly query: string
  /** The first header of that lower-case name; empty when there is none. */
  header(name: string): string
  /** Collects the body and hands it over, or undefined as soon as it passes the limit; never, if the client leaves. */
  body(limitBytes: number, to: Receiver): void
  respond(reply: Reply): void
}

export interface Receiver {
  receive(bytes: Buffer | undefined): void
}

export interface Connection {
  /**
   * Whom limits by address count: the other end, or whom a trusted proxy names; of an IPv6 address its /64. The first
   * call must come before the client has gone.
   */
  remoteAddress(): string
  /** Fires when the client has gone. */
  readonly signal: AbortSignal
}

/** A streamed body is pulled only as fast as the client reads. */
export type AnswerBody = Uint8Array | string | AsyncIterable<Uint8Array | string>

export interface Reply {
  readonly status: number
  readonly requestId: string
  /** Content type of the body; absent where there is none. */
  readonly type?: string
  readonly body?: AnswerBody
  readonly bodyBytes?: number
  readonly headers?: Readonly<Record<string, string>>
  /** For a page of ours that asked across our listeners. */
  readonly cors?: Readonly<Record<string, string>>
  /** The rest of the request was not read, so the connection cannot be used again. */
  readonly close?: true
}

/** Nothing is waited for that need not be: a call whose parts are all at hand is answered before this returns. */
export type Serve = (incoming: Incoming) => void

/** Writes every header of a reply, those that all replies carry first. */
export function writeHeaders(reply: Reply, to: { writeHeader(name: string, value: string): unknown }): void {
  const { headers, cors } = reply
  to.writeHeader('x-request-id', reply.requestId)
  to.writeHeader('x-content-type-options', 'nosniff')
  if (!headers || !('cache-control' in headers)) to.writeHeader('cache-control', 'no-store')
  if (reply.type) to.writeHeader('content-type', reply.type)
  if (headers) for (const name of Object.keys(headers)) to.writeHeader(name, headers[name]!)
  if (cors) for (const name of Object.keys(cors)) to.writeHeader(name, cors[name]!)
}
