/** One request and its whole body: what ends it early, and what of the endpoint's bytes becomes the body. */
import { once } from 'node:events'
import { createServer } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { buildConnector } from 'undici'
import { createEgressClient, type EgressClientOptions } from '../../../runtime/egress/client.js'

const limits = { connectMs: 20_000, headersMs: 20_000, totalMs: 20_000 }

/**
 * An endpoint that answers each request with these bytes, and closes its connection if they say so; `received` is
 * everything that it was sent.
 */
async function openEndpoint(t: Test, answer: string) {
  const received: string[] = []
  const server = createServer((socket) => {
    socket.on('error', () => {})
    socket.on('data', (bytes) => {
      received.push(bytes.toString('latin1'))
      if (answer.includes('connection: close')) socket.end(answer)
      else socket.write(answer)
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => server.close())
  const { port } = server.address() as { port: number }
  return { url: `http://127.0.0.1:${port}/`, received }
}

function openClient(t: Test, options: Partial<EgressClientOptions> & { readonly totalMs?: number } = {}) {
  const { totalMs = limits.totalMs, ...rest } = options
  const client = createEgressClient({ allowPrivate: true, ...rest }, { ...limits, totalMs })
  t.teardown(() => client.close())
  const fetch = (url: string, signal?: AbortSignal) =>
    client.fetchWhole({ url, method: 'POST', headers: {}, body: Buffer.from('hello'), signal, maxBytes: 1_024 })
  return { client, fetch }
}

/** A connector whose connections wait until they are let through. */
function heldConnector() {
  let letThrough = () => {}
  const passed = new Promise<void>((resolve) => {
    letThrough = resolve
  })
  const build: EgressClientOptions['build'] = (options) => {
    const connect = buildConnector(options)
    return (to, connected) => void passed.then(() => connect(to, connected))
  }
  return { build, letThrough }
}

const ok = 'HTTP/1.1 200 OK\r\ncontent-length: 4\r\n\r\ndone'

t.test('A request that is stopped while it waits for its connection ends at once and is never written', async (t) => {
  const { url, received } = await openEndpoint(t, ok)
  const { build, letThrough } = heldConnector()
  const { client, fetch } = openClient(t, { build })
  const stopping = new AbortController()
  const [stopped, closed] = [fetch(url, stopping.signal), fetch(url)]
  await sleep(20)
  stopping.abort()
  t.match(await stopped, { ok: false, reason: 'stopped' })
  letThrough()
  t.match(await closed, { ok: true, status: 200, body: Buffer.from('done') })
  t.equal(received.filter((bytes) => bytes.startsWith('POST')).length, 1)
  t.match(await fetch(url, stopping.signal), { ok: false, reason: 'stopped' }, 'nor is one begun under that signal')
  await client.close()
  t.match(await fetch(url), { ok: false, reason: 'stopped' })
  t.equal(received.filter((bytes) => bytes.startsWith('POST')).length, 1)
})

t.test('A request that waits for its connection beyond the deadline has timed out', async (t) => {
  const { build } = heldConnector()
  const { fetch } = openClient(t, { build, totalMs: 50 })
  t.match(await fetch('http://127.0.0.1:9/'), { ok: false, reason: 'timeout' })
})

t.test('An informational response is no response, and trailers are not part of the body', async (t) => {
  const informed = 'HTTP/1.1 103 Early Hints\r\nlink: </a>\r\nx-of: hint\r\n\r\n'
  const chunked =
    'HTTP/1.1 201 Created\r\ntransfer-encoding: chunked\r\n\r\n2\r\ndo\r\n2\r\nne\r\n0\r\nx-late: 1\r\n\r\n'
  const { url } = await openEndpoint(t, informed + chunked)
  const { fetch } = openClient(t)
  const response = await fetch(url)
  t.match(response, { ok: true, status: 201, body: Buffer.from('done') })
  t.notMatch(response, { headers: { 'x-of': 'hint' } })
})

t.test('A body that ends early, never ends or is longer than allowed is no response', async (t) => {
  const hung = await openEndpoint(t, 'HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\ndone')
  const cut = await openEndpoint(t, 'HTTP/1.1 200 OK\r\ncontent-length: 9\r\nconnection: close\r\n\r\ndone')
  const long = await openEndpoint(t, `HTTP/1.1 200 OK\r\ncontent-length: 2000\r\n\r\n${'x'.repeat(2_000)}`)
  const { fetch } = openClient(t, { totalMs: 500 })
  t.match(await fetch(hung.url), { ok: false, reason: 'timeout' })
  t.match(await fetch(cut.url), { ok: false, reason: 'connection' })
  t.match(await fetch(long.url), { ok: false, reason: 'too-large' })
})
