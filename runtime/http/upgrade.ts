/** Upgrades of requests to WebSockets. uWebSockets.js forbids any use of a closed socket; this file prevents it. */
import { isRefusal, type Refusal, unavailable } from '../../core/errors.js'
import type { Log } from '../observe/log.js'
import { refusalReply } from './reply.js'
import type { SocketExchange } from './socket.js'
import type { RequestHead, Socket, SocketBehavior, WebSocket } from './uws.js'
import type { LiveSocket, SocketAcceptor, SocketListener } from './websocket.js'

/** The data that uWebSockets.js keeps with a socket. */
export interface SocketData {
  readonly listener: SocketListener
  liveSocket?: BatchedSocket
}

/**
 * Sends the frames of one turn of the event loop together at its end, because a system call costs more than a frame.
 */
class BatchedSocket implements LiveSocket {
  isOpen = true
  /**
   * Created with the first frame of a turn and dropped at its end, so the list and its frames are young objects
   * together.
   */
  private frames: string[] | undefined
  private framesBytes = 0
  constructor(
    private readonly socket: WebSocket<SocketData>,
    private readonly maxBufferedBytes: number,
    private readonly onSent: (socket: WebSocket<SocketData>) => void,
  ) {}

  send(text: string): 'sent' | 'dropped' {
    if (!this.isOpen) return 'sent'
    const bytes = Buffer.byteLength(text)
    if (this.bufferedBytes() + bytes > this.maxBufferedBytes) return 'dropped'
    this.framesBytes += bytes
    if (this.frames) {
      this.frames.push(text)
    } else {
      this.frames = [text]
      scheduleFlush(this)
    }
    return 'sent'
  }

  bufferedBytes(): number {
    return this.isOpen ? this.socket.getBufferedAmount() + this.framesBytes : 0
  }

  close(code: number, reason: string): void {
    this.flush()
    if (this.isOpen) this.socket.end(code, reason)
  }

  flush(): void {
    const { frames } = this
    if (!this.isOpen || !frames) return
    this.frames = undefined
    this.framesBytes = 0
    this.socket.cork(() => {
      for (const frame of frames) this.socket.send(frame)
    })
    if (this.isOpen) this.onSent(this.socket)
  }
}

let unflushedSockets: BatchedSocket[] = []

function scheduleFlush(socket: BatchedSocket): void {
  if (unflushedSockets.push(socket) === 1) setImmediate(flushAll)
}

function flushAll(): void {
  const sockets = unflushedSockets
  unflushedSockets = []
  for (const socket of sockets) socket.flush()
}

export interface Upgrades {
  readonly behavior: SocketBehavior<SocketData>
  closeAll(code: number, reason: string): void
}

export interface UpgradeOptions {
  readonly acceptor: SocketAcceptor
  /** Begins the exchange of a request; undefined when the listener has refused the request. */
  readonly beginExchange: (socket: Socket, head: RequestHead) => SocketExchange | undefined
  /** Handles a request for a socket on a path without sockets as an ordinary request. */
  readonly handleRequest: (socket: Socket, head: RequestHead) => void
  readonly isClosing: () => boolean
  /** Called once for each socket that closes. */
  readonly onClosed: () => void
  readonly log: Log
}

export function createUpgrades(options: UpgradeOptions): Upgrades {
  const { acceptor, beginExchange, handleRequest, isClosing, onClosed, log } = options
  const open = new Set<BatchedSocket>()
  const { limits } = acceptor

  function accept(exchange: SocketExchange): SocketListener | Refusal {
    if (isClosing()) return unavailable()
    try {
      const { path, query } = exchange
      return acceptor.accept({
        path,
        query,
        origin: exchange.header('origin'),
        remoteAddress: exchange.remoteAddress(),
      })
    } catch (error) {
      log.error('socket.accept.failed', { error })
      return unavailable()
    }
  }

  function callSafely(call: () => void): void {
    try {
      call()
    } catch (error) {
      log.error('socket.failed', { error })
    }
  }

  function onDrain(socket: WebSocket<SocketData>): void {
    callSafely(() => socket.getUserData().listener.onDrain())
  }

  function upgrade(socket: Socket, head: RequestHead, context: Parameters<Socket['upgrade']>[4]): void {
    if (!acceptor.handles(head.getUrl())) return handleRequest(socket, head)
    const exchange = beginExchange(socket, head)
    if (!exchange) return
    const listener = accept(exchange)
    if (isRefusal(listener)) {
      exchange.respond(refusalReply(listener, 'gateway', 'none', undefined))
      return exchange.endParsing()
    }
    const data: SocketData = { listener }
    const [key, extensions] = [exchange.header('sec-websocket-key'), exchange.header('sec-websocket-extensions')]
    // No subprotocol is negotiated: the frames state their version.
    exchange.upgrade((response) => response.upgrade(data, key, '', extensions, context))
  }

  return {
    behavior: {
      maxPayloadLength: limits.frameBytes,
      maxBackpressure: limits.bufferedMaxBytes,
      idleTimeout: limits.idleSeconds,
      maxLifetime: limits.lifetimeMinutes,
      sendPingsAutomatically: true,
      upgrade,
      open(socket) {
        const data = socket.getUserData()
        const liveSocket = new BatchedSocket(socket, limits.bufferedMaxBytes, onDrain)
        data.liveSocket = liveSocket
        open.add(liveSocket)
        callSafely(() => data.listener.onOpen(liveSocket))
      },
      message(socket, message, isBinary) {
        const text = isBinary ? '' : Buffer.from(message).toString()
        callSafely(() => socket.getUserData().listener.onMessage(text))
      },
      drain: onDrain,
      close(socket) {
        onClosed()
        const { liveSocket, listener } = socket.getUserData()
        if (liveSocket) {
          liveSocket.isOpen = false
          open.delete(liveSocket)
        }
        callSafely(() => listener.onClose())
      },
    },
    closeAll(code, reason) {
      for (const liveSocket of [...open]) liveSocket.close(code, reason)
    },
  }
}
