/** The HTTP server of the emulated providers: a path prefix for each protocol, and connection faults. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo, Server, Socket } from 'node:net'
import type { EmulatedProvider, EmulatorAnswer, EmulatorRequest, ParsedCall, PersonCall } from './contract.js'
import type { ActiveFaults } from './faults.js'

export interface ServerDeps {
  readonly providers: readonly EmulatedProvider[]
  readonly bodyBytes: number
  /** Providers with the same prefix try to parse the request in turn. */
  parse(provider: EmulatedProvider, request: EmulatorRequest): ParsedCall | undefined
  selectFaults(call: PersonCall): ActiveFaults
  /** Performs a call that no fault has stopped. */
  perform(call: PersonCall, activeFaults: ActiveFaults): Promise<EmulatorAnswer> | EmulatorAnswer
  delay(ms: number): Promise<void>
}

export interface ListeningServer {
  readonly port: number
  close(): Promise<void>
}

export async function startHttpServer(deps: ServerDeps, host: string, port: number): Promise<ListeningServer> {
  const server = createServer((request, response) => {
    handleRequest(deps, request, response).catch(() => request.socket.destroy())
  })
  return listen(server, host, port)
}

/** Listens on the port, or on a free one when another process has it. Closing ends every connection. */
export async function listen(server: Server, host: string, port: number): Promise<ListeningServer> {
  const sockets = new Set<Socket>()
  server.on('connection', (socket: Socket) => {
    sockets.add(socket)
    socket.on('error', () => {}).on('close', () => sockets.delete(socket))
  })
  await bindPort(server, host, port)
  return {
    port: (server.address() as AddressInfo).port,
    close() {
      for (const socket of sockets) socket.destroy()
      return new Promise((resolve) => void server.close(() => resolve()))
    },
  }
}

function bindPort(server: Server, host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EADDRINUSE' && port !== 0) bindPort(server, host, 0).then(resolve, reject)
      else reject(error)
    })
    server.listen(port, host, () => {
      server.removeAllListeners('error')
      resolve()
    })
  })
}

async function handleRequest(deps: ServerDeps, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const body = await bodyOf(request, deps.bodyBytes)
  if (!body) return write(response, { status: 413 })
  const url = new URL(request.url ?? '/', 'http://emulator')
  const [, prefix = '', rest = ''] = /^\/([^/]*)(.*)$/.exec(url.pathname) ?? []
  const parsedRequest = {
    method: request.method ?? '',
    path: rest,
    query: url.searchParams,
    header: (name: string) => String(request.headers[name] ?? ''),
    body,
  }
  const providers = deps.providers.filter((each) => each.prefix === prefix)
  for (const provider of providers) {
    const parsed = deps.parse(provider, parsedRequest)
    if (!parsed) continue
    return 'perform' in parsed ? answerCall(deps, provider, parsed, response) : write(response, parsed)
  }
  write(response, providers[0]?.refusal?.(404) ?? { status: 404 })
}

async function answerCall(
  deps: ServerDeps,
  provider: EmulatedProvider,
  call: PersonCall,
  response: ServerResponse,
): Promise<void> {
  const activeFaults = deps.selectFaults(call)
  if (activeFaults.latency) await deps.delay(activeFaults.latency.ms ?? 0)
  if (activeFaults.reset) return void response.socket?.resetAndDestroy()
  const refusal = refusalOf(provider, call, activeFaults)
  if (refusal) return write(response, refusal)
  const answer = await deps.perform(call, activeFaults)
  if (!activeFaults.noAnswer) write(response, answer)
}

function refusalOf(
  provider: EmulatedProvider,
  call: PersonCall,
  activeFaults: ActiveFaults,
): EmulatorAnswer | undefined {
  const { rateLimited, serverError, unauthorized } = activeFaults
  if (unauthorized) return call.unauthorized ?? provider.refusal?.(401)
  if (rateLimited) return provider.refusal?.(429, rateLimited.retryAfterSeconds)
  return serverError && provider.refusal?.(serverError.status ?? 500)
}

async function bodyOf(request: IncomingMessage, maxBytes: number): Promise<Buffer | undefined> {
  const chunks: Buffer[] = []
  let length = 0
  for await (const chunk of request as AsyncIterable<Buffer>) {
    length += chunk.length
    if (length <= maxBytes) chunks.push(chunk)
  }
  return length <= maxBytes ? Buffer.concat(chunks) : undefined
}

function write(response: ServerResponse, { status, headers, body, type }: EmulatorAnswer): void {
  const text = body === undefined ? '' : type === undefined ? JSON.stringify(body) : toBody(body)
  const kind = body === undefined ? {} : { 'content-type': type ?? 'application/json; charset=UTF-8' }
  response.writeHead(status, { ...kind, ...headers }).end(text)
}

function toBody(body: unknown): string | Uint8Array {
  return body instanceof Uint8Array ? body : String(body)
}
