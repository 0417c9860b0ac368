/** A customer's endpoint: a real HTTP server with configurable faults that records every request. */
import { createHmac } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import type { Test } from 'tap'

export interface Received {
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly body: Buffer
}

export type Behavior = (response: ServerResponse, nth: number) => void

/** Each path behaves as configured, by default well; every request is recorded. */
export async function openReceiver(t: Test) {
  const received: Received[] = []
  const behaviour = new Map<string, Behavior>()
  const sockets = new Set<Socket>()
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const path = request.url ?? ''
      received.push({ path, headers: request.headers, body: Buffer.concat(chunks) })
      const setBehavior = behaviour.get(path) ?? answer(200)
      setBehavior(response, received.filter((each) => each.path === path).length)
    })
  })
  server.on('connection', (socket) => {
    sockets.add(socket)
    socket.on('error', () => {}).on('close', () => sockets.delete(socket))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  function cutConnections(): void {
    for (const socket of sockets) socket.destroy()
  }
  t.teardown(() => {
    cutConnections()
    return new Promise((done) => server.close(done))
  })
  return {
    port,
    url: (path: string) => `http://127.0.0.1:${port}${path}`,
    /** Matches any query, where the path has none. */
    at: (path: string) => received.filter((each) => each.path === path || each.path.split('?')[0] === path),
    setBehavior: (path: string, how: Behavior) => void behaviour.set(path, how),
    /** Ends every request that was not answered. */
    cutConnections,
  }
}

export type Receiver = Awaited<ReturnType<typeof openReceiver>>

export function answer(...statuses: number[]): Behavior {
  return (response, nth) => void response.writeHead(statuses[Math.min(nth, statuses.length) - 1]!).end()
}
export const hang: Behavior = () => {}

/** Verifies the signature as a customer would: from the raw bytes and the two headers. */
export function isSignedWith(secret: string, { headers, body }: Received): boolean {
  const stamp = String(headers['x-svc-request-timestamp'])
  const mac = createHmac('sha256', secret)
    .update(Buffer.concat([Buffer.from(`v0:${stamp}:`), body]))
    .digest('hex')
  return headers['x-svc-signature'] === `v0=${mac}`
}
