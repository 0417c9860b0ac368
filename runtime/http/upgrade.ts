/** Requests that become sockets, which must not be touched any more once they are closed: that pitfall ends here. */
import { isRefusal, type Refusal, refuse } from '../../core/errors.js'
import { http } from '../../core/limits.js'
import type { Log } from '../observe/log.js'
import { refused } from './reply.js'
import type { SocketExchange } from './socket.js'
import type { RequestHead, Socket, SocketBehavior, WebSocket } from './uws.js'
import type { LiveSocket, SocketDoor, SocketListener } from './websocket.js'

/** What a socket carries with it. */
export interface Held {
  readonly listener: SocketListener
  live?: Live
}

/** What is sent in one turn of the loop goes out at its end in one piece: a call of the system costs more than a frame. */
class Live implements LiveSocket {
  isOpen = true
  /** Made with the first of them: a list that waits for long lies among the old objects, and would keep what it held there. */
  private frames: string[] | undefined
  private framesBytes = 0
  constructor(
    private readonly socket: WebSocket<Held>,
    private readonly mostBytes: number,
    private readonly sent: (socket: WebSocket<Held>) => void,
  ) {}

  send(text: string): 'sent' | 'dropped' {
    if (!this.isOpen) return 'sent'
    const bytes = Buffer.byteLength(text)
    if (this.bufferedBytes() + bytes > this.mostBytes) return 'dropped'
    this.framesBytes += bytes
    if (this.frames) {
      this.frames.push(text)
    } else {
      this.frames = [text]
      sendSoon(this)
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
    if (this.isOpen) this.sent(this.socket)
  }
}

let waitingToSend: Live[] = []

function sendSoon(live: Live): void {
  if (waitingToSend.push(live) === 1) setImmediate(sendAll)
}

function sendAll(): void {
  const all = waitingToSend
  waitingToSend = []
  for (const live of all) live.flush()
}

export interface Upgrades {
  readonly behavior: SocketBehavior<Held>
  closeAll(code: number, reason: string): void
}

export interface UpgradeOptions {
  readonly door: SocketDoor
  /** Begins the exchange of a request; undefined once it was answered, since there are too many. */
  readonly begin: (socket: Socket, head: RequestHead) => SocketExchange | undefined
  /** Answers a request that asks for a socket where there is none. */
  readonly otherwise: (socket: Socket, head: RequestHead) => void
  readonly isClosing: () => boolean
  /** Told of every socket that is closed. */
  readonly gone: () => void
  readonly log: Log
}

const unavailable = refuse('service.unavailable', { headers: { 'retry-after': String(http.retryAfterSeconds) } })

export function openUpgrades({ door, begin, otherwise, isClosing, gone, log }: UpgradeOptions): Upgrades {
  const open = new Set<Live>()
  const { limits } = door

  function admitted(exchange: SocketExchange): SocketListener | Refusal {
    if (isClosing()) return unavailable
    try {
      const { path, query } = exchange
      return door.admit({ path, query, origin: exchange.header('origin'), remoteAddress: exchange.remoteAddress() })
    } catch (error) {
      log.error('socket.admit.failed', { error })
      return unavailable
    }
  }

  function guarded(doing: () => void): void {
    try {
      doing()
    } catch (error) {
      log.error('socket.failed', { error })
    }
  }

  function drained(socket: WebSocket<Held>): void {
    guarded(() => socket.getUserData().listener.drained())
  }

  function upgrade(socket: Socket, head: RequestHead, context: Parameters<Socket['upgrade']>[4]): void {
    if (!door.takes(head.getUrl())) return otherwise(socket, head)
    const exchange = begin(socket, head)
    if (!exchange) return
    const listener = admitted(exchange)
    if (isRefusal(listener)) {
      exchange.respond(refused(listener, 'gateway', 'none', undefined))
      return exchange.arrived()
    }
    const held: Held = { listener }
    const [key, extensions] = [exchange.header('sec-websocket-key'), exchange.header('sec-websocket-extensions')]
    // No protocol is agreed on by name: frames say their version themselves.
    exchange.become((response) => response.upgrade(held, key, '', extensions, context))
  }

  return {
    behavior: {
      maxPayloadLength: limits.frameBytes,
      maxBackpressure: limits.bufferedMostBytes,
      idleTimeout: limits.idleSeconds,
      maxLifetime: limits.lifetimeMinutes,
      sendPingsAutomatically: true,
      upgrade,
      open(socket) {
        const held = socket.getUserData()
        const live = new Live(socket, limits.bufferedMostBytes, drained)
        held.live = live
        open.add(live)
        guarded(() => held.listener.opened(live))
      },
      message(socket, message, isBinary) {
        const text = isBinary ? '' : Buffer.from(message).toString()
        guarded(() => socket.getUserData().listener.heard(text))
      },
      drain: drained,
      close(socket) {
        gone()
        const { live, listener } = socket.getUserData()
        if (live) {
          live.isOpen = false
          open.delete(live)
        }
        guarded(() => listener.closed())
      },
    },
    closeAll(code, reason) {
      for (const live of [...open]) live.close(code, reason)
    },
  }
}
