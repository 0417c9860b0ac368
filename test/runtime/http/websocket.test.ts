/** Sockets over the real listener: who is let in, what a listener is told, and what slow or hostile clients get. */
import { request } from 'node:http'
import { connect } from 'node:net'
import t, { type Test } from 'tap'
import { WebSocket } from 'undici'
import { type Refusal, refuse } from '../../../core/errors.js'
import { prepareUws } from '../../../runtime/http/binary.js'
import type { SocketMeter } from '../../../runtime/http/metrics.js'
import { type HttpListener, listen } from '../../../runtime/http/server.js'
import type { LiveSocket, SocketListener, SocketRequest } from '../../../runtime/http/websocket.js'
import { createLog } from '../../../runtime/observe/log.js'
import { flushPending, waitUntil } from '../../harness/clock.js'

prepareUws(false)
const { log } = createLog({ destination: { write: () => {} } })
const limits = { frameBytes: 1_024, bufferedMaxBytes: 256 * 1024, idleSeconds: 60, lifetimeMinutes: 120 }

/** A listener that notes what it was told. */
class Noted implements SocketListener {
  socket: LiveSocket | undefined
  readonly receivedTexts: string[] = []
  drains = 0
  closes = 0
  constructor(readonly request: SocketRequest) {}
  onOpen(socket: LiveSocket): void {
    this.socket = socket
  }
  onMessage(text: string): void {
    this.receivedTexts.push(text)
  }
  onDrain(): void {
    this.drains++
  }
  onClose(): void {
    this.closes++
  }
}

type Decide = (listener: Noted) => SocketListener | Refusal

async function openServer(
  t: Test,
  decide: Decide = (listener) => listener,
  { maxSockets, meters }: { readonly maxSockets?: number; readonly meters?: SocketMeter } = {},
): Promise<{ server: HttpListener; received: Noted[] }> {
  const received: Noted[] = []
  const server = await listen({
    host: '127.0.0.1',
    port: 0,
    serve: (incoming) => incoming.respond({ status: 200, requestId: 'x', type: 'text/plain', body: incoming.path }),
    sockets: {
      limits,
      handles: (path) => path.startsWith('/chat/'),
      accept(request) {
        const listener = new Noted(request)
        received.push(listener)
        return decide(listener)
      },
    },
    ...(maxSockets !== undefined && { socketsTotal: maxSockets }),
    ...(meters && { meters }),
    log,
  })
  t.teardown(() => server.close(0))
  return { server, received }
}
const urlOf = ({ port }: HttpListener, path = '/chat/one?token=x') => `ws://127.0.0.1:${port}${path}`

function opened(url: string, headers: Record<string, string> = {}): Promise<WebSocket> {
  return new Promise((resolve, reject) => {
    const socket = new WebSocket(url, { headers })
    socket.addEventListener('open', () => resolve(socket))
    socket.addEventListener('error', () => reject(new Error('refused')))
  })
}

const codeOf = (socket: WebSocket) =>
  new Promise<number>((resolve) => socket.addEventListener('close', ({ code }) => resolve(code)))

const upgrade = {
  connection: 'Upgrade',
  upgrade: 'websocket',
  'sec-websocket-version': '13',
  'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
}

function answerOf({ port }: HttpListener, path: string): Promise<{ status: number; text: string }> {
  return new Promise((resolve, reject) => {
    const upgradeRequest = request({ port, path, headers: upgrade }, async (response) => {
      const text = Buffer.concat(await response.toArray()).toString()
      resolve({ status: response.statusCode ?? 0, text })
    })
    upgradeRequest.on('error', reject)
    upgradeRequest.end()
  })
}

t.test('A socket is opened for an admitted client, and knows its request', async (t) => {
  const { server, received } = await openServer(t)
  const client = await opened(urlOf(server), { origin: 'https://shop.example' })
  const { request } = received[0]!
  t.match(request, { path: '/chat/one', query: 'token=x', origin: 'https://shop.example', remoteAddress: '127.0.0.1' })
  client.send('Hello')
  await waitUntil(() => received[0]!.receivedTexts.length === 1)
  t.same(received[0]!.receivedTexts, ['Hello'])
  const answered = new Promise((resolve) => client.addEventListener('message', ({ data }) => resolve(data)))
  t.equal(received[0]!.socket!.send('And you'), 'sent')
  t.equal(await answered, 'And you')
  client.send(new Uint8Array([104, 105]))
  await waitUntil(() => received[0]!.receivedTexts.length === 2)
  t.equal(received[0]!.receivedTexts[1], '', 'a binary frame is empty text')
  client.close()
  await waitUntil(() => received[0]!.closes === 1)
})

t.test('Many sockets are opened concurrently, and none of them is lost', async (t) => {
  const { server, received } = await openServer(t)
  const clients = await Promise.all(Array.from({ length: 100 }, () => opened(urlOf(server))))
  await flushPending()
  t.equal(clients.filter(({ readyState }) => readyState === WebSocket.OPEN).length, 100)
  t.equal(
    received.reduce((sum, { closes }) => sum + closes, 0),
    0,
  )
  for (const client of clients) client.close()
  await waitUntil(() => received.every(({ closes }) => closes === 1))
})

t.test('A refusal is an ordinary response, and a failing acceptor answers as temporarily unavailable', async (t) => {
  const { server } = await openServer(t, ({ request }) => {
    if (request.path === '/chat/bug') throw new Error('a bug')
    return refuse('auth.forbidden', { detail: 'Not from here.' })
  })
  t.match(await answerOf(server, '/chat/one'), { status: 403, text: /Not from here/ })
  t.match(await answerOf(server, '/chat/bug'), { status: 503 })
})

t.test('A path without an acceptor is answered like an ordinary request', async (t) => {
  const { server, received } = await openServer(t)
  t.same(await answerOf(server, '/elsewhere'), { status: 200, text: '/elsewhere' })
  t.equal(received.length, 0)
  const plain = await fetch(`http://127.0.0.1:${server.port}/chat/one`)
  t.equal(await plain.text(), '/chat/one', 'and so is a request for no socket on one that is')
})

t.test('A closed socket accepts every call and does nothing', async (t) => {
  const { server, received } = await openServer(t)
  const client = await opened(urlOf(server))
  const code = codeOf(client)
  const { socket } = received[0]!
  socket!.close(4000, 'Enough.')
  t.equal(await code, 4000)
  t.equal(received[0]!.closes, 1)
  socket!.close(1001, 'Twice.')
  t.equal(socket!.send('late'), 'sent')
  t.equal(socket!.bufferedBytes(), 0)
  t.equal(received[0]!.closes, 1, 'it is reported once')
})

t.test('A message longer than a frame may be ends the socket', async (t) => {
  const { server, received } = await openServer(t)
  const client = await opened(urlOf(server))
  const code = codeOf(client)
  client.send('x'.repeat(limits.frameBytes))
  client.send('x'.repeat(limits.frameBytes + 1))
  t.ok([1006, 1009].includes(await code))
  await waitUntil(() => received[0]!.closes === 1)
  t.same(
    received[0]!.receivedTexts.map(({ length }) => length),
    [limits.frameBytes],
  )
})

t.test('A client that does not read has a bounded buffer, and it drains when reading resumes', async (t) => {
  const { server, received } = await openServer(t)
  const client = connect(server.port, '127.0.0.1')
  const head = Object.entries({ host: 'x', ...upgrade }).map(([name, value]) => `${name}: ${value}\r\n`)
  client.write(`GET /chat/one HTTP/1.1\r\n${head.join('')}\r\n`)
  await waitUntil(() => received[0]?.socket !== undefined)
  client.pause()
  const { socket } = received[0]!
  const piece = 'x'.repeat(32 * 1024)
  let sends = 0
  while (socket!.send(piece) === 'sent' && sends < 10_000) {
    sends++
    if (sends % 50 === 0) await flushPending()
  }
  t.ok(sends < 10_000, 'one day it is too much')
  t.ok(socket!.bufferedBytes() > 0)
  t.ok(socket!.bufferedBytes() <= limits.bufferedMaxBytes + piece.length)
  let bytes = 0
  client.on('data', (data) => (bytes += data.length))
  client.resume()
  await waitUntil(() => socket!.bufferedBytes() === 0 && received[0]!.drains > 0)
  await waitUntil(() => bytes >= sends * piece.length)
  t.ok(bytes < (sends + 1) * piece.length + sends * 16, 'a dropped frame is never sent')
  client.destroy()
  await waitUntil(() => received[0]!.closes === 1)
})

t.test('A handler that throws affects only its own socket', async (t) => {
  const { server, received } = await openServer(t, (listener) => {
    listener.onMessage = () => {
      throw new Error('a bug')
    }
    return listener
  })
  const client = await opened(urlOf(server))
  client.send('Hello')
  t.equal((await fetch(`http://127.0.0.1:${server.port}/still`)).status, 200)
  client.close()
  await waitUntil(() => received[0]!.closes === 1)
})

t.test('A listener that closes ends every socket with 1001, and reports each once', async (t) => {
  const { server, received } = await openServer(t)
  const clients = await Promise.all([opened(urlOf(server)), opened(urlOf(server))])
  const codes = Promise.all(clients.map(codeOf))
  const closing = server.close(5_000)
  t.same(await codes, [1001, 1001])
  await closing
  t.same(
    received.map(({ closes }) => closes),
    [1, 1],
  )
})

t.test('The number of open sockets is bounded, however earlier ones were opened and closed', async (t) => {
  const maxSockets = 3
  let now = 0
  let refused = 0
  const meters: SocketMeter = {
    setOpen(sockets) {
      now = sockets
    },
    addRefused() {
      refused++
    },
  }
  const { server, received } = await openServer(t, undefined, { maxSockets, meters })
  const leaving: ((client: WebSocket, listener: Noted) => void)[] = [
    (client) => client.close(),
    (_client, { socket }) => socket!.close(4_000, 'Enough.'),
    // More than may be said at once: the server ends it.
    (client) => client.send('x'.repeat(limits.frameBytes + 1)),
  ]
  for (const [round, leave] of [...leaving, ...leaving].entries()) {
    const earlier = received.length
    const clients = await Promise.all(Array.from({ length: maxSockets }, () => opened(urlOf(server))))
    await t.rejects(opened(urlOf(server)), `one more is not let in, round ${round}`)
    const here = received.slice(earlier)
    t.equal(here.length, maxSockets)
    t.equal(now, maxSockets)
    t.equal(refused, round + 1)
    for (const [at, client] of clients.entries()) leave(client, here[at]!)
    await waitUntil(() => here.every(({ closes }) => closes === 1))
    t.equal(now, 0)
  }
  t.equal((await fetch(`http://127.0.0.1:${server.port}/still`)).status, 200)
})
