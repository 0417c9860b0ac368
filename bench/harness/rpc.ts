/** A candidate's side of the control socket: reports readiness, then answers the bench. */
import { connect, type Socket } from 'node:net'
import { createInterface } from 'node:readline'
import type { Sample, Window } from './sample.js'

export interface HttpRequest {
  readonly method: string
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  /** Sent one after another, repeatedly, in place of the one body. */
  readonly bodies?: readonly string[]
  /** Each request is built by that program of the bench; its `requests(of)` returns the bytes of one after another. */
  readonly made?: { readonly by: string; readonly of: unknown }
}

/** Where a candidate listens, which request it expects, and notes on its configuration for the report. */
export interface Ready {
  readonly port?: number
  readonly request?: HttpRequest
  readonly notes?: readonly string[]
}

export interface RpcRequest {
  readonly id: number
  readonly ask: 'cpu' | 'memory' | 'work' | 'stop'
  readonly window?: Window
}

/** Readiness is sent without a request, with id 0. */
export type RpcResponse =
  | { readonly id: number; readonly answer: unknown }
  | { readonly id: number; readonly failed: string }

export interface CandidateHandlers {
  readonly ready: Ready
  readonly work?: (window: Window) => Promise<Sample>
  readonly close: () => Promise<void> | void
}

export function readLines<M>(socket: Socket, onMessage: (message: M) => void): void {
  createInterface({ input: socket }).on('line', (line) => onMessage(JSON.parse(line)))
}

/** Serves the bench until it sends stop or disconnects; the process then ends. */
export function serveCandidate(handlers: CandidateHandlers): void {
  const port = Number(process.env.BENCH_CONTROL)
  if (!port) throw new Error('This program is started by the bench: npm run bench')
  const socket = connect(port, '127.0.0.1')
  const sendResponse = (response: RpcResponse) => socket.write(`${JSON.stringify(response)}\n`)
  socket.on('error', () => socket.destroy())
  socket.on('close', () => process.exit(0))
  sendResponse({ id: 0, answer: handlers.ready })
  readLines<RpcRequest>(socket, (request) => {
    answer(handlers, request).then(
      (result) => {
        sendResponse({ id: request.id, answer: result })
        if (request.ask === 'stop') socket.end()
      },
      (failure: unknown) => sendResponse({ id: request.id, failed: String(failure) }),
    )
  })
}

async function answer(handlers: CandidateHandlers, request: RpcRequest): Promise<unknown> {
  if (request.ask === 'cpu') return cpuMicros()
  if (request.ask === 'memory') return process.memoryUsage.rss()
  if (request.ask === 'stop') return handlers.close()
  if (!handlers.work || !request.window) throw new Error('it does no work of its own')
  return handlers.work(request.window)
}

export function cpuMicros(): number {
  const { user, system } = process.cpuUsage()
  return user + system
}
