/** Calls of tools: sent at most once on a connection of their own, and whether they may have arrived is known. */
import { once } from 'node:events'
import { createServer, type Socket } from 'node:net'
import t, { type Test } from 'tap'
import { type CallRequest, openCaller } from '../../../runtime/egress/call.js'

const limits = { connectMs: 5_000, callMs: 20_000, answerBytes: 1_024 }

async function open(t: Test, answer: (socket: Socket) => void, more: Partial<typeof limits> = {}) {
  const received: string[] = []
  let connections = 0
  const server = createServer((socket) => {
    connections++
    socket.on('error', () => {})
    socket.on('data', (bytes) => {
      received.push(bytes.toString('latin1'))
      answer(socket)
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => server.close())
  const caller = openCaller({ allowPrivate: true, clock: { now: () => 0 }, limits: { ...limits, ...more } })
  t.teardown(() => caller.close())
  const { port } = server.address() as { port: number }
  const call = (changes: Partial<CallRequest> = {}) =>
    caller.call({
      ...{ url: `http://127.0.0.1:${port}/`, method: 'PATCH', headers: {}, body: Buffer.from('{}') },
      ...{ signal: new AbortController().signal, isStillOwner: () => true },
      ...changes,
    })
  return { call, received, connections: () => connections, close: caller.close }
}

const respond =
  (status: string, body = '', head = '') =>
  (socket: Socket) =>
    void socket.write(`HTTP/1.1 ${status}\r\ncontent-length: ${body.length}\r\n${head}\r\n${body}`)

t.test('Each call has a connection of its own, since on a used one it may meet its close', async (t) => {
  const { call, received, connections } = await open(t, respond('200 OK', 'done'))
  for (let nth = 1; nth <= 3; nth++) {
    t.match(await call(), { ok: true, status: 200, body: Buffer.from('done'), isCut: false })
    t.equal(connections(), nth)
  }
  t.match(received[0], /^PATCH \/ HTTP\/1\.1\r\n/)
})

t.test('A longer body is cut at the bound, and its status is known', async (t) => {
  const { call } = await open(t, respond('404 Not Found', 'x'.repeat(100_000)))
  const answer = await call()
  t.match(answer, { ok: true, status: 404, isCut: true })
  t.equal(answer.ok && answer.body.length, limits.answerBytes)
})

t.test('Retry-After is read in seconds or as a date', async (t) => {
  const seconds = await open(t, respond('429 Slow', '', 'retry-after: 3\r\n'))
  t.match(await seconds.call(), { status: 429, retryAfterMs: 3_000 })
  const date = await open(t, respond('503 Busy', '', 'retry-after: Thu, 01 Jan 1970 00:00:02 GMT\r\n'))
  t.match(await date.call(), { status: 503, retryAfterMs: 2_000 })
  const none = await open(t, respond('503 Busy'))
  t.equal('retryAfterMs' in (await none.call()), false)
})

t.test('Before the first byte nothing can have arrived; after it, it may have', async (t) => {
  const { call, received, close } = await open(t, (socket) => socket.destroy())
  t.match(await call({ url: 'http://127.0.0.1:1/' }), { ok: false, mayHaveArrived: false, isStopped: false })
  t.match(await call({ url: 'http://no-such-host.invalid/' }), { ok: false, mayHaveArrived: false, isStopped: false })
  t.match(await call({ url: 'file:///etc/passwd' }), { ok: false, mayHaveArrived: false, isStopped: false })
  t.match(await call({ headers: { authorization: 'a\r\nb: c' } }), { ok: false, mayHaveArrived: false })
  t.match(await call({ isStillOwner: () => false }), { ok: false, mayHaveArrived: false, isStopped: true })
  t.match(await call({ signal: AbortSignal.abort() }), { ok: false, mayHaveArrived: false, isStopped: true })
  t.equal(received.length, 0)
  t.match(await call(), { ok: false, mayHaveArrived: true, isStopped: false })
  t.equal(received.length, 1, 'and it is not sent again')
  await close()
  t.match(await call(), { ok: false, mayHaveArrived: false, isStopped: true })
})

t.test('A redirect is an answer, and is not followed', async (t) => {
  const { call, received } = await open(t, respond('307 Elsewhere', '', 'location: http://127.0.0.1:1/\r\n'))
  t.match(await call(), { ok: true, status: 307 })
  t.equal(received.length, 1)
})
