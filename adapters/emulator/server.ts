/** The HTTP side of the emulated providers: one server, a path prefix a wire, and the faults of a connection. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo, Server, Socket } from 'node:net'
import type { PersonCall, Understood, Wire, WireAnswer, WireRequest } from './contract.js'
import type { Drawn } from './faults.js'

export interface ServerParts {
  readonly wires: readonly Wire[]
  readonly bodyBytes: number
  /** Which wire reads the request; the wires of one prefix are asked in turn. */
  understand(wire: Wire, request: WireRequest): Understood | undefined
  draw(call: PersonCall): Drawn
  /** Performs a call that no fault has stopped. */
  perform(call: PersonCall, drawn: Drawn): Promise<WireAnswer> | WireAnswer
  later(ms: number): Promise<void>
}

export interface Listening {
  readonly port: number
  close(): Promise<void>
}

export async function openHttp(parts: ServerParts, host: string, port: number): Promise<Listening> {
  const server = createServer((request, response) => {
    handled(parts, request, response).catch(() => request.socket.destroy())
  })
  return listening(server, host, port)
}

/** Listens there, or on a free port when another has that one. Closing ends every connection. */
export async function listening(server: Server, host: string, port: number): Promise<Listening> {
  const sockets = new Set<Socket>()
  server.on('connection', (socket: Socket) => {
    sockets.add(socket)
    socket.on('error', () => {}).on('close', () => sockets.delete(socket))
  })
  await bound(server, host, port)
  return {
    port: (server.address() as AddressInfo).port,
    close() {
      for (const socket of sockets) socket.destroy()
      return new Promise((done) => void server.close(() => done()))
    },
  }
}

function bound(server: Server, host: string, port: number): Promise<void> {
  return new Promise((done, failed) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EADDRINUSE' && port !== 0) bound(server, host, 0).then(done, failed)
      else failed(error)
    })
    server.listen(port, host, () => {
      server.removeAllListeners('error')
      done()
    })
  })
}

async function handled(parts: ServerParts, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const body = await bodyOf(request, parts.bodyBytes)
  if (!body) return write(response, { status: 413 })
  const url = new URL(request.url ?? '/', 'http://emulator')
  const [, prefix = '', rest = ''] = /^\/([^/]*)(.*)$/.exec(url.pathname) ?? []
  const given = {
    method: request.method ?? '',
    path: rest,
    query: url.searchParams,
    header: (name: string) => String(request.headers[name] ?? ''),
    body,
  }
  const wires = parts.wires.filter((each) => each.prefix === prefix)
  for (const wire of wires) {
    const understood = parts.understand(wire, given)
    if (!understood) continue
    return 'perform' in understood ? answered(parts, wire, understood, response) : write(response, understood)
  }
  write(response, wires[0]?.refusal?.(404) ?? { status: 404 })
}

async function answered(parts: ServerParts, wire: Wire, call: PersonCall, response: ServerResponse): Promise<void> {
  const drawn = parts.draw(call)
  if (drawn.latency) await parts.later(drawn.latency.ms ?? 0)
  if (drawn.reset) return void response.socket?.resetAndDestroy()
  const refusal = refusalOf(wire, call, drawn)
  if (refusal) return write(response, refusal)
  const answer = await parts.perform(call, drawn)
  if (!drawn.noAnswer) write(response, answer)
}

function refusalOf(wire: Wire, call: PersonCall, drawn: Drawn): WireAnswer | undefined {
  const { rateLimited, serverError, unauthorized } = drawn
  if (unauthorized) return call.unauthorized ?? wire.refusal?.(401)
  if (rateLimited) return wire.refusal?.(429, rateLimited.retryAfterSeconds)
  return serverError && wire.refusal?.(serverError.status ?? 500)
}

async function bodyOf(request: IncomingMessage, most: number): Promise<Buffer | undefined> {
  const chunks: Buffer[] = []
  let length = 0
  for await (const chunk of request as AsyncIterable<Buffer>) {
    length += chunk.length
    if (length <= most) chunks.push(chunk)
  }
  return length <= most ? Buffer.concat(chunks) : undefined
}

function write(response: ServerResponse, { status, headers, body, type }: WireAnswer): void {
  const text = body === undefined ? '' : type === undefined ? JSON.stringify(body) : written(body)
  const kind = body === undefined ? {} : { 'content-type': type ?? 'application/json; charset=UTF-8' }
  response.writeHead(status, { ...kind, ...headers }).end(text)
}

function written(body: unknown): string | Uint8Array {
  return body instanceof Uint8Array ? body : String(body)
}
