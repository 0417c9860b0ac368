/** One request on its socket: read while it may be, answered once, and never touched after its client has left. */

import { subjectOfAddress } from '../limits/subject.js'
import { BodyPieces } from './body.js'
import type { AnswerBody } from './exchange.js'
import { type Incoming, type Receiver, type Reply, writeHeaders } from './exchange.js'
import { type Framing, framingOf, HeadLines } from './head.js'
import type { Lobby, Unfinished } from './lobby.js'
import { letGo, sendBody, sendCounted, sendStream } from './send.js'
import { statusLine } from './status.js'
import type { RequestHead, Socket } from './uws.js'

export class SocketExchange implements Incoming, Unfinished {
  readonly path: string
  readonly query: string
  readonly framing: Framing
  /** The client has left, and the socket must not be touched any more. */
  gone = false
  quietSeconds = 0
  /** The address that the lobby counts this request for. */
  counted: string | undefined
  private readonly lines: HeadLines
  /** uWebSockets.js is reading what arrived, and would go on with what follows this request. */
  private isArriving = true
  private isOver = false
  private pieces: BodyPieces | undefined
  private heldBytes = 0
  private calls: (() => void)[] | undefined
  private aborting: AbortController | undefined
  private address: string | undefined

  constructor(
    readonly method: string,
    private readonly socket: Socket,
    head: RequestHead,
    private readonly lobby: Lobby,
  ) {
    this.path = head.getUrl()
    this.query = head.getQuery() ?? ''
    this.lines = new HeadLines(head)
    this.framing = framingOf(method, this.lines)
    socket.onAborted(() => {
      this.gone = true
      this.end()
      for (const call of this.calls ?? []) call()
    })
  }

  /** Called when the turn is over that brought the request. */
  arrived(): void {
    this.isArriving = false
  }

  header(name: string): string {
    return this.lines.first(name)
  }

  body(limitBytes: number, to: Receiver): void {
    const pieces = new BodyPieces(limitBytes)
    this.pieces = pieces
    this.lobby.await(this)
    this.socket.onData((piece, isLast) => {
      if (this.pieces !== pieces) return
      this.quietSeconds = 0
      const whole = pieces.add(piece, isLast)
      if (whole === undefined) return this.hold(piece.byteLength)
      this.stopReading()
      to.receive(whole === 'over' ? undefined : whole)
    })
  }

  expire(): void {
    this.respond(this.lobby.replies.late)
  }

  private hold(bytes: number): void {
    this.heldBytes += bytes
    const tooMuch = this.lobby.hold(this.remoteAddress(), bytes)
    if (!tooMuch) return
    this.stopReading()
    setImmediate(() => this.respond(tooMuch))
  }

  get isUnfinished(): boolean {
    return this.pieces !== undefined
  }

  private stopReading(): void {
    this.pieces = undefined
  }

  whenGone(call: () => void): void {
    if (this.gone) return call()
    this.calls ??= []
    this.calls.push(call)
  }

  remoteAddress(): string {
    this.address ??= this.gone ? '' : subjectOfAddress(this.client())
    return this.address
  }

  private client(): string {
    const peer = addressOf(this.socket)
    return this.lobby.proxies?.clientOf(peer, this.lines.all('x-forwarded-for')) ?? peer
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
    // Answered now, a request that stands behind this one in what arrived would still be taken, and keep the connection.
    if (this.isArriving && this.mustClose(reply)) {
      setImmediate(() => {
        this.arrived()
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
    const close = this.mustClose(reply)
    if (reply.status !== 200) socket.writeStatus(statusLine(reply.status))
    if (isPlain(reply)) writeAtOnce(reply, socket)
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
    return close === true || this.lobby.closing || this.framing !== 'plain'
  }

  private end(error?: unknown): void {
    if (this.isOver) return
    this.isOver = true
    this.stopReading()
    if (this.heldBytes > 0) this.lobby.release(this.remoteAddress(), this.heldBytes)
    this.lobby.leave(this.counted, error)
  }
}

export function addressOf(socket: Socket): string {
  return Buffer.from(socket.getRemoteAddressAsText()).toString()
}

/**
 * Of a length that it is told, uWebSockets.js would wait for the bytes and drop the next request; so the length is a
 * header like others. Only with length 0 it ends the connection too.
 */
function endHead(socket: Socket, body: AnswerBody | undefined, bodyBytes: number | undefined, close: boolean): void {
  if (close) socket.endWithoutBody(0, true)
  else {
    const bytes = body === undefined ? 0 : isStream(body) ? bodyBytes : Buffer.byteLength(body)
    if (bytes !== undefined) socket.writeHeader('content-length', String(bytes))
    socket.endWithoutBody()
  }
  if (isStream(body)) letGo(body)
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
