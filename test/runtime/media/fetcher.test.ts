/** Media by URL: what is fetched, what is refused and in which words, and that nobody is reached who must not be. */
import { once } from 'node:events'
import { connect } from 'node:net'
import { gzipSync } from 'node:zlib'
import t, { type Test } from 'tap'
import { refuse } from '../../../core/errors.js'
import { media as limits } from '../../../core/limits/index.js'
import type { Unreachable } from '../../../runtime/media/contract.js'
import type { MediaOptions } from '../../../runtime/media/media.js'
import { anything, openMediaFixture, shortLimits } from './fixture.js'
import { type Behavior, holdUntilReleased, openOrigin, redirects, sends } from './origin.js'
import { jpeg, pdf, png, samples, strangers } from './samples.js'

const address = /^https:\/\/gateway\.test\/v4\/media\/([0-9a-z]{26}\.[0-9a-z]{2,4})$/

function isClean(t: Test, { reason, detail }: Unreachable): void {
  t.equal(reason, 'mediaUnreachable')
  t.match(detail, /^[A-Z].*\.$/, 'one sentence')
  t.notMatch(detail, /127\.0\.0\.1|localhost|ECONN|undici|Error|:\d/, 'it reveals nothing of our side')
}

t.test('Fetched media is stored under our own URL, with the type of its content', async (t) => {
  const all = Object.entries(samples).map(([type, [body]]) => [type, body!] as const)
  const origin = await openOrigin(
    t,
    Object.fromEntries(all.map(([type, body]) => [type, sends(body, 'text/html; charset=utf-8')])),
  )
  const { media, files, objects } = await openMediaFixture(t)
  const names = new Set<string>()
  for (const [type, body] of all) {
    const hosted = await media.rehost(origin.at(type), anything)
    t.match(hosted, { type, bytes: body.length, url: address }, 'a Content-Type that lies is overruled')
    const name = address.exec('url' in hosted ? hosted.url : '')![1]!
    names.add(name)
    const chunks: Uint8Array[] = []
    for await (const part of (await objects.get(name))!.read(0)) chunks.push(part)
    t.ok(Buffer.concat(chunks).equals(body))
  }
  t.same(await files(), [...names].sort())
  const [{ headers }] = origin.requests as [(typeof origin.requests)[0]]
  t.equal(headers['accept-encoding'], 'identity')
  t.equal(headers.authorization, undefined)
})

t.test('Content of an unknown type is never stored, under any name', async (t) => {
  const origin = await openOrigin(
    t,
    Object.fromEntries(Object.entries(strangers).map(([name, body]) => [name, sends(body, 'image/png')])),
  )
  const { media, files } = await openMediaFixture(t)
  for (const name of Object.keys(strangers)) {
    const answer = await media.rehost(origin.at(name), anything)
    t.match(answer, { why: 'type' }, name)
    isClean(t, answer as Unreachable)
  }
  t.same(await files(), [])
})

t.test('Media that the channel does not accept is refused by type and size, and not stored', async (t) => {
  const origin = await openOrigin(t, { png: sends(png), jpeg: sends(jpeg) })
  const { media, files } = await openMediaFixture(t)
  const accepts = { types: ['image/jpeg', 'video/*'], maxBytes: jpeg.length }
  t.match(await media.rehost(origin.at('png'), { ...accepts, maxBytes: 1e6 }), { why: 'type', detail: /image\/png/ })
  t.same(await files(), [])
  t.match(await media.rehost(origin.at('jpeg'), accepts), { type: 'image/jpeg' }, 'exactly as large as it may be')
  const smaller = { ...accepts, maxBytes: jpeg.length - 1 }
  t.match(await media.rehost(`${origin.at('jpeg')}?2`, smaller), { why: 'size', detail: /more than/ })
  t.match(await media.rehost(origin.at('jpeg'), smaller), { why: 'size' }, 'although it is kept for another')
  t.match(await media.rehost(origin.at('jpeg'), { ...accepts, types: [] }), { why: 'type' })
  t.equal((await files()).length, 1)
})

const large = Buffer.concat([png, Buffer.alloc(1024 * 1024)])

/** What a hostile or broken server does, and what is made of it. */
const behaviours: Record<string, { does: Behavior; why: Unreachable['why']; detail?: RegExp }> = {
  'not-found': { does: (res) => void res.writeHead(404).end(png), why: 'source', detail: /status 404/ },
  failing: { does: (res) => void res.writeHead(500).end(png), why: 'source', detail: /status 500/ },
  partial: { does: (res) => void res.writeHead(206).end(png), why: 'source', detail: /status 206/ },
  empty: { does: (res) => void res.writeHead(200).end(), why: 'source', detail: /nothing/ },
  'no content': { does: (res) => void res.writeHead(204).end(), why: 'source' },
  'gzip although asked not to': {
    does: (res) => void res.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(png)),
    why: 'source',
    detail: /encoded/,
  },
  'a gzip bomb': {
    does: (res) => void res.writeHead(200, { 'content-encoding': 'gzip, gzip' }).end(gzipSync(Buffer.alloc(1e7))),
    why: 'source',
  },
  'an announced size beyond the limit': { does: sends(large), why: 'size' },
  'no announced size': { does: (res) => void res.writeHead(200).end(large), why: 'size' },
  'a body without end': { does: endless, why: 'size' },
  'a body shorter than announced': {
    does: (res) => {
      res.writeHead(200, { 'content-length': 1_000 })
      res.write(png, () => res.socket?.destroy())
    },
    why: 'source',
  },
  'a drip': { does: drip, why: 'source', detail: /in time/ },
  'a head and then silence': { does: (res) => void res.flushHeaders(), why: 'source', detail: /in time/ },
  silence: { does: () => {}, why: 'source', detail: /in time/ },
  'a reset': { does: (res) => void res.socket?.resetAndDestroy(), why: 'source' },
  'no HTTP': { does: (res) => void res.socket?.end('SSH-2.0-x\r\n'), why: 'source' },
}

function endless(res: Parameters<Behavior>[0]): void {
  res.write(png)
  const more = () => void (res.destroyed || res.write(Buffer.alloc(32 * 1024), () => setImmediate(more)))
  more()
}

function drip(res: Parameters<Behavior>[0]): void {
  res.write(png)
  const beat = setInterval(() => res.write('x'), 20)
  res.on('close', () => clearInterval(beat))
}

t.test('Any failure of a server becomes a sentence for the sender, and leaves nothing behind', async (t) => {
  const does = Object.fromEntries(Object.entries(behaviours).map(([name, { does }]) => [name, does]))
  const origin = await openOrigin(t, does)
  const slow = await openMediaFixture(t)
  const quick = await openMediaFixture(t, { limits: shortLimits })
  const all = Object.entries(behaviours).map(async ([name, { why, detail = /./ }]) => {
    const { media } = /in time/.test(String(detail)) ? quick : slow
    const answer = await media.rehost(origin.at(name), { ...anything, maxBytes: 64 * 1024 })
    t.match(answer, { why, detail }, name)
    isClean(t, answer as Unreachable)
  })
  await Promise.all(all)
  for (const each of [slow, quick]) t.same(await each.files(), [])
})

t.test('No media is larger than the general limit, whatever the channel accepts', async (t) => {
  const origin = await openOrigin(t, {
    huge: (res) => void res.writeHead(200, { 'content-length': limits.maxBytes + 1 }).write(png),
  })
  const { media } = await openMediaFixture(t)
  t.match(await media.rehost(origin.at('huge'), anything), { why: 'size', detail: String(limits.maxBytes) })
})

t.test('Redirects are followed a few times, each as a URL that must be valid itself', async (t) => {
  const origin = await openOrigin(t, {
    png: sends(png),
    relative: redirects('/png?from=relative', 301),
    fragment: redirects('/png#part', 303),
    loop: redirects('/loop'),
    ...Object.fromEntries(
      [1, 2, 3, 4, 5, 6].map((hops) => [`r${hops}`, redirects(hops === 1 ? '/png' : `/r${hops - 1}`, 307)]),
    ),
    file: redirects('file:///etc/passwd'),
    data: redirects('data:image/png;base64,iVBORw0KGgo='),
    user: redirects('http://user:word@127.0.0.1/png'),
    nowhere: (res) => void res.writeHead(302).end(),
    nonsense: redirects('http://[::1/'),
  })
  const { media } = await openMediaFixture(t)
  for (const name of ['relative', 'fragment', 'r5']) {
    t.match(await media.rehost(origin.at(name), anything), { type: 'image/png' }, name)
  }
  for (const name of ['loop', 'r6', 'file', 'data', 'user', 'nowhere', 'nonsense']) {
    const answer = await media.rehost(origin.at(name), anything)
    t.match(answer, { why: 'source' }, name)
    isClean(t, answer as Unreachable)
  }
  t.equal(origin.seen.filter((path) => path === '/loop').length, 1 + limits.redirects)
})

/**
 * Sockets that reach the origin whatever the host, after asking the guard's own lookup as real ones do, and look
 * public.
 */
function pretendBus(port: number, reached: string[]): MediaOptions['build'] {
  return (({ lookup }: { lookup: (host: string, options: object, done: (error: Error | null) => void) => void }) =>
    ({ hostname }: { hostname: string }, callback: (error: Error | null, socket: unknown) => void) => {
      lookup(hostname, { all: true }, (error) => {
        if (error) return callback(error, null)
        reached.push(hostname)
        const socket = connect(port, '127.0.0.1', () => callback(null, socket))
        Object.defineProperty(socket, 'remoteAddress', { value: '1.1.1.1' })
      })
    }) as never
}

t.test('With the guard on, no URL and no redirect reaches a private address, in any notation', async (t) => {
  const inside = [
    'https://127.0.0.1/secret',
    'https://169.254.169.254/latest/meta-data',
    'https://[::ffff:127.0.0.1]/secret',
    'https://2130706433/secret',
    'https://metadata.google.internal/secret',
    'https://rebound.example/secret',
    'https://mixed.example/secret',
    'http://media.example/secret',
    'https://media.example:6379/secret',
    '//localhost/secret',
  ]
  const origin = await openOrigin(t, {
    png: sends(png),
    fine: redirects('https://other.example/png'),
    ...Object.fromEntries(inside.map((to, at) => [`to-${at}`, redirects(to)])),
  })
  const names: Record<string, string[]> = {
    'rebound.example': ['127.0.0.1'],
    'mixed.example': ['1.1.1.1', '10.0.0.7'],
  }
  const reached: string[] = []
  const { media, files } = await openMediaFixture(t, {
    allowPrivate: false,
    resolve: async (host) => names[host] ?? ['1.1.1.1'],
    build: pretendBus(origin.port, reached),
  })
  t.match(await media.rehost('https://media.example/fine', anything), { type: 'image/png' }, 'public to public')
  t.same(reached, ['media.example', 'other.example'])
  for (const [at, to] of inside.entries()) {
    const through = await media.rehost(`https://media.example/to-${at}`, anything)
    t.match(through, { why: 'source' }, `redirected to ${to}`)
    isClean(t, through as Unreachable)
    const straight = await media.rehost(to, anything)
    t.match(straight, { why: 'source' }, to)
    isClean(t, straight as Unreachable)
  }
  t.notOk(origin.seen.some((path) => path.includes('secret')))
  t.same([...new Set(reached)], ['media.example', 'other.example'])
  t.equal((await files()).length, 1)
})

t.test('A URL that cannot be media is refused in words, without a request', async (t) => {
  const { media } = await openMediaFixture(t, { allowPrivate: false })
  for (const url of [
    '',
    'nonsense',
    'http://media.example/a.png',
    'ftp://media.example/a.png',
    'https://media.example/#a',
    'https://a:b@media.example/',
  ]) {
    t.match(await media.rehost(url, anything), { why: 'source', detail: /^The media URL must .*\.$/ }, url)
  }
})

t.test('Concurrent requests for one URL share one fetch, and each is checked by its own limits', async (t) => {
  const body = holdUntilReleased(png)
  const origin = await openOrigin(t, { slow: body.setBehavior })
  const { media } = await openMediaFixture(t)
  const pending = Array.from({ length: 20 }, () => media.rehost(origin.at('slow'), anything))
  const other = media.rehost(origin.at('slow'), { types: ['image/jpeg'], maxBytes: 1e6 })
  while (origin.seen.length === 0) await new Promise((next) => setTimeout(next, 1))
  body.release()
  const answers = await Promise.all(pending)
  t.equal(new Set(answers.map((answer) => JSON.stringify(answer))).size, 1)
  t.match(answers[0], { type: 'image/png' })
  t.match(await other, { why: 'type' })
  t.equal(origin.seen.length, 1)
})

t.test('Concurrent requests for an unavailable URL share one fetch, too', async (t) => {
  const origin = await openOrigin(t, { png: sends(png) })
  const { media } = await openMediaFixture(t)
  const all = Array.from({ length: 10 }, () =>
    media.rehost(origin.at('png'), { types: ['image/jpeg', 'video/*'], maxBytes: 1e6 }),
  )
  for (const outcome of await Promise.all(all)) t.match(outcome, { why: 'type' })
  t.equal(origin.seen.length, 1)
})

t.test(
  'Media that the first caller cannot use is fetched again for another, and a broken source fails for all',
  async (t) => {
    const origin = await openOrigin(t, { png: sends(png), removed: (res) => void res.writeHead(410).end() })
    const { media } = await openMediaFixture(t)
    const [jpegOnly, small, whole] = await Promise.all([
      media.rehost(origin.at('png'), { types: ['image/jpeg'], maxBytes: 1e6 }),
      media.rehost(origin.at('png'), { types: ['image/png'], maxBytes: 3 }),
      media.rehost(origin.at('png'), anything),
    ])
    t.match(jpegOnly, { why: 'type' })
    t.match(small, { why: 'size' })
    t.match(whole, { type: 'image/png' })
    const failures = await Promise.all([1, 2, 3].map(() => media.rehost(origin.at('removed'), anything)))
    for (const each of failures) t.match(each, { why: 'source', detail: /410/ })
    t.equal(origin.seen.filter((path) => path === '/removed').length, 1)
  },
)

t.test(
  'A caller who aborts affects no other; when the last one aborts, the fetch is cut and leaves nothing',
  async (t) => {
    const [one, two] = [holdUntilReleased(png), holdUntilReleased(png)]
    const origin = await openOrigin(t, { one: one.setBehavior, two: two.setBehavior })
    const { media, files } = await openMediaFixture(t)
    const [stopped, alone] = [new AbortController(), new AbortController()]
    const leaving = media.rehost(origin.at('one'), anything, stopped.signal)
    const staying = media.rehost(origin.at('one'), anything)
    const lonely = media.rehost(origin.at('two'), anything, alone.signal)
    while (origin.seen.length < 2) await new Promise((next) => setTimeout(next, 1))
    const why = new Error('not wanted any more')
    stopped.abort(why)
    alone.abort(why)
    await t.rejects(leaving, why)
    await t.rejects(lonely, why)
    one.release()
    t.match(await staying, { type: 'image/png' })
    const cut = origin.requests.find(({ url }) => url === '/two')!
    if (!cut.socket.destroyed) await once(cut.socket, 'close')
    t.equal((await files()).length, 1)
    await t.rejects(media.rehost(origin.at('one'), anything, AbortSignal.abort(why)), why)
    two.release()
    t.match(await media.rehost(origin.at('two'), anything), { type: 'image/png' }, 'and it can be requested again')
  },
)

t.test('A fetch in flight when media closes is reported as temporarily unavailable', async (t) => {
  const body = holdUntilReleased(png)
  const origin = await openOrigin(t, { slow: body.setBehavior })
  const { media, files } = await openMediaFixture(t)
  const pending = media.rehost(origin.at('slow'), anything)
  while (origin.seen.length === 0) await new Promise((next) => setTimeout(next, 1))
  await media.close()
  t.match(await pending, { refused: 'service.unavailable' })
  t.match(await media.rehost(origin.at('slow'), anything), { refused: 'service.unavailable' })
  t.same(await files(), [])
})

t.test('State or bytes that cannot be reached lead to a retry, never to a fault of the media', async (t) => {
  const origin = await openOrigin(t, { pdf: sends(pdf) })
  const away = refuse('service.unavailable')
  const unasked = { execute: async () => away, query: async () => away, queryAll: async () => away } as never
  const { media } = await openMediaFixture(t, { shards: unasked })
  t.equal(await media.rehost(origin.at('pdf'), anything), away)
  const failing = await openMediaFixture(t, {
    wrapObjects: (objects) => ({ ...objects, put: () => Promise.reject(new Error('the disk broke')) }),
  })
  t.match(await failing.media.rehost(origin.at('pdf'), anything), { refused: 'service.unavailable' })
  t.match(failing.logged, [{ event: 'media.save_failed' }])
})

t.test('On a nearly full disk media is refused and logged, and stored media can still be used', async (t) => {
  const origin = await openOrigin(t, { png: sends(png), jpeg: sends(jpeg) })
  let free: number = limits.freeDiskBytes
  const { media, files, logged } = await openMediaFixture(t, { freeBytes: async () => free })
  const before = await media.rehost(origin.at('png'), anything)
  free = limits.freeDiskBytes - 1
  const refused = await media.rehost(origin.at('jpeg'), anything)
  t.match(refused, { why: 'full', detail: /no room/ })
  isClean(t, refused as Unreachable)
  t.match(logged, [{ event: 'media.storage_full', level: 'warn' }])
  t.same(await media.rehost(origin.at('png'), anything), before)
  free = limits.freeDiskBytes
  t.match(await media.rehost(origin.at('jpeg'), anything), { type: 'image/jpeg' })
  t.equal((await files()).length, 2)
})

t.test('The limits of the contract are in effect', async (t) => {
  t.equal(limits.redirects, 5)
  t.equal(limits.retentionMs, 30 * 24 * 3_600_000)
})
