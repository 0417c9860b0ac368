/**
 * The HTTP load generator: keep-alive connections, one request at a time on each, every response framed, timed and
 * counted.
 */
import { connect, type Socket } from 'node:net'
import { createHistogram, type RecordableHistogram } from 'node:perf_hooks'
import { programFile } from '../children.js'
import { percents } from '../metrics.js'
import type { HttpRequest } from '../rpc.js'
import { cpuMicros } from '../rpc.js'
import type { Percentile, Sample, Window } from '../sample.js'
import { parseHead } from './frame.js'
import { createTimeline, type Timeline } from './timeline.js'
import { sleep, waitForWindow } from './window.js'

const readBytes = 64 * 1024
const reconnectMs = 20

interface Tally {
  operations: number
  bytes: number
  failures: Record<string, number>
  readonly latencyMicros: RecordableHistogram
  /** Undefined during the warm-up. */
  readonly timeline?: Timeline
}

/**
 * Measuring begins when `warm`, called after the warm-up, resolves. The generator cannot see the server's processor
 * time and reports 0.
 */
export async function generate(
  port: number,
  request: HttpRequest,
  window: Window,
  warm: () => Promise<void>,
): Promise<Sample> {
  const next = await requestsOf(request)
  const load = { port, next, tally: emptyTally(), stopped: false, sockets: new Set<Socket>() }
  for (let opened = 0; opened < window.concurrency; opened++) openConnection(load)
  await sleep(window.warmSeconds)
  await warm()
  load.tally = { ...emptyTally(), timeline: createTimeline(window.seconds) }
  const start = { cpu: cpuMicros(), at: performance.now() }
  await waitForWindow(window.seconds, () => load.tally.operations > 0)
  const elapsedSeconds = (performance.now() - start.at) / 1000
  const cores = (cpuMicros() - start.cpu) / 1e6 / elapsedSeconds
  load.stopped = true
  for (const socket of load.sockets) socket.destroy()
  const { operations, bytes, failures, latencyMicros, timeline } = load.tally
  return {
    operations,
    seconds: elapsedSeconds,
    failures,
    bytes,
    latencyMs: percentilesOf(latencyMicros),
    cpuMicros: 0,
    loadCores: cores,
    timeline: timeline!.end(),
  }
}

async function requestsOf(request: HttpRequest): Promise<() => Buffer> {
  const { made, bodies = [request.body] } = request
  if (made) return (await import(programFile(made.by))).requests(made.of)
  const all = bodies.map((body) => requestBytes({ ...request, body }))
  let next = 0
  return () => all[next++ % all.length]!
}

interface Running {
  readonly port: number
  readonly next: () => Buffer
  tally: Tally
  stopped: boolean
  readonly sockets: Set<Socket>
}

/** A read is processed completely before the next one begins, so all connections share one buffer. */
const shared = Buffer.allocUnsafeSlow(readBytes)

function openConnection(load: Running): void {
  let sentAt = 0
  /** The incomplete head, when it arrives in pieces. */
  let head: Buffer | undefined
  /** Body bytes still expected, and the status of their response. */
  let remaining = 0
  let status = 0

  const send = () => {
    sentAt = performance.now()
    socket.write(load.next())
  }
  const finish = () => {
    const { tally } = load
    tally.operations++
    const micros = Math.max(1, Math.round((performance.now() - sentAt) * 1000))
    tally.latencyMicros.record(micros)
    tally.timeline?.record(micros)
    if (status < 200 || status > 299) fail(load, `status ${status}`)
    send()
  }
  const completeRead = () => {
    if (remaining < 0) socket.destroy(new Error('more bytes than the answer has'))
    else if (remaining === 0) finish()
    return true
  }
  const read = (length: number, buffer: Buffer | Uint8Array): boolean => {
    load.tally.bytes += length
    if (remaining > 0) {
      remaining -= length
      return completeRead()
    }
    const bytes = head ? Buffer.concat([head, buffer.subarray(0, length)]) : (buffer as Buffer)
    const used = head ? bytes.length : length
    const parsedHead = parseHead(bytes, used)
    if (!parsedHead) {
      head = Buffer.from(bytes.subarray(0, used))
      return true
    }
    head = undefined
    status = parsedHead.status
    remaining = parsedHead.headBytes + parsedHead.bodyBytes - used
    return completeRead()
  }

  const socket = connect({
    host: '127.0.0.1',
    port: load.port,
    noDelay: true,
    onread: { buffer: shared, callback: read },
  })
  load.sockets.add(socket)
  socket.on('connect', send)
  socket.on('error', (failure: NodeJS.ErrnoException) => fail(load, failure.code ?? failure.message))
  socket.on('close', () => {
    load.sockets.delete(socket)
    if (load.stopped) return
    fail(load, 'connection closed')
    setTimeout(() => load.stopped || openConnection(load), reconnectMs)
  })
}

function fail(load: Running, what: string): void {
  load.tally.failures[what] = (load.tally.failures[what] ?? 0) + 1
}

export function requestBytes(request: HttpRequest): Buffer {
  const headers = { host: '127.0.0.1', ...request.headers, 'content-length': String(Buffer.byteLength(request.body)) }
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  return Buffer.from(`${request.method} ${request.path} HTTP/1.1\r\n${lines.join('')}\r\n${request.body}`)
}

function emptyTally(): Tally {
  return { operations: 0, bytes: 0, failures: {}, latencyMicros: createHistogram({ figures: 3 }) }
}

export function percentilesOf(micros: RecordableHistogram): Percentile[] {
  return percents.map((percent) => [percent, micros.percentile(percent) / 1000] as const)
}
