/**
 * How requests are framed on their connections, over raw sockets: what is answered, what ends the connection, and why.
 */
import { connect } from 'node:net'
import t, { type Test } from 'tap'
import { prepareUws } from '../../../runtime/http/binary.js'
import type { Incoming } from '../../../runtime/http/exchange.js'
import { type HttpListener, type ListenOptions, listen } from '../../../runtime/http/server.js'
import { createLog } from '../../../runtime/observe/log.js'
import { waitUntil } from '../../harness/clock.js'

prepareUws(false)
const { log } = createLog({ destination: { write: () => {} } })

interface Served {
  readonly server: HttpListener
  /** `method path body` of every request that reached a handler. */
  readonly served: string[]
}

/** Answers `method path body` one turn later, as the pipeline does; `/at-once/…` in the turn that brought it. */
async function openServer(t: Test, options: Partial<ListenOptions> = {}): Promise<Served> {
  const served: string[] = []
  const serve = (incoming: Incoming) => {
    const { method, path } = incoming
    const answer = (body: string) => {
      served.push(`${method} ${path} ${body}`)
      incoming.respond({ status: 200, requestId: 'x', type: 'text/plain', body: `[${method} ${path} ${body}]` })
    }
    if (path.startsWith('/at-once')) return answer('')
    incoming.body(8_000_000, { receive: (bytes) => void setImmediate(answer, bytes?.toString() ?? 'over') })
  }
  const server = await listen({ host: '127.0.0.1', port: 0, serve, log, ...options })
  t.teardown(() => server.close(0))
  return { server, served }
}

/** One connection; `sent` resolves when everything has come that is waited for, or the server has closed. */
function open(t: Test, { port }: HttpListener, from = '127.0.0.1') {
  const socket = connect({ port, host: '127.0.0.1', localAddress: from })
  const seen = { text: '', closed: false }
  socket.on('data', (piece) => {
    seen.text += piece.toString('latin1')
  })
  socket.on('error', () => {})
  socket.on('close', () => {
    seen.closed = true
  })
  t.teardown(() => socket.destroy())
  return {
    seen,
    socket,
    async write(bytes: string, awaited: string | RegExp = '\r\n\r\n') {
      seen.text = ''
      socket.write(bytes, 'latin1')
      await waitUntil(() => seen.closed || seen.text.match(awaited) !== null)
      return seen.text
    },
    closed: () => waitUntil(() => seen.closed),
  }
}

const head = (method: string, path: string, ...lines: string[]) =>
  `${[`${method} ${path} HTTP/1.1`, 'host: x', ...lines].join('\r\n')}\r\n\r\n`

t.test('After a HEAD the next request on the same connection is answered', async (t) => {
  const { server } = await openServer(t)
  const { write, seen } = open(t, server)
  t.match(await write(head('HEAD', '/a')), /^HTTP\/1.1 200 OK\r\n[\s\S]*content-length: 10\r\n[\s\S]*\r\n\r\n$/)
  t.match(await write(`${head('POST', '/b', 'content-length: 2')}{}`, /\[.*\]/), '[POST /b {}]')
  t.match(await write(head('HEAD', '/c')), /^HTTP\/1.1 200 OK\r\n/)
  t.match(await write(head('HEAD', '/d')), /^HTTP\/1.1 200 OK\r\n/)
  t.match(await write(head('GET', '/e'), /\[.*\]/), '[GET /e ]')
  t.notOk(seen.closed)
})

t.test('No response names the library that serves it', async (t) => {
  const { server } = await openServer(t)
  for (const method of ['GET', 'HEAD']) {
    t.notMatch(await open(t, server).write(head(method, '/a')), /uWebSockets/i)
  }
})

t.test('A request with an ambiguous end is refused, and its connection ends', async (t) => {
  const { server, served } = await openServer(t)
  const behind = head('GET', '/smuggled')
  const chunks = '2\r\n{}\r\n0\r\n\r\n'
  const framed: [what: string, request: string][] = [
    ['two lengths', `${head('POST', '/a', 'content-length: 2', 'content-length: 40')}{}`],
    ['two equal lengths', `${head('POST', '/a', 'content-length: 2', 'content-length: 2')}{}`],
    ['two hosts', head('GET', '/a', 'host: y')],
    ['an empty length', head('POST', '/a', 'content-length:')],
    ['identity after chunked', `${head('POST', '/a', 'transfer-encoding: chunked, identity')}${chunks}`],
    ['identity alone', `${head('POST', '/a', 'transfer-encoding: identity')}${chunks}`],
    ['two encodings', `${head('POST', '/a', 'transfer-encoding: identity', 'transfer-encoding: chunked')}${chunks}`],
    ['an empty encoding', head('POST', '/a', 'transfer-encoding:')],
    ['a reader with chunks', `${head('GET', '/a', 'transfer-encoding: chunked')}${chunks}`],
    ['a HEAD with two hosts', head('HEAD', '/a', 'host: y')],
  ]
  for (const [what, request] of framed) {
    const alone = open(t, server)
    t.match(await alone.write(request), /^HTTP\/1.1 400 Bad Request\r\n[\s\S]*connection: close\r\n/i, what)
    await alone.closed()
    const followed = open(t, server)
    await followed.write(request + behind, 'never')
    t.notMatch(followed.seen.text, 'smuggled', `${what}, with a request behind it`)
  }
  t.same(served, [], 'no handler saw any of them')
})

t.test('A chunked body is read, and its connection ends with the response', async (t) => {
  const { server, served } = await openServer(t)
  const chunkedRequest = (path: string, chunks: string) =>
    `${head('POST', path, 'transfer-encoding: chunked')}${chunks}`
  const well = open(t, server)
  t.match(
    await well.write(chunkedRequest('/a', '2\r\n{}\r\n0\r\n\r\n'), /\[.*\]/),
    /connection: close\r\n[\s\S]*\[POST \/a {}\]/i,
  )
  await well.closed()
  for (const path of ['/b', '/at-once/b']) {
    const badly = open(t, server)
    await badly.write(`${chunkedRequest(path, '2\r\n{}XX0\r\n\r\n')}${head('GET', '/smuggled')}`, 'never')
    t.notMatch(badly.seen.text, 'smuggled', 'no data after a malformed chunk is read')
  }
  t.notMatch(served.join(), 'smuggled')
})

t.test('A body that stalls is answered 408, and its connection ends', async (t) => {
  const { server, served } = await openServer(t, { limits: { bodyStallSeconds: 0 } })
  for (const unfinished of [
    `${head('POST', '/a', 'content-length: 5')}{}`,
    head('POST', '/a', 'content-length: 5'),
    `${head('POST', '/a', 'transfer-encoding: chunked')}2;a=b\r\n{}\r\n0\r\n\r\n`,
  ]) {
    const { write, closed } = open(t, server)
    t.match(await write(unfinished), /^HTTP\/1.1 408 Request Timeout\r\n[\s\S]*connection: close\r\n/i)
    await closed()
  }
  t.same(served, [])
})

t.test('A client that pipelines requests loses its connection at once', async (t) => {
  const { server } = await openServer(t)
  const { write, seen } = open(t, server)
  await write(head('GET', '/a') + head('GET', '/b'), 'never')
  t.ok(seen.closed)
})

t.test('Requests and bodies in flight of one address are bounded, and others are served', async (t) => {
  const limits = { inFlightUncounted: 0, inFlightPerAddress: 2, bufferedBodyBytesPerAddress: 100_000 }
  const { server, served } = await openServer(t, { limits, style: 'gateway' })
  const part = `${head('POST', '/a', 'content-length: 5')}{}`
  const waiting = [open(t, server), open(t, server)]
  for (const { socket } of waiting) socket.write(part)
  const third = open(t, server)
  let text = await third.write(part)
  // The first two may still be on their way.
  while (!text.startsWith('HTTP')) text = await third.write('')
  t.match(text, /^HTTP\/1.1 503 [\s\S]*retry-after: 1\r\n/i, 'a third of one address')
  await third.closed()
  t.match(await open(t, server, '127.0.0.2').write(head('GET', '/b'), /\[.*\]/), '[GET /b ]', 'the first of another')
  for (const { write } of waiting) t.match(await write('abc', /\[.*\]/), '[POST /a {}abc]', 'those before it end well')
  t.equal(served.length, 3)

  const large = open(t, server)
  const flood = `${head('POST', '/c', 'content-length: 7000000')}${'x'.repeat(6_000_000)}`
  t.match(await large.write(flood), /^(HTTP\/1.1 503 [\s\S]*)?$/, 'more of a body than an address may have held')
  await large.closed()
  t.match(await open(t, server).write(head('GET', '/d'), /\[.*\]/), '[GET /d ]', 'its share is free again')
})

t.test('Connections of one address are bounded, and those of trusted proxies are not', async (t) => {
  const limits = { connectionsPerAddress: { burstCalls: 3, refillPerSecond: 0.001 } }
  const { server } = await openServer(t, { limits })
  for (let number = 0; number < 3; number++) {
    t.match(await open(t, server).write(head('GET', '/a'), /\[.*\]/), '[GET /a ]')
  }
  t.equal(await open(t, server).write(head('GET', '/a'), 'never'), '', 'the fourth is closed')
  t.match(await open(t, server, '127.0.0.2').write(head('GET', '/a'), /\[.*\]/), '[GET /a ]', 'another address')
  const proxies = { isTrusted: () => true, clientOf: () => '198.51.100.1' }
  const behind = await openServer(t, { limits, proxies })
  for (let number = 0; number < 5; number++) {
    t.match(await open(t, behind.server).write(head('GET', '/a'), /\[.*\]/), '[GET /a ]')
  }
})

t.test('While a listener closes, every call is answered, with the end of its connection announced', async (t) => {
  const { server, served } = await openServer(t)
  const idle = open(t, server)
  await idle.write(head('GET', '/before'), /\[.*\]/)
  const under = open(t, server)
  under.socket.write(`${head('POST', '/under', 'content-length: 2')}{`)
  await waitUntil(() => under.socket.bytesWritten > 0)
  const closed = server.close(5_000)
  t.match(await idle.write(head('GET', '/during'), /\[.*\]/), /connection: close\r\n[\s\S]*\[GET \/during \]/i)
  t.match(await open(t, server).write(head('GET', '/new'), /\[.*\]/), /connection: close\r\n[\s\S]*\[GET \/new \]/i)
  t.match(await open(t, server).write(head('HEAD', '/head')), /connection: close\r\n/i)
  t.match(await under.write('}', /\[.*\]/), /connection: close\r\n[\s\S]*\[POST \/under {}\]/i)
  await closed
  t.same(served, ['GET /before ', 'GET /during ', 'GET /new ', 'HEAD /head ', 'POST /under {}'])
})
