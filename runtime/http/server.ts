/**
 * The listener of a plane, on uWebSockets.js. `socket.ts` and `upgrade.ts` observe its rules: a request is valid only
 * in its callback, an aborted response must not be used, and every later write is corked.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { closeCodes } from '../../core/channel/socketcodec.js'
import { refuse } from '../../core/errors.js'
import { http, shutdown } from '../../core/limits/index.js'
import type { Log } from '../observe/log.js'
import type { Reply, Serve } from './exchange.js'
import type { Framing } from './head.js'
import { closingReply, type ListenerLimits, ListenerState } from './listenerstate.js'
import type { SocketMeter } from './metrics.js'
import { explainBindError } from './port.js'
import type { Proxies } from './proxies.js'
import type { ErrorStyle } from './route.js'
import { addressOf, SocketExchange } from './socket.js'
import { createUpgrades } from './upgrade.js'
import {
  countConnections,
  type ListenSocket,
  listenExclusively,
  loadUws,
  type RequestHead,
  type Socket,
} from './uws.js'
import type { SocketAcceptor } from './websocket.js'

export interface HttpListener {
  readonly host: string
  readonly port: number
  /**
   * Accepts no new connection, closes the sockets, lets requests in flight finish until the deadline, and ends the
   * rest.
   */
  close(deadlineMs: number): Promise<void>
  /** Whether the listener has as many connections as it may have. */
  isFull(): boolean
}

export class ListenError extends Error {
  override readonly name = 'ListenError'
}

export interface ListenOptions {
  readonly host: string
  readonly port: number
  readonly serve: Serve
  /** Accepts requests as sockets; absent on a listener without sockets. */
  readonly sockets?: SocketAcceptor
  /** The proxies whose `X-Forwarded-For` is trusted; absent when no proxy stands before the node. */
  readonly proxies?: Proxies
  /** The limit of open connections, those of sockets included; one more is closed at once. */
  readonly socketsTotal?: number
  readonly limits?: Partial<ListenerLimits>
  /** The style of the listener's own refusals. */
  readonly style?: ErrorStyle
  readonly meters?: SocketMeter
  readonly log: Log
}

export async function listen(options: ListenOptions): Promise<HttpListener> {
  const uws = await loadUws()
  const { serve, log, meters, socketsTotal = http.socketsTotal, proxies, style = 'problem' } = options
  let sockets = 0
  /** The limit was reached and is logged; it is logged again once a tenth of the connections has been free. */
  let hasReportedFull = false
  const state = new ListenerState({ proxies, limits: { ...http, ...options.limits }, style, log })

  function countSocket(socket: Socket, change: number): void {
    count(change)
    if (change < 0 || (sockets <= socketsTotal && state.mayConnect(addressOf(socket)))) return
    meters?.addRefused()
    if (sockets > socketsTotal && !hasReportedFull) log.error('http.connections.full', { most: socketsTotal })
    hasReportedFull ||= sockets > socketsTotal
    socket.close()
  }

  function count(change: number): void {
    sockets += change
    if (hasReportedFull && sockets < socketsTotal * 0.9) hasReportedFull = false
    meters?.setOpen(sockets)
  }

  const app = uws.App()
  countConnections(app, countSocket)
  /** Undefined when the listener has refused the request. */
  function beginExchange(method: string, socket: Socket, head: RequestHead): SocketExchange | undefined {
    const exchange = new SocketExchange(method, socket, head, state)
    const { reply, countedAddress } = state.beginRequest(() => exchange.remoteAddress())
    exchange.countedAddress = countedAddress
    const { framing } = exchange
    if (!reply && typeof framing === 'string') return exchange
    exchange.respond(reply ?? malformedReply(framing as Exclude<Framing, string>, style))
    exchange.endParsing()
    return undefined
  }

  function handle(method: string, socket: Socket, head: RequestHead): void {
    const exchange = beginExchange(method, socket, head)
    if (!exchange) return
    serve(exchange)
    exchange.endParsing()
  }

  const upgrades =
    options.sockets &&
    createUpgrades({
      acceptor: options.sockets,
      beginExchange: (socket, head) => beginExchange('GET', socket, head),
      handleRequest: (socket, head) => handle('GET', socket, head),
      isClosing: () => state.closing,
      onClosed: () => count(-1),
      log,
    })
  if (upgrades) app.ws('/*', upgrades.behavior)
  app.get('/*', (socket, head) => handle('GET', socket, head))
  app.post('/*', (socket, head) => handle('POST', socket, head))
  app.put('/*', (socket, head) => handle('PUT', socket, head))
  app.patch('/*', (socket, head) => handle('PATCH', socket, head))
  app.del('/*', (socket, head) => handle('DELETE', socket, head))
  app.any('/*', (socket, head) => handle(head.getCaseSensitiveMethod(), socket, head))

  const socket = await listenExclusively(app, options.host, options.port)
  if (!socket) throw new ListenError(await explainBindError(options.host, options.port))
  let closed: Promise<void> | undefined

  async function close(listening: ListenSocket, deadlineMs: number): Promise<void> {
    state.closing = true
    upgrades?.closeAll(closeCodes.goingAway, 'This node stops: connect again.')
    // Requests that arrive meanwhile are answered, and their replies close their connections.
    const lingerMs = Math.min(shutdown.lingerMs, deadlineMs)
    if (sockets > 0) await sleep(lingerMs, undefined, { ref: false })
    // The loop accepts the connections that wait first: the system resets those it still holds when the socket closes.
    await new Promise((resolve) => setImmediate(resolve))
    uws.us_listen_socket_close(listening)
    // The connections accepted last have not been read yet: closing now would reset them.
    if (sockets > 0) await sleep(lingerMs, undefined, { ref: false })
    if (!state.isIdle) {
      await Promise.race([
        new Promise<void>((resolve) => (state.onIdle = resolve)),
        sleep(deadlineMs, undefined, { ref: false }),
      ])
    }
    state.close()
    app.close()
  }

  return {
    host: options.host,
    port: uws.us_socket_local_port(socket),
    isFull: () => sockets >= socketsTotal,
    // uWebSockets.js ends the process when a socket is closed twice: a second call waits for the first.
    close(deadlineMs) {
      closed ??= close(socket, deadlineMs)
      return closed
    },
  }
}

function malformedReply({ problem }: Exclude<Framing, string>, style: ErrorStyle): Reply {
  return closingReply(refuse('request.invalid', { status: 400, detail: problem }), style)
}
