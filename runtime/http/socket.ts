/** One request on its socket: read while it may be, answered once, and never touched after its client has left. */
import { BodyPieces } from './body.js'
import { type Incoming, type Receiver, type Reply, writeHeaders } from './exchange.js'
import type { Proxies } from './proxies.js'
import type { AnswerBody } from './route.js'
import { letGo, sendBody, sendCounted, sendStream } from './send.js'
import type { RequestHead, Socket } from './server.js'
import { statusLine } from './status.js'

/** The listener that a request came through. */
export interface Lobby {
  /** Who may say whom a request is from; absent where nobody stands before the node. */
  readonly proxies?: Proxies
  /** No more requests are wanted: each reply ends its connection. */
  readonly closing: boolean
  /** Called once a request is over, whether it was answered, failed on the way out, or its client left. */
  over(error?: unknown): void
}

export class SocketExchange implements Incoming {
  readonly path: string
  readonly query: string
  /** The client has left, and the socket must not be touched any more. */
  gone = false
  private isOver = false
  private calls: (() => void)[] | undefined
  private aborting: AbortController | undefined
  private address: string | undefined

  constructor(
    readonly method: string,
    private readonly socket: Socket,
    private readonly head: RequestHead,
    private readonly lobby: Lobby,
  ) {
    this.path = head.getUrl()
    this.query = head.getQuery() ?? ''
    // The head is gone when somebody asks.
    if (lobby.proxies) this.address = lobby.proxies.clientOf(this.peer(), forwardedForIn(head))
    socket.onAborted(() => {
      this.gone = true
      this.end()
      for (const call of this.calls ?? []) call()
    })
  }

  header(name: string): string {
    return this.head.getHeader(name)
  }

  body(limitBytes: number, to: Receiver): void {
    const pieces = new BodyPieces(limitBytes)
    let done = false
    this.socket.onData((piece, isLast) => {
      if (done) return
      const whole = pieces.add(piece, isLast)
      if (whole === undefined) return
      done = true
      to.receive(whole === 'over' ? undefined : whole)
    })
  }

  whenGone(call: () => void): void {
    if (this.gone) return call()
    this.calls ??= []
    this.calls.push(call)
  }

  remoteAddress(): string {
    this.address ??= this.gone ? '' : this.peer()
    return this.address
  }

  private peer(): string {
    return Buffer.from(this.socket.getRemoteAddressAsText()).toString()
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
    if (this.gone || this.isOver) {
      if (isStream(reply.body)) letGo(reply.body)
      return
    }
    let rest: Promise<void> | undefined
    this.socket.cork(() => {
      rest = this.write(reply)
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

  /**
   * Makes it a socket that stays open; the response is not touched after that. Only in the turn that brought the request:
   * a later upgrade has to be corked, and what ends that cork may take the socket for a response still and close it.
   */
  become(upgrade: (socket: Socket) => void): void {
    upgrade(this.socket)
    this.end()
  }

  /** The promise, if any, is of the last byte. */
  private write(reply: Reply): Promise<void> | undefined {
    const { socket } = this
    const { body, bodyBytes } = reply
    const close = reply.close || this.lobby.closing
    if (reply.status !== 200) socket.writeStatus(statusLine(reply.status))
    if (isPlain(reply)) writeAtOnce(reply, socket)
    else writeHeaders(reply, socket)
    if (this.method === 'HEAD') {
      socket.endWithoutBody(body === undefined ? 0 : isStream(body) ? bodyBytes : Buffer.byteLength(body), close)
      if (isStream(body)) letGo(body)
      return undefined
    }
    if (!isStream(body)) return sendBody(socket, body, this, close)
    return bodyBytes === undefined ? sendStream(socket, body, this) : sendCounted(socket, body, bodyBytes, this)
  }

  private end(error?: unknown): void {
    if (this.isOver) return
    this.isOver = true
    this.lobby.over(error)
  }
}

/** Every header of that name: a proxy may add one of its own behind what a caller sent. */
function forwardedForIn(head: RequestHead): string[] {
  const found: string[] = []
  head.forEach((name, value) => {
    if (name === 'x-forwarded-for') found.push(value)
  })
  return found
}

const firstName = Buffer.from('x-request-id')
const plainByType = new Map<string | undefined, string>()

/** What follows the id in a reply of that type that carries nothing else. */
function plainLines(type: string | undefined): string {
  const known = plainByType.get(type)
  if (known !== undefined) return known
  const lines: string[] = []
  const reply = { status: 200, requestId: '', type }
  writeHeaders(reply, { writeHeader: (name, value) => lines.push(`\r\n${name}: ${value}`) })
  const plain = lines.slice(1).join('')
  plainByType.set(type, plain)
  return plain
}

/**
 * The same headers in one write instead of one each: every crossing into the socket costs. The id is ours or has been
 * checked, so it cannot hold a line end, and the socket looks for none in the others either way.
 */
function writeAtOnce({ requestId, type, headers }: Reply, socket: Socket): void {
  let lines = requestId + plainLines(type)
  if (headers) for (const name in headers) lines += `\r\n${name}: ${headers[name]}`
  socket.writeHeader(firstName, lines)
}

function isPlain({ headers, cors }: Reply): boolean {
  return cors === undefined && (headers === undefined || headers['cache-control'] === undefined)
}

function isStream(body: AnswerBody | undefined): body is AsyncIterable<Uint8Array | string> {
  return body !== undefined && typeof body !== 'string' && !(body instanceof Uint8Array)
}
