/** A server somewhere in the world that has media, or behaves badly: what it does is chosen by path. */
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import type { Test } from 'tap'

export type Behavior = (response: ServerResponse, request: IncomingMessage) => void

export interface Origin {
  readonly port: number
  /** The whole URL of something it does. */
  at(name: string): string
  /** Every request it saw, as path and query. */
  readonly seen: readonly string[]
  readonly requests: readonly IncomingMessage[]
}

export async function openOrigin(t: Test, setBehavior: Readonly<Record<string, Behavior>>): Promise<Origin> {
  const requests: IncomingMessage[] = []
  const server = createServer((request, response) => {
    requests.push(request)
    const name = decodeURIComponent(new URL(request.url!, 'http://x').pathname.slice(1))
    const behave = setBehavior[name]
    if (behave) behave(response, request)
    else response.writeHead(404).end()
  })
  const sockets = new Set<Socket>()
  server.on('connection', (socket: Socket) => {
    sockets.add(socket)
    socket.on('error', () => {}).on('close', () => sockets.delete(socket))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => {
    for (const socket of sockets) socket.destroy()
    return new Promise((done) => server.close(done))
  })
  const { port } = server.address() as AddressInfo
  return {
    port,
    at: (name) => `http://127.0.0.1:${port}/${encodeURI(name)}`,
    requests,
    get seen() {
      return requests.map(({ url }) => url!)
    },
  }
}

/** Sends those bytes, under whatever name. */
export function sends(body: Buffer, type = 'application/octet-stream'): Behavior {
  return (response) => void response.writeHead(200, { 'content-type': type, 'content-length': body.length }).end(body)
}

export function redirects(to: string, status = 302): Behavior {
  return (response) => void response.writeHead(status, { location: to }).end()
}

/** Sends the beginning, and the rest only once told to. */
export function holdUntilReleased(body: Buffer): { setBehavior: Behavior; release: () => void } {
  let release = () => {}
  const released = new Promise<void>((resolve) => {
    release = resolve
  })
  return {
    setBehavior(response) {
      response.writeHead(200).write(body.subarray(0, 16))
      void released.then(() => response.end(body.subarray(16)))
    },
    release,
  }
}
