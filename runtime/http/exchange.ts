/** A request and its reply as the pipeline sees them: the same whether they came by a socket or were injected. */
import type { AnswerBody } from './route.js'

/**
 * A request as its head arrived. `header` and `body` may be called only before the first await: the socket underneath
 * keeps neither any longer.
 */
export interface Incoming {
  readonly method: string
  /** As sent: percent-encoded, without the query. */
  readonly path: string
  /** What stood after the question mark, without it. */
  readonly query: string
  /** The first header of that lower-case name; empty when there is none. */
  header(name: string): string
  /** Collects the body; resolves to undefined as soon as it passes the limit. */
  body(limitBytes: number): Promise<Uint8Array | undefined>
  readonly connection: Connection
}

export interface Connection {
  remoteAddress(): string
  /** Fires when the client has gone. */
  readonly signal: AbortSignal
}

export interface Reply {
  readonly status: number
  readonly requestId: string
  /** Content type of the body; absent where there is none. */
  readonly type?: string
  readonly body?: AnswerBody
  readonly headers?: Readonly<Record<string, string>>
  /** For a page of ours that asked across our listeners. */
  readonly cors?: Readonly<Record<string, string>>
  /** The rest of the request was not read, so the connection cannot be used again. */
  readonly close?: true
}

export type Serve = (incoming: Incoming) => Promise<Reply>

/** Gives every header of a reply to `write`, those that all replies carry first. */
export function writeHeaders(reply: Reply, write: (name: string, value: string) => void): void {
  write('x-request-id', reply.requestId)
  write('x-content-type-options', 'nosniff')
  if (!reply.headers || !('cache-control' in reply.headers)) write('cache-control', 'no-store')
  if (reply.type) write('content-type', reply.type)
  for (const name in reply.headers) write(name, reply.headers[name]!)
  for (const name in reply.cors) write(name, reply.cors[name]!)
}
