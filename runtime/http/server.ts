/**
 * The only file that speaks to uWebSockets.js, and where its pitfalls are handled: a request dies with its callback, an
 * aborted response must not be touched, and every late write is corked.
 */
import type { HttpRequest, HttpResponse, TemplatedApp, us_listen_socket } from 'uWebSockets.js'
import { refuse } from '../../core/errors.js'
import { http } from '../../core/limits.js'
import type { Log } from '../observe/log.js'
import { collectBody } from './body.js'
import { type Connection, type Incoming, type Reply, type Serve, writeHeaders } from './exchange.js'
import { writeRefusal } from './problem.js'
import type { AnswerBody } from './route.js'
import { sendBody, sendStream } from './send.js'
import { statusLine } from './status.js'

export interface Listening {
  readonly host: string
  readonly port: number
  /** Takes no new connection, lets what is in flight finish until the deadline, then closes every socket. */
  close(deadlineMs: number): Promise<void>
}

export class CannotListen extends Error {
  override readonly name = 'CannotListen'
}

const busy: Reply = {
  ...writeRefusal(
    refuse('service.unavailable', { headers: { 'retry-after': String(http.retryAfterSeconds) } }),
    'problem',
  ),
  requestId: 'none',
}

/** Without this option a second process would silently share the port. The declared types lack this form of the call. */
interface ListensAlone {
  listen(host: string, port: number, options: number, call: (socket: us_listen_socket | false) => void): void
}
const exclusively = 1

export async function listen(options: { host: string; port: number; serve: Serve; log: Log }): Promise<Listening> {
  const { default: uws } = await import('uWebSockets.js')
  const { serve, log } = options
  let inFlight = 0
  let sockets = 0
  let closing = false
  let whenIdle: (() => void) | undefined

  function countSocket(socket: Socket, change: number): void {
    sockets += change
    if (change > 0 && sockets > http.socketsTotal) socket.close()
  }

  const app: TemplatedApp = uws.App()
  app.filter(countSocket as never)
  app.any('/*', (socket, req) => {
    const peer = new Peer(socket)
    const method = req.getCaseSensitiveMethod()
    if (inFlight >= http.inFlightRequests) return void send(socket, peer, busy, method)
    inFlight++
    serve(new SocketRequest(socket, req, method, peer))
      .then((reply) => send(socket, peer, closing ? { ...reply, close: true } : reply, method))
      .catch((error) => {
        log.error('http.reply.failed', { error })
        if (!peer.gone) socket.close()
      })
      .then(() => {
        inFlight--
        if (inFlight === 0) whenIdle?.()
      })
  })

  const socket = await new Promise<us_listen_socket | false>((resolve) =>
    (app as unknown as ListensAlone).listen(options.host, options.port, exclusively, resolve),
  )
  if (!socket) throw new CannotListen(`Nothing can listen on ${options.host}:${options.port}; is the port taken?`)
  return {
    host: options.host,
    port: uws.us_socket_local_port(socket),
    async close(deadlineMs) {
      closing = true
      uws.us_listen_socket_close(socket)
      if (inFlight > 0) await Promise.race([new Promise<void>((resolve) => (whenIdle = resolve)), after(deadlineMs)])
      app.close()
    },
  }
}

function after(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms).unref())
}

export type Socket = HttpResponse

/** What is known of a response's socket after its callback has returned. */
export class Peer implements Connection {
  /** The client has left, and the socket must not be touched any more. */
  gone = false
  private calls: (() => void)[] | undefined
  private aborting: AbortController | undefined
  private address: string | undefined

  constructor(private readonly socket: Socket) {
    socket.onAborted(() => {
      this.gone = true
      for (const call of this.calls ?? []) call()
    })
  }

  whenGone(call: () => void): void {
    if (this.gone) call()
    else if (this.calls) this.calls.push(call)
    else this.calls = [call]
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
}

/** A request on its socket. The parser's object is readable only until the callback that brought it returns. */
class SocketRequest implements Incoming {
  readonly path: string
  readonly query: string

  constructor(
    private readonly socket: Socket,
    private readonly head: HttpRequest,
    readonly method: string,
    readonly connection: Peer,
  ) {
    this.path = head.getUrl()
    this.query = head.getQuery() ?? ''
  }

  header(name: string): string {
    return this.head.getHeader(name)
  }

  body(limitBytes: number): Promise<Uint8Array | undefined> {
    return collectBody(this.socket, limitBytes, this.connection)
  }
}

/** Writes the whole reply, or hands a stream over; the promise, if any, is of the last byte. */
function send(socket: Socket, peer: Peer, reply: Reply, method: string): Promise<void> | undefined {
  if (peer.gone) return undefined
  let rest: Promise<void> | undefined
  socket.cork(() => {
    const { body, close } = reply
    if (reply.status !== 200) socket.writeStatus(statusLine(reply.status))
    writeHeaders(reply, (name, value) => socket.writeHeader(name, value))
    if (isStream(body)) {
      if (method === 'HEAD') socket.endWithoutBody(undefined, close)
      else rest = sendStream(socket, body, peer)
    } else if (method === 'HEAD') socket.endWithoutBody(body === undefined ? 0 : Buffer.byteLength(body), close)
    else rest = sendBody(socket, body, peer, close)
  })
  return rest
}

function isStream(body: AnswerBody | undefined): body is AsyncIterable<Uint8Array | string> {
  return body !== undefined && typeof body !== 'string' && !(body instanceof Uint8Array)
}
