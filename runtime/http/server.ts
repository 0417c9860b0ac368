/**
 * The listener, and the only file that imports uWebSockets.js. Its pitfalls are handled in `socket.ts`: a request dies
 * with its callback, an aborted response must not be touched, and every late write is corked.
 */
import type { HttpRequest, HttpResponse, TemplatedApp, us_listen_socket } from 'uWebSockets.js'
import { refuse } from '../../core/errors.js'
import { http } from '../../core/limits.js'
import type { Log } from '../observe/log.js'
import type { Reply, Serve } from './exchange.js'
import { writeRefusal } from './problem.js'
import { SocketExchange } from './socket.js'

export type Socket = HttpResponse
export type RequestHead = HttpRequest

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
  let whenIdle: (() => void) | undefined
  const lobby = {
    closing: false,
    over(error?: unknown) {
      if (error) log.error('http.reply.failed', { error })
      inFlight--
      if (inFlight === 0) whenIdle?.()
    },
  }

  function countSocket(socket: Socket, change: number): void {
    sockets += change
    if (change > 0 && sockets > http.socketsTotal) socket.close()
  }

  const app: TemplatedApp = uws.App()
  app.filter(countSocket as never)
  function take(method: string, socket: Socket, head: RequestHead): void {
    inFlight++
    const exchange = new SocketExchange(method, socket, head, lobby)
    if (inFlight > http.inFlightRequests) exchange.respond(busy)
    else serve(exchange)
  }
  app.get('/*', (socket, head) => take('GET', socket, head))
  app.post('/*', (socket, head) => take('POST', socket, head))
  app.put('/*', (socket, head) => take('PUT', socket, head))
  app.patch('/*', (socket, head) => take('PATCH', socket, head))
  app.del('/*', (socket, head) => take('DELETE', socket, head))
  app.any('/*', (socket, head) => take(head.getCaseSensitiveMethod(), socket, head))

  const socket = await new Promise<us_listen_socket | false>((resolve) =>
    (app as unknown as ListensAlone).listen(options.host, options.port, exclusively, resolve),
  )
  if (!socket) throw new CannotListen(`Nothing can listen on ${options.host}:${options.port}; is the port taken?`)
  return {
    host: options.host,
    port: uws.us_socket_local_port(socket),
    async close(deadlineMs) {
      lobby.closing = true
      uws.us_listen_socket_close(socket)
      if (inFlight > 0) await Promise.race([new Promise<void>((resolve) => (whenIdle = resolve)), after(deadlineMs)])
      app.close()
    },
  }
}

function after(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms).unref())
}
