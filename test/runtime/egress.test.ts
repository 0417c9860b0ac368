/**
 * The door out: which URLs may be named, which addresses are connected to, what is read of an answer, and signatures.
 */
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import { type AddressInfo, connect, createServer as createTcpServer, type Server, type Socket } from 'node:net'
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib'
import fc from 'fast-check'
import t, { type Test } from 'tap'
import { egress, signature } from '../../core/limits/index.js'
import { signatureOf, signedHeaders, verify } from '../../runtime/agentwebhook/sign.js'
import {
  AddressRefused,
  checkUrl,
  guardedConnector,
  isPublicAddress,
  resolveByDns,
} from '../../runtime/egress/guard.js'
import { openPoster, type PosterOptions } from '../../runtime/egress/post.js'
import { type FailureReason, failureMessages } from '../../runtime/egress/reason.js'

const strict = { allowPrivate: false }
const open = { allowPrivate: true }

/** Every spelling of a host that is not public, most of them folded by the URL parser into an address. */
const privateHosts = [
  '0',
  '127.1',
  '0x7f.1',
  '0x7f000001',
  '2130706433',
  '0177.0.0.1',
  '017700000001',
  '127.0.0.1.',
  '①②⑦.⓪.⓪.①',
  '１２７.０.０.１',
  '127。0。0。1',
  '%31%32%37.0.0.1',
  'localhost',
  'localhost.',
  'LOCALHOST',
  'app.localhost',
  'printer.local',
  'metadata.google.internal',
  'redis',
  '[::]',
  '[::1]',
  '[::127.0.0.1]',
  '[::ffff:127.0.0.1]',
  '[::ffff:a9fe:a9fe]',
  '[::ffff:0:127.0.0.1]',
  '[64:ff9b::7f00:1]',
  '[64:ff9b:1::7f00:1]',
  '[2002:7f00:1::]',
  '[2001::1]',
  '[2001:db8::1]',
  '[fe80::1]',
  '[fec0::1]',
  '[fc00::1]',
  '[fd00:ec2::254]',
  '[ff02::1]',
  '[4000::1]',
  '10.0.0.1',
  '100.64.0.1',
  '169.254.169.254',
  '172.16.0.1',
  '192.168.0.1',
  '192.0.0.8',
  '192.0.2.1',
  '198.18.0.1',
  '203.0.113.7',
  '224.0.0.1',
  '240.0.0.1',
  '255.255.255.255',
]

const refusedAlways = [
  '',
  'example.com/hook',
  'file:///etc/passwd',
  'gopher://example.com/',
  'data:text/plain,x',
  'ftp://example.com/',
  'javascript:alert(1)',
  'https:example.com',
  'https:/example.com',
  'https:///example.com',
  'https://',
  'https://example.com:0/',
  'https://example.com:99999/',
  'https://user:pass@example.com/',
  'https://user@example.com/',
  'https://@example.com/',
  'https://example.com/#part',
  'https://example.com#',
  'https://ok.example\\@evil.example/',
  'https://evil%2f@ok.example/',
  'https:\\\\example.com/',
  'https://exa mple.com/',
  'https://example.com/a b',
  ' https://example.com/',
  'https://example.com/\n',
  'https://exam\tple.com/',
  'https://example.com/\u0000',
  'https://[::1/',
  'https://[fe80::1%25eth0]/',
  'https://a..b/',
]

t.test('A URL to be saved is complete, https, on a public host and on a web port', async (t) => {
  for (const url of [
    'https://example.com',
    'https://example.com/hooks/1?x=%20y',
    'HTTPS://Example.COM:443/',
    'https://hooks.example.com:8443/a',
    'https://example.com./x',
    'https://bücher.example/',
    'https://1.1.1.1/',
    'https://[2606:4700::1111]/',
    'https://example.com/path@with-at',
  ]) {
    t.equal(checkUrl(url, strict), undefined, url)
  }
  for (const url of refusedAlways) {
    // A name with an empty label is no host, yet a parser lets it through; only the strict policy looks at names.
    if (!url.includes('a..b')) t.type(checkUrl(url, open), 'string', `${JSON.stringify(url)} while private is allowed`)
    t.type(checkUrl(url, strict), 'string', JSON.stringify(url))
  }
  for (const host of privateHosts) t.type(checkUrl(`https://${host}/`, strict), 'string', host)
  for (const port of [1, 22, 80, 4222, 6379, 8080, 65535]) {
    t.match(checkUrl(`https://example.com:${port}/`, strict), /443, 8443/)
    t.equal(checkUrl(`https://example.com:${port}/`, open), undefined)
  }
  t.match(
    checkUrl('http://example.com/', strict),
    /^must be an https URL; in development PARLEY_ALLOW_PRIVATE_URLS=true/,
  )
  t.equal(checkUrl('http://127.0.0.1:9/', open), undefined)
  t.equal(checkUrl('http://[::1]:9/', open), undefined)
})

t.test('Every notation of a private IPv4 address is refused, even embedded in other forms', async () => {
  const privateV4 = fc.oneof(
    fc.tuple(fc.constantFrom(0, 10, 127), fc.nat(255), fc.nat(255), fc.nat(255)),
    fc.tuple(fc.constant(169), fc.constant(254), fc.nat(255), fc.nat(255)),
    fc.tuple(fc.constant(172), fc.integer({ min: 16, max: 31 }), fc.nat(255), fc.nat(255)),
    fc.tuple(fc.constant(192), fc.constant(168), fc.nat(255), fc.nat(255)),
    fc.tuple(fc.constant(100), fc.integer({ min: 64, max: 127 }), fc.nat(255), fc.nat(255)),
    fc.tuple(fc.integer({ min: 224, max: 255 }), fc.nat(255), fc.nat(255), fc.nat(255)),
  )
  fc.assert(
    fc.property(privateV4, (parts) => {
      const [a, b, c, d] = parts
      const whole = ((a * 256 + b) * 256 + c) * 256 + d
      const spellings = [
        parts.join('.'),
        String(whole),
        `0x${whole.toString(16)}`,
        `0${whole.toString(8)}`,
        parts.map((part) => `0x${part.toString(16)}`).join('.'),
        parts.map((part) => `0${part.toString(8)}`).join('.'),
        `${a}.${b}.${c * 256 + d}`,
        `${a}.${(b * 256 + c) * 256 + d}`,
      ]
      return spellings.every((host) => typeof checkUrl(`https://${host}/`, strict) === 'string')
    }),
  )
  fc.assert(
    fc.property(fc.ipV4(), (v4) => {
      const [a, b, c, d] = v4.split('.').map(Number) as [number, number, number, number]
      const [high, low] = [(a * 256 + b).toString(16), (c * 256 + d).toString(16)]
      const carriers = ['::ffff:', '::', '::ffff:0:', '64:ff9b::', '64:ff9b:1::'].map(
        (start) => `${start}${high}:${low}`,
      )
      return ![...carriers, `2002:${high}:${low}::1`, `2001:0:${high}:${low}::1`].some(isPublicAddress)
    }),
  )
})

/** A server that counts who came: nobody may, unless private addresses are allowed. */
async function canary(t: Test): Promise<{ port: number; seen: () => number }> {
  let connections = 0
  const server = createTcpServer((socket) => {
    connections++
    socket.end('HTTP/1.1 204 No Content\r\n\r\n')
  })
  const port = await listen(t, server, '::')
  return { port, seen: () => connections }
}

async function listen(t: Test, server: Server, host = '127.0.0.1'): Promise<number> {
  server.listen(0, host)
  await once(server, 'listening')
  const sockets = new Set<Socket>()
  server.on('connection', (socket: Socket) => {
    sockets.add(socket)
    socket.on('error', () => {}).on('close', () => sockets.delete(socket))
  })
  t.teardown(() => {
    for (const socket of sockets) socket.destroy()
    return new Promise((done) => server.close(done))
  })
  return (server.address() as AddressInfo).port
}

function poster(t: Test, options: Partial<PosterOptions> = {}) {
  const limits = { connectMs: 20_000, headersMs: 20_000, totalMs: 20_000, answerBytes: 64 * 1024 }
  const made = openPoster({ allowPrivate: true, limits, ...options })
  t.teardown(() => made.close())
  return made
}

/** For endpoints that never come to an end: nothing else is tested within so short a time. */
const hasty = { connectMs: 200, headersMs: 200, totalMs: 400, answerBytes: 64 * 1024 }
const hello = { headers: { 'Content-Type': 'application/json' }, body: Buffer.from('{"hello":1}') }

t.test('No connection reaches a private address, in any notation and any resolution', async (t) => {
  const { port, seen } = await canary(t)
  const resolved: Record<string, readonly string[][]> = {
    'mixed.example': [['1.1.1.1', '::1']],
    'alias-of-localhost.example': [['127.0.0.1']],
    'metadata.example': [['169.254.169.254']],
    'mapped.example': [['::ffff:127.0.0.1']],
    'nonsense.example': [['not an address']],
  }
  const resolve = async (host: string) => resolved[host]?.[0] ?? []
  const guarded = guardedConnector({ ...strict, connectMs: 2_000, resolve })
  const reach = (hostname: string) =>
    new Promise<Error | null>((done) => {
      guarded({ hostname, host: hostname, protocol: 'http:', port: String(port) }, (error, socket) => {
        socket?.destroy()
        done(error)
      })
    })
  // As the connector sees them: straight, and as the URL parser hands them over.
  const parsed = privateHosts
    .filter((host) => URL.canParse(`http://${host}/`))
    .map((host) => new URL(`http://${host}/`).hostname)
  for (const host of [...privateHosts, ...parsed, ...Object.keys(resolved)]) {
    t.type(await reach(host), AddressRefused, host)
  }
  const { post } = poster(t, { ...strict, resolve })
  for (const host of [...privateHosts, ...Object.keys(resolved)]) {
    const at = [`https://${host}:${port}/`, `http://${host}:${port}/`, `https://${host}/`]
    for (const url of at) t.match(await post({ ...hello, url }), { ok: false, reason: 'refused-address' }, url)
  }
  t.equal(seen(), 0)
  t.match(await poster(t).post({ ...hello, url: `http://127.1:${port}/` }), { ok: true, status: 204 })
  t.match(await poster(t).post({ ...hello, url: `http://[::1]:${port}/` }), { ok: true, status: 204 })
  t.equal(seen(), 2, 'the canary does see admitted requests')
})

t.test('A name is resolved once per connection, and the socket connects to the checked address', async (t) => {
  const { port, seen } = await canary(t)
  const answers = [['127.0.0.1'], ['203.0.113.1']]
  const { post } = poster(t, { resolve: async () => answers.shift() ?? [] })
  t.match(await post({ ...hello, url: `http://flip.example:${port}/` }), { ok: true, status: 204 })
  t.equal(answers.length, 1, 'one lookup')
  t.equal(seen(), 1)
})

t.test('A socket connected to another address than the checked one is destroyed unused', async (t) => {
  const { port } = await canary(t)
  let socket: Socket | undefined
  const createLyingLookup = () => (_options: unknown, callback: (error: null, socket: Socket) => void) => {
    socket = connect(port, '127.0.0.1', () => callback(null, socket!))
  }
  const guarded = guardedConnector({ ...strict, connectMs: 2_000 }, createLyingLookup as never)
  const error = await new Promise((done) => {
    guarded({ hostname: '1.1.1.1', host: '1.1.1.1', protocol: 'http:', port: String(port) }, (...[refused]) =>
      done(refused),
    )
  })
  t.type(error, AddressRefused)
  t.equal(socket?.destroyed, true)
})

t.test('A redirect is a response and is not followed', async (t) => {
  const away = await canary(t)
  const server = createServer((request, response) => {
    response.writeHead(Number(request.url?.slice(1)), { location: `http://127.0.0.1:${away.port}/` }).end()
  })
  const port = await listen(t, server)
  const { post } = poster(t)
  for (const status of [301, 302, 303, 307, 308]) {
    t.match(await post({ ...hello, url: `http://127.0.0.1:${port}/${status}` }), { ok: true, status })
  }
  t.equal(away.seen(), 0)
})

type Behave = (response: ServerResponse, request: IncomingMessage) => void
const big = Buffer.alloc(8 * 1024 * 1024)

/** What a hostile or broken endpoint does, and what is made of it. */
const answers: Record<
  string,
  { does: Behave; gives: { ok: boolean; reason?: FailureReason; status?: number; body?: Buffer } }
> = {
  'an empty answer': { does: (res) => void res.writeHead(204).end(), gives: { ok: true, status: 204 } },
  'a plain body': { does: (res) => void res.end('fine'), gives: { ok: true, status: 200, body: Buffer.from('fine') } },
  'an error status': { does: (res) => void res.writeHead(503).end('no'), gives: { ok: true, status: 503 } },
  gzip: { does: encodedBody('gzip', gzipSync('fine')), gives: { ok: true, body: Buffer.from('fine') } },
  brotli: { does: encodedBody('br', brotliCompressSync('fine')), gives: { ok: true, body: Buffer.from('fine') } },
  deflate: { does: encodedBody('Deflate', deflateSync('fine')), gives: { ok: true, body: Buffer.from('fine') } },
  'gzip that unfolds without end': {
    does: encodedBody('gzip', gzipSync(big)),
    gives: { ok: false, reason: 'too-large' },
  },
  'brotli that unfolds without end': {
    does: encodedBody('br', brotliCompressSync(big)),
    gives: { ok: false, reason: 'too-large' },
  },
  'two codings': {
    does: encodedBody('gzip, gzip', gzipSync(gzipSync('x'))),
    gives: { ok: false, reason: 'bad-answer' },
  },
  'two coding headers': {
    does: encodedBody(['gzip', 'gzip'], gzipSync(gzipSync('x'))),
    gives: { ok: false, reason: 'bad-answer' },
  },
  'an unknown coding': {
    does: encodedBody('constructor', Buffer.from('x')),
    gives: { ok: false, reason: 'bad-answer' },
  },
  'a coding that is a lie': {
    does: encodedBody('gzip', Buffer.from('plain')),
    gives: { ok: false, reason: 'bad-answer' },
  },
  'a body over the limit': { does: (res) => void res.end(big), gives: { ok: false, reason: 'too-large' } },
  'an endless body': { does: endless, gives: { ok: false, reason: 'too-large' } },
  'no answer at all': { does: () => {}, gives: { ok: false, reason: 'timeout' } },
  'a head and then silence': { does: (res) => void res.flushHeaders(), gives: { ok: false, reason: 'timeout' } },
  'one byte now and then': { does: trickle, gives: { ok: false, reason: 'timeout' } },
  'a reset': { does: (res) => void res.socket?.resetAndDestroy(), gives: { ok: false, reason: 'connection' } },
  'half a body': { does: halfBody, gives: { ok: false, reason: 'connection' } },
  'something that is not HTTP': {
    does: (res) => void res.socket?.end('SSH-2.0-x\r\n'),
    gives: { ok: false, reason: 'bad-answer' },
  },
  'a head without end': { does: hugeHead, gives: { ok: false, reason: 'bad-answer' } },
}

function encodedBody(coding: string | string[], body: Buffer): Behave {
  return (response) => void response.setHeader('content-encoding', coding).end(body)
}

function endless(response: ServerResponse): void {
  const more = () => void (response.destroyed || response.write(Buffer.alloc(32 * 1024), () => setImmediate(more)))
  more()
}

function trickle(response: ServerResponse): void {
  const beat = setInterval(() => response.write('x'), 20)
  response.on('close', () => clearInterval(beat))
}

function halfBody(response: ServerResponse): void {
  response.writeHead(200, { 'content-length': 100 })
  response.write('half', () => response.socket?.destroy())
}

function hugeHead(response: ServerResponse): void {
  response.socket?.write(`HTTP/1.1 200 OK\r\nX-Long: ${'x'.repeat(256 * 1024)}\r\n\r\n`)
}

t.test('Any response of an endpoint becomes a value, whose text reveals no internals', async (t) => {
  const names = Object.keys(answers)
  const server = createServer((request, response) =>
    answers[names[Number(request.url?.slice(1))]!]!.does(response, request),
  )
  const port = await listen(t, server)
  const patient = poster(t)
  const impatient = poster(t, { limits: hasty })
  const all = names.map(async (name, index) => {
    const { post } = answers[name]!.gives.reason === 'timeout' ? impatient : patient
    const posted = await post({ ...hello, url: `http://127.0.0.1:${port}/${index}` })
    t.match(posted, answers[name]!.gives, name)
    if (!posted.ok) t.equal(posted.message, failureMessages[posted.reason])
  })
  await Promise.all(all)
  for (const sentence of Object.values(failureMessages)) t.notMatch(sentence, /\d|undici|Error/)
})

t.test('A refused connection, a missing host and an unresolved name each have their own reason', async (t) => {
  const vacant = createTcpServer()
  vacant.listen(0, '127.0.0.1')
  await once(vacant, 'listening')
  const { port } = vacant.address() as AddressInfo
  await new Promise((done) => vacant.close(done))
  const never = new Promise<string[]>(() => {})
  const { post } = poster(t, {
    limits: hasty,
    resolve: (host) => (host === 'silent.example' ? never : Promise.reject(new Error('10.1.2.3 said no'))),
  })
  t.match(await poster(t).post({ ...hello, url: `http://127.0.0.1:${port}/` }), { ok: false, reason: 'connection' })
  t.match(await post({ ...hello, url: 'http://gone.example/' }), { ok: false, reason: 'unknown-name' })
  t.match(await post({ ...hello, url: 'http://silent.example/' }), { ok: false, reason: 'timeout' })
  t.match(await post({ ...hello, url: 'nonsense' }), { ok: false, reason: 'refused-address' })
})

/** A name server that knows a few names; it says nothing at all about the others. */
async function nameServer(
  t: Test,
  names: Record<string, { a?: string; aaaa?: Buffer; missing?: true }>,
): Promise<string> {
  const server = createSocket('udp4')
  server.on('message', (query, from) => {
    const labels: string[] = []
    let at = 12
    for (let length = query[at++]!; length > 0; length = query[at++]!) {
      labels.push(query.toString('latin1', at, at + length))
      at += length
    }
    const records = names[labels.join('.').toLowerCase()]
    if (!records) return
    const type = query.readUInt16BE(at)
    const data =
      type === 1 && records.a ? Buffer.from(records.a.split('.').map(Number)) : type === 28 ? records.aaaa : undefined
    const head = Buffer.from(query.subarray(0, 12))
    head.writeUInt16BE(records.missing ? 0x8183 : 0x8180, 2)
    head.writeUInt16BE(data ? 1 : 0, 6)
    head.writeUInt32BE(0, 8)
    const record = data ? [Buffer.from([0xc0, 12, 0, type, 0, 1, 0, 0, 0, 0, 0, data.length]), data] : []
    server.send(Buffer.concat([head, query.subarray(12, at + 4), ...record]), from.port, from.address)
  })
  server.bind(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => new Promise<void>((done) => server.close(() => done())))
  return `127.0.0.1:${server.address().port}`
}

t.test('Both address families of a name are queried, and a silent name server is not waited for', async (t) => {
  const loopback6 = Buffer.from('00000000000000000000000000000001', 'hex')
  const server = await nameServer(t, {
    'mixed.example': { a: '1.1.1.1', aaaa: loopback6 },
    'four.example': { a: '1.1.1.1' },
    'gone.example': { missing: true },
  })
  const resolve = resolveByDns(400, [server])
  t.strictSame([...(await resolve('mixed.example'))].sort(), ['1.1.1.1', '::1'])
  t.strictSame(await resolve('four.example'), ['1.1.1.1'])
  t.strictSame(await resolve('gone.example'), [])
  t.strictSame(await resolve('silent.example'), [])
  const { post } = poster(t, { ...strict, resolve })
  t.match(await post({ ...hello, url: 'https://mixed.example/' }), { ok: false, reason: 'refused-address' })
  t.match(await post({ ...hello, url: 'https://gone.example/' }), { ok: false, reason: 'unknown-name' })
})

t.test('A caller who needs only the status gets it with the head, and the body is cut', async (t) => {
  const cut = new Set<string>()
  const server = createServer((request, response) => {
    response.on('close', () => cut.add(request.url ?? ''))
    if (request.url === '/endless') endless(response)
    else response.flushHeaders()
  })
  const port = await listen(t, server)
  const { post } = poster(t)
  for (const path of ['/endless', '/silent']) {
    const posted = await post({ ...hello, url: `http://127.0.0.1:${port}${path}`, answer: 'status' })
    t.match(posted, { ok: true, status: 200, body: Buffer.alloc(0) })
  }
  while (cut.size < 2) await new Promise((done) => setTimeout(done, 20))
  t.strictSame([...cut].sort(), ['/endless', '/silent'])
})

t.test('A request that is aborted, or in flight when the poster closes, returns stopped', async (t) => {
  const arrived: string[] = []
  const server = createServer((request) => void arrived.push(request.url ?? ''))
  const port = await listen(t, server)
  let resolved = (_addresses: string[]) => {}
  const resolving = new Promise<string[]>((done) => {
    resolved = done
  })
  const { post, close } = poster(t, { resolve: () => resolving })
  const early = new AbortController()
  const connecting = post({ ...hello, url: `http://slow.example:${port}/early`, signal: early.signal })
  early.abort()
  t.match(await connecting, { ok: false, reason: 'stopped' }, 'while it is still connecting')
  resolved(['127.0.0.1'])
  const aborted = AbortSignal.abort()
  t.match(await post({ ...hello, url: `http://127.0.0.1:${port}/never`, signal: aborted }), {
    ok: false,
    reason: 'stopped',
  })
  const aborter = new AbortController()
  server.once('request', () => aborter.abort())
  t.match(await post({ ...hello, url: `http://127.0.0.1:${port}/cut`, signal: aborter.signal }), {
    ok: false,
    reason: 'stopped',
  })
  server.once('request', () => void close())
  t.match(await post({ ...hello, url: `http://127.0.0.1:${port}/closed` }), { ok: false, reason: 'stopped' })
  t.strictSame(arrived, ['/cut', '/closed'])
})

/** Made for this test alone: it names hooks.example.com and nobody trusts it. */
const key = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgEt7wZR44J6XSZIu+
e3bkct/HrbDkYvMUh4344+6QMzChRANCAAS47asUa6+JX1y91sPIRyeewzAPHVRZ
Cehdy0C1QQY+6sWe1xFNh4Lqdi/6JaTTCcE69H8tvPNOIVt63bx7EDxo
-----END PRIVATE KEY-----`
const cert = `-----BEGIN CERTIFICATE-----
MIIBdzCCARygAwIBAgIBATAKBggqhkjOPQQDAjAcMRowGAYDVQQDDBFob29rcy5l
eGFtcGxlLmNvbTAgFw0yMDAxMDEwMDAwMDBaGA8yMTIwMDEwMTAwMDAwMFowHDEa
MBgGA1UEAwwRaG9va3MuZXhhbXBsZS5jb20wWTATBgcqhkjOPQIBBggqhkjOPQMB
BwNCAAS47asUa6+JX1y91sPIRyeewzAPHVRZCehdy0C1QQY+6sWe1xFNh4Lqdi/6
JaTTCcE69H8tvPNOIVt63bx7EDxoo00wSzAcBgNVHREEFTATghFob29rcy5leGFt
cGxlLmNvbTAMBgNVHRMEBTADAQH/MB0GA1UdDgQWBBRByTS3dv+vHM/9E8imXaCJ
9kNZuzAKBggqhkjOPQQDAgNJADBGAiEAn/jduM+7x60dsYiueU5krwdRwfiZge5m
TkuuiJcAB24CIQCCOAT13/8aDvbrsvzdBdw/RFAlHshTXdFVn5409GagbA==
-----END CERTIFICATE-----`

t.test('An endpoint has to prove with its certificate that it is the host in the URL', async (t) => {
  const received: string[] = []
  const server = createTlsServer({ key, cert }, (request, response) => {
    received.push(`${request.headers.host} ${request.url}`)
    response.end('signed for')
  })
  const port = await listen(t, server)
  const resolve = async () => ['127.0.0.1']
  const url = `https://hooks.example.com:${port}/in?x=1`
  t.match(await poster(t, { resolve }).post({ ...hello, url }), { ok: false, reason: 'tls' }, 'no authority signed it')
  const trusting = poster(t, { resolve, ca: cert })
  t.match(await trusting.post({ ...hello, url }), { ok: true, body: Buffer.from('signed for') })
  const other = `https://other.example.com:${port}/`
  t.match(await trusting.post({ ...hello, url: other }), { ok: false, reason: 'tls' }, 'it is another host')
  const plain = createServer((_request, response) => response.end())
  const plainPort = await listen(t, plain)
  t.match(await trusting.post({ ...hello, url: `https://127.0.0.1:${plainPort}/` }), { ok: false, reason: 'tls' })
  t.strictSame(received, [`hooks.example.com:${port} /in?x=1`])
})

t.test('A signature is the published form over the raw bytes, and is valid for 300 seconds either way', async (t) => {
  // A vector that others published for the same form.
  const secret = '8f742231b10e8888abcd99yyyzzz85a5'
  const body = Buffer.from(
    'token=xyzz0WbapA4vBCDEFasx0q6G&team_id=T1DC2JH3J&team_domain=testteamnow&channel_id=G8PSS9T3V&channel_name=foobar&user_id=U2CERLKJA&user_name=roadrunner&command=%2Fwebhook-collect&text=&response_url=https%3A%2F%2Fhooks.slack.com%2Fcommands%2FT1DC2JH3J%2F397700885554%2F96rGlfmibIGlgcZRskXaIFfN&trigger_id=398738663015.47445629121.803a0bc887a14d10d2c447fce8b6703c',
  )
  const example = {
    signature: 'v0=a2114d57b48eac39b9ad189dd8316235a7b4a8d21a10bd27519666489c69b503',
    timestamp: '1531420618',
    body,
  }
  const at = 1531420618_000
  t.equal(signatureOf(secret, example.timestamp, body), example.signature)
  t.strictSame(signedHeaders(secret, at + 999, body), {
    'X-Svc-Signature': example.signature,
    'X-Svc-Request-Timestamp': '1531420618',
  })
  t.equal(signature.acceptedAgeMs, 300_000)
  for (const off of [-300_000, 0, 300_000]) t.equal(verify(secret, example, at + off), true, `${off} ms off`)
  for (const off of [-300_001, 300_001, 86_400_000]) t.equal(verify(secret, example, at + off), false, `${off} ms off`)
  for (const timestamp of ['', 'now', '1531420618.0', '-1', '1e9', ' 1531420618', '01531420618', '9'.repeat(400)]) {
    t.equal(verify(secret, { ...example, timestamp }, at), false, `timestamp ${timestamp.slice(0, 20)}`)
  }
  for (const bad of [
    '',
    'v0=',
    example.signature.slice(0, -1),
    `${example.signature}0`,
    example.signature.toUpperCase(),
  ]) {
    t.equal(verify(secret, { ...example, signature: bad }, at), false)
  }
  t.equal(verify('another', example, at), false)
  fc.assert(
    fc.property(
      fc.string(),
      fc.uint8Array({ minLength: 1 }),
      fc.nat(),
      fc.integer({ min: 1, max: 255 }),
      (own, raw, where, flip) => {
        const signed = { signature: signatureOf(own, example.timestamp, raw), timestamp: example.timestamp }
        const changed = Uint8Array.from(raw)
        changed[where % raw.length]! ^= flip
        return verify(own, { ...signed, body: raw }, at) && !verify(own, { ...signed, body: changed }, at)
      },
    ),
  )
})

t.test('The limits of the contract are in effect', async (t) => {
  t.match(egress, { connectMs: 5_000, headersMs: 15_000, totalMs: 30_000, answerBytes: 1024 * 1024 })
})

t.test('A URL is judged the same, however many were judged before it', async (t) => {
  const url = 'https://caf\u00e9.example/\u00fcber'
  const first = checkUrl(url, { allowPrivate: false })
  for (let count = 0; count < 20_000; count++) checkUrl(url, { allowPrivate: false })
  t.equal(checkUrl(url, { allowPrivate: false }), first)
})
