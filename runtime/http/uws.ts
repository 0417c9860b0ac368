/**
 * uWebSockets.js under our names, with the calls that its declared types lack. No other file imports it. `prepareUws`
 * of `binary.ts` must have verified the binary before it is loaded.
 */
import type {
  HttpRequest,
  HttpResponse,
  TemplatedApp,
  us_listen_socket,
  WebSocket,
  WebSocketBehavior,
} from 'uWebSockets.js'

/** The response of a request: its socket until the request is answered. */
export type Socket = HttpResponse
/** The head of a request. It may be read only in the callback that brings it. */
export type RequestHead = HttpRequest
export type SocketBehavior<T> = WebSocketBehavior<T>
export type ListenSocket = us_listen_socket
export type { WebSocket }

export type Uws = Pick<typeof import('uWebSockets.js'), 'App' | 'us_listen_socket_close' | 'us_socket_local_port'>

/** Loads the library and disables the header in which every reply names it. */
export async function loadUws(): Promise<Uws> {
  const { default: uws } = await import('uWebSockets.js')
  ;(uws as unknown as { _cfg(option: string): void })._cfg('silent')
  return uws
}

/** Calls back with 1 for each connection that opens, and with -1 for each that closes without having been upgraded. */
export function countConnections(app: TemplatedApp, call: (socket: Socket, change: number) => void): void {
  app.filter(call as never)
}

interface ExclusiveListen {
  listen(host: string, port: number, options: number, call: (socket: us_listen_socket | false) => void): void
}

/** Without this option a second process shares the port silently. */
const exclusiveFlag = 1

/** False when the port cannot be listened on; uWebSockets.js does not say why. */
export function listenExclusively(app: TemplatedApp, host: string, port: number): Promise<ListenSocket | false> {
  return new Promise((resolve) => (app as unknown as ExclusiveListen).listen(host, port, exclusiveFlag, resolve))
}
