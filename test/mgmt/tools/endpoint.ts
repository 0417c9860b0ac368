/** An endpoint of a business that misbehaves: a raw server on loopback with a script of its answers. */
import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import type { Test } from 'tap'

export const behaviors = [
  'ok',
  'notFound',
  'failure',
  'gateway',
  'redirect',
  'limited',
  'busy',
  'hang',
  'reset',
  'close',
  'garbage',
  'halfHead',
  'shortBody',
  'huge',
  'drip',
] as const
export type Behavior = (typeof behaviors)[number]

/** Answers by which an endpoint says that it did nothing and wants to be asked again. */
export const takesNothing: readonly Behavior[] = ['limited', 'busy']

export interface Arrival {
  readonly behavior: Behavior
  /** Head and body as they came. */
  readonly text: string
}

const response = (status: string, body: string, headers = '') =>
  `HTTP/1.1 ${status}\r\ncontent-length: ${Buffer.byteLength(body)}\r\n${headers}\r\n${body}`

const plainAnswers: Partial<Readonly<Record<Behavior, string>>> = {
  ok: response('200 OK', '{"booked":true}', 'content-type: application/json\r\n'),
  notFound: response('404 Not Found', 'no'),
  failure: response('500 Oops', 'no'),
  gateway: response('502 Bad Gateway', 'no'),
  redirect: response('307 Elsewhere', '', 'location: /elsewhere\r\n'),
  limited: response('429 Slow Down', '', 'retry-after: 0\r\n'),
  busy: response('503 Busy', '', 'retry-after: 0\r\n'),
  garbage: 'SSH-2.0-OpenSSH_9.6\r\n\r\n\0\0',
  halfHead: 'HTTP/1.1 200 OK\r\ncontent-le',
}

function behave(socket: Socket, behavior: Behavior): void {
  const text = plainAnswers[behavior]
  if (text !== undefined) return void (behavior === 'halfHead' ? socket.end(text) : socket.write(text))
  if (behavior === 'reset') return void socket.resetAndDestroy()
  if (behavior === 'close') return void socket.end()
  if (behavior === 'shortBody') return void socket.end('HTTP/1.1 200 OK\r\ncontent-length: 900\r\n\r\n{"booked"')
  if (behavior === 'huge') return writeMegabytes(socket, 64)
  if (behavior === 'drip') dripInto(socket)
}

function writeMegabytes(socket: Socket, count: number): void {
  socket.write(`HTTP/1.1 200 OK\r\ncontent-length: ${count * 2 ** 20}\r\n\r\n`)
  const megabyte = Buffer.alloc(2 ** 20, 'x')
  let left = count
  const more = () => {
    while (left-- > 0 && !socket.destroyed) if (!socket.write(megabyte)) return void socket.once('drain', more)
  }
  more()
}

function dripInto(socket: Socket): void {
  socket.write('HTTP/1.1 200 OK\r\ncontent-length: 900\r\n\r\n')
  const timer = setInterval(() => socket.write('{'), 20)
  socket.on('close', () => clearInterval(timer))
}

/** The script names the behaviour towards each request in turn; the last one holds for all further ones. */
export async function openEndpoint(t: Test, script: () => readonly Behavior[]) {
  const arrivals: Arrival[] = []
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => {}).on('close', () => sockets.delete(socket))
    let text = ''
    let isAnswered = false
    socket.on('data', (chunk) => {
      text += chunk.toString('latin1')
      const length = Number(/content-length: (\d+)/i.exec(text)?.[1] ?? 0)
      const headEnd = text.indexOf('\r\n\r\n')
      if (isAnswered || headEnd < 0 || text.length < headEnd + 4 + length) return
      isAnswered = true
      const behavior = script()[Math.min(arrivals.length, script().length - 1)]!
      arrivals.push({ behavior, text })
      behave(socket, behavior)
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}/in`,
    arrivals,
    clear: () => void arrivals.splice(0),
  }
}
