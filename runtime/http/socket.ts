/**
 * One request on its socket: read in the turn that brings it, answered once, and not used after its client disconnects.
 */
import { subjectOfAddress } from '../ratelimit/subject.js'
import { BodyPieces } from './body.js'
import { destroySource, sendBody, sendCounted, sendStream } from './bodywriter.js'
import type { AnswerBody } from './exchange.js'
import { type Incoming, type Receiver, type Reply, writeHeaders } from './exchange.js'
import { type Framing, framingOf, HeadLines } from './head.js'
import type { ListenerState, PendingBody } from './listenerstate.js'
import { statusLine } from './status.js'
import type { RequestHead, Socket } from './uws.js'

export class SocketExchange implements Incoming, PendingBody {
  readonly path: string
  readonly query: string
  readonly framing: Framing
  /** The client has disconnected, and the socket must not be used any more. */
  isAborted = false
  idleSeconds = 0
  /** The address that the listener counts this request for. */
  countedAddress: string | undefined
  private readonly lines: HeadLines
  /** uWebSockets.js is parsing the bytes that brought this request, and may find a further request in them. */
  private isParsing = true
  private isEnded = false
  private pieces: BodyPieces | undefined
  private bufferedBytes = 0
  private abortListeners: (() => void)[] | undefined
  private abortController: AbortController | undefined
  private address: string | undefined

  constructor(
    readonly method: string,
    private readonly socket: Socket,
    head: RequestHead,
    private readonly listener: ListenerState,
  ) {
    this.path = head.getUrl()
    this.query = head.getQuery() ?? ''
    this.lines = new HeadLines(head)
    this.framing = framingOf(method, this.lines)
    socket.onAborted(() => {
      this.isAborted = true
      this.end()
      for (const call of this.abortListeners ?? []) call()
    })
  }

  /** Called when the callback that brought the request ends. */
  endParsing(): void {
    this.isParsing = false
  }

  header(name: string): string {
    return this.lines.first(name)
  }

  body(limitBytes: number, to: Receiver): void {
    const pieces = new BodyPieces(limitBytes)
    this.pieces = pieces
    this.listener.watch(this)
    this.socket.onData((piece, isLast) => {
      if (this.pieces !== pieces) return
      this.idleSeconds = 0
      const complete = pieces.add(piece, isLast)
      if (complete === undefined) return this.reserve(piece.byteLength)
      this.stopReading()
      to.receive(complete === 'over' ? undefined : complete)
    })
  }

  expire(): void {
    this.respond(this.listener.replies.late)
  }

  private reserve(bytes: number): void {
    this.bufferedBytes += bytes
    const refusal = this.listener.reserve(this.remoteAddress(), bytes)
    if (!refusal) return
    this.stopReading()
    setImmediate(() => this.respond(refusal))
  }

  get isPending(): boolean {
    return this.pieces !== undefined
  }

  private stopReading(): void {
    this.pieces = undefined
  }

  onAborted(listener: () => void): void {
    if (this.isAborted) return listener()
    this.abortListeners ??= []
    this.abortListeners.push(listener)
  }

  remoteAddress(): string {
    this.address ??= this.isAborted ? '' : subjectOfAddress(this.client())
    return this.address
  }

  private client(): string {
    const peer = addressOf(this.socket)
    return this.listener.proxies?.clientOf(peer, this.lines.all('x-forwarded-for')) ?? peer
  }

  /** Created for the handlers that use it. */
  get signal(): AbortSignal {
    if (!this.abortController) {
      const controller = new AbortController()
      this.abortController = controller
      this.onAborted(() => controller.abort())
    }
    return this.abortController.signal
  }

  respond(reply: Reply): void {
    if (this.isAborted || this.isEnded) {
      if (isStream(reply.body)) destroySource(reply.body)
      return
    }
    // A reply that closes waits until the parser is done: it would serve a pipelined request, and keep the connection.
    if (this.isParsing && this.mustClose(reply)) {
      setImmediate(() => {
        this.endParsing()
        this.respond(reply)
      })
      return
    }
    this.stopReading()
    let rest: Promise<void> | undefined
    this.socket.cork(() => {
      rest = this.write(reply)
    })
    if (!rest) return this.end()
    rest.then(
      () => this.end(),
      (error) => {
        if (!this.isAborted) this.socket.close()
        this.end(error)
      },
    )
  }

  /**
   * Makes the request a WebSocket; its response must not be used after that. Allowed only in the turn that brought the
   * request: a later upgrade has to be corked, and the end of the cork may treat the socket as a response and close it.
   */
  upgrade(call: (socket: Socket) => void): void {
    call(this.socket)
    this.end()
  }

  /** The promise, if any, resolves with the last byte. */
  private write(reply: Reply): Promise<void> | undefined {
    const { socket } = this
    const { body, bodyBytes } = reply
    const close = this.mustClose(reply)
    if (reply.status !== 200) socket.writeStatus(statusLine(reply.status))
    if (isPlain(reply)) writeInOne(reply, socket)
    else writeHeaders(reply, socket)
    if (this.method === 'HEAD') {
      endHead(socket, body, bodyBytes, close)
      return undefined
    }
    if (!isStream(body)) return sendBody(socket, body, this, close)
    if (close) socket.writeHeader('connection', 'close')
    return bodyBytes === undefined ? sendStream(socket, body, this) : sendCounted(socket, body, bodyBytes, this)
  }

  private mustClose({ close }: Reply): boolean {
    return close === true || this.listener.closing || this.framing !== 'plain'
  }

  private end(error?: unknown): void {
    if (this.isEnded) return
    this.isEnded = true
    this.stopReading()
    if (this.bufferedBytes > 0) this.listener.release(this.remoteAddress(), this.bufferedBytes)
    this.listener.endRequest(this.countedAddress, error)
  }
}

export function addressOf(socket: Socket): string {
  return Buffer.from(socket.getRemoteAddressAsText()).toString()
}

/**
 * Ends the reply to a HEAD request. The length is written as a header of ours: given a length, uWebSockets.js waits for
 * that many bytes and drops the next request. It closes the connection only with length 0.
 */
function endHead(socket: Socket, body: AnswerBody | undefined, bodyBytes: number | undefined, close: boolean): void {
  if (close) socket.endWithoutBody(0, true)
  else {
    const bytes = body === undefined ? 0 : isStream(body) ? bodyBytes : Buffer.byteLength(body)
    if (bytes !== undefined) socket.writeHeader('content-length', String(bytes))
    socket.endWithoutBody()
  }
  if (isStream(body)) destroySource(body)
}

const firstName = Buffer.from('x-request-id')
const linesByType = new Map<string | undefined, string>()

/** The lines that follow the request id in a reply of that type without headers of its own. */
function linesOf(type: string | undefined): string {
  const cached = linesByType.get(type)
  if (cached !== undefined) return cached
  const lines: string[] = []
  const reply = { status: 200, requestId: '', type }
  writeHeaders(reply, { writeHeader: (name, value) => lines.push(`\r\n${name}: ${value}`) })
  const following = lines.slice(1).join('')
  linesByType.set(type, following)
  return following
}

/**
 * Writes the headers of `writeHeaders` in one call, because each call into the socket costs. The request id is
 * generated or validated, so it holds no line end; uWebSockets.js does not check the others in either case.
 */
function writeInOne({ requestId, type, headers }: Reply, socket: Socket): void {
  let lines = requestId + linesOf(type)
  if (headers) for (const name in headers) lines += `\r\n${name}: ${headers[name]}`
  socket.writeHeader(firstName, lines)
}

function isPlain({ headers, cors }: Reply): boolean {
  return cors === undefined && (headers === undefined || headers['cache-control'] === undefined)
}

function isStream(body: AnswerBody | undefined): body is AsyncIterable<Uint8Array | string> {
  return body !== undefined && typeof body !== 'string' && !(body instanceof Uint8Array)
}
