/**
 * The listener of a plane over uWebSockets.js, whose pitfalls `socket.ts` and `upgrade.ts` handle: a request dies with its
 * callback, an aborted response must not be touched, and every late write is corked.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { closeCodes } from '../../core/channel/live.js'
import { refuse } from '../../core/errors.js'
import { http, shutdown } from '../../core/limits.js'
import type { Log } from '../observe/log.js'
import type { Reply, Serve } from './exchange.js'
import type { Framing } from './head.js'
import { Lobby, type LobbyLimits } from './lobby.js'
import { whyNoListener } from './place.js'
import { writeRefusal } from './problem.js'
import type { Proxies } from './proxies.js'
import type { ErrorStyle } from './route.js'
import { addressOf, SocketExchange } from './socket.js'
import { openUpgrades } from './upgrade.js'
import {
  countConnections,
  type ListenSocket,
  listenExclusively,
  loadUws,
  type RequestHead,
  type Socket,
} from './uws.js'
import type { SocketDoor } from './websocket.js'

export interface Listening {
  readonly host: string
  readonly port: number
  /** Takes no new connection, sends sockets away, lets what is in flight finish until the deadline, then ends the rest. */
  close(deadlineMs: number): Promise<void>
  /** Whether it has as many connections as it may have. */
  isFull(): boolean
}

export interface SocketMeters {
  /** Told of every change. */
  open(sockets: number): void
  refused(): void
}

export class CannotListen extends Error {
  override readonly name = 'CannotListen'
}

export interface ListenOptions {
  readonly host: string
  readonly port: number
  readonly serve: Serve
  /** Who lets requests become sockets; absent where there are none. */
  readonly sockets?: SocketDoor
  /** Who may say whom a request is from; absent where nobody stands before the node. */
  readonly proxies?: Proxies
  /** Sockets that are open at a time, requests and what they became; one more is closed at once. */
  readonly socketsTotal?: number
  /** What one address may take of the listener. */
  readonly limits?: Partial<LobbyLimits>
  /** How the listener's own refusals are written. */
  readonly style?: ErrorStyle
  readonly meters?: SocketMeters
  readonly log: Log
}

export async function listen(options: ListenOptions): Promise<Listening> {
  const uws = await loadUws()
  const { serve, log, meters, socketsTotal = http.socketsTotal, proxies, style = 'problem' } = options
  let sockets = 0
  /** Said once, until a tenth of the connections is free again. */
  let wasFull = false
  const lobby = new Lobby({ proxies, limits: { ...http, ...options.limits }, style, log })

  function countSocket(socket: Socket, change: number): void {
    count(change)
    if (change < 0 || (sockets <= socketsTotal && lobby.mayConnect(addressOf(socket)))) return
    meters?.refused()
    if (sockets > socketsTotal && !wasFull) log.error('http.connections.full', { most: socketsTotal })
    wasFull ||= sockets > socketsTotal
    socket.close()
  }

  function count(change: number): void {
    sockets += change
    if (wasFull && sockets < socketsTotal * 0.9) wasFull = false
    meters?.open(sockets)
  }

  const app = uws.App()
  countConnections(app, countSocket)
  function begin(method: string, socket: Socket, head: RequestHead): SocketExchange | undefined {
    const exchange = new SocketExchange(method, socket, head, lobby)
    const { reply, counted } = lobby.enter(() => exchange.remoteAddress())
    exchange.counted = counted
    const { framing } = exchange
    if (!reply && typeof framing === 'string') return exchange
    exchange.respond(reply ?? malformed(framing as Exclude<Framing, string>, style))
    exchange.arrived()
    return undefined
  }
  function take(method: string, socket: Socket, head: RequestHead): void {
    const exchange = begin(method, socket, head)
    if (!exchange) return
    serve(exchange)
    exchange.arrived()
  }
  const upgrades =
    options.sockets &&
    openUpgrades({
      door: options.sockets,
      begin: (socket, head) => begin('GET', socket, head),
      otherwise: (socket, head) => take('GET', socket, head),
      isClosing: () => lobby.closing,
      gone: () => count(-1),
      log,
    })
  if (upgrades) app.ws('/*', upgrades.behavior)
  app.get('/*', (socket, head) => take('GET', socket, head))
  app.post('/*', (socket, head) => take('POST', socket, head))
  app.put('/*', (socket, head) => take('PUT', socket, head))
  app.patch('/*', (socket, head) => take('PATCH', socket, head))
  app.del('/*', (socket, head) => take('DELETE', socket, head))
  app.any('/*', (socket, head) => take(head.getCaseSensitiveMethod(), socket, head))

  const socket = await listenExclusively(app, options.host, options.port)
  if (!socket) throw new CannotListen(await whyNoListener(options.host, options.port))
  let closed: Promise<void> | undefined

  async function close(listening: ListenSocket, deadlineMs: number): Promise<void> {
    lobby.closing = true
    upgrades?.closeAll(closeCodes.goingAway, 'This node stops: connect again.')
    // Callers on their way are answered first, and learn that their connection ends.
    const lingerMs = Math.min(shutdown.lingerMs, deadlineMs)
    if (sockets > 0) await sleep(lingerMs, undefined, { ref: false })
    // Right after the loop has accepted what waits: what the system holds when the socket closes is reset.
    await new Promise((resolve) => setImmediate(resolve))
    uws.us_listen_socket_close(listening)
    // What was accepted last has not been read: closed now, those connections would be reset.
    if (sockets > 0) await sleep(lingerMs, undefined, { ref: false })
    if (!lobby.isIdle) {
      await Promise.race([
        new Promise<void>((resolve) => (lobby.whenIdle = resolve)),
        sleep(deadlineMs, undefined, { ref: false }),
      ])
    }
    lobby.close()
    app.close()
  }

  return {
    host: options.host,
    port: uws.us_socket_local_port(socket),
    isFull: () => sockets >= socketsTotal,
    // Closing what is closed would end the process: a second call waits for the first.
    close(deadlineMs) {
      closed ??= close(socket, deadlineMs)
      return closed
    },
  }
}

function malformed({ problem }: Exclude<Framing, string>, style: ErrorStyle): Reply {
  const refusal = refuse('request.invalid', { status: 400, detail: problem })
  return { ...writeRefusal(refusal, style), requestId: 'none', close: true }
}
