/** One request on its socket: read while it may be, answered once, and never touched after its client has left. */
import { collectBody } from './body.js'
import { type Incoming, type Reply, writeHeaders } from './exchange.js'
import type { AnswerBody } from './route.js'
import { sendBody, sendStream } from './send.js'
import type { RequestHead, Socket } from './server.js'
import { statusLine } from './status.js'

/** The listener that a request came through. */
export interface Lobby {
  /** No more requests are wanted: each reply ends its connection. */
  readonly closing: boolean
  /** Called once a request is over, whether it was answered, failed on the way out, or its client left. */
  over(error?: unknown): void
}

export class SocketExchange implements Incoming {
  readonly method: string
  readonly path: string
  readonly query: string
  /** The client has left, and the socket must not be touched any more. */
  gone = false
  private isOver = false
  private calls: (() => void)[] | undefined
  private aborting: AbortController | undefined
  private address: string | undefined

  constructor(
    private readonly socket: Socket,
    private readonly head: RequestHead,
    private readonly lobby: Lobby,
  ) {
    this.method = head.getCaseSensitiveMethod()
    this.path = head.getUrl()
    this.query = head.getQuery() ?? ''
    socket.onAborted(() => {
      this.gone = true
      this.end()
      for (const call of this.calls ?? []) call()
    })
  }

  header(name: string): string {
    return this.head.getHeader(name)
  }

  body(limitBytes: number, done: (bytes: Buffer | undefined) => void): void {
    collectBody(this.socket, limitBytes, done)
  }

  whenGone(call: () => void): void {
    if (this.gone) return call()
    this.calls ??= []
    this.calls.push(call)
  }

  remoteAddress(): string {
    this.address ??= this.gone ? '' : Buffer.from(this.socket.getRemoteAddressAsText()).toString()
    return this.address
  }

  /** Made only for the handlers that look at it. */
  get signal(): AbortSignal {
    if (!this.aborting) {
      const controller = new AbortController()
      this.aborting = controller
      this.whenGone(() => controller.abort())
    }
    return this.aborting.signal
  }

  respond(reply: Reply): void {
    if (this.gone || this.isOver) return
    let rest: Promise<void> | undefined
    this.socket.cork(() => {
      rest = this.write(reply, reply.close || this.lobby.closing)
    })
    if (!rest) return this.end()
    rest.then(
      () => this.end(),
      (error) => {
        if (!this.gone) this.socket.close()
        this.end(error)
      },
    )
  }

  /** The promise, if any, is of the last byte. */
  private write(reply: Reply, close: boolean): Promise<void> | undefined {
    const { socket } = this
    const { body } = reply
    if (reply.status !== 200) socket.writeStatus(statusLine(reply.status))
    writeHeaders(reply, socket)
    if (this.method === 'HEAD') {
      socket.endWithoutBody(body === undefined ? 0 : isStream(body) ? undefined : Buffer.byteLength(body), close)
      return undefined
    }
    return isStream(body) ? sendStream(socket, body, this) : sendBody(socket, body, this, close)
  }

  private end(error?: unknown): void {
    if (this.isOver) return
    this.isOver = true
    this.lobby.over(error)
  }
}

function isStream(body: AnswerBody | undefined): body is AsyncIterable<Uint8Array | string> {
  return body !== undefined && typeof body !== 'string' && !(body instanceof Uint8Array)
}
