/** How media is served: what a browser is told of it, whole and in part, over real sockets. */
import { randomBytes } from 'node:crypto'
import t, { type Test } from 'tap'
import { media as limits } from '../../../core/limits/index.js'
import { prepareUws } from '../../../runtime/http/binary.js'
import { createPipeline } from '../../../runtime/http/pipeline.js'
import { listen } from '../../../runtime/http/server.js'
import type { MediaStore } from '../../../runtime/media/contract.js'
import { mediaRoutes } from '../../../runtime/media/routes.js'
import { mediaTypes } from '../../../runtime/media/types.js'
import { BusUnreachable } from '../../../runtime/nats/contract.js'
import { createLog } from '../../../runtime/observe/log.js'

prepareUws(false)

const stem = '0123456789abcdefghjkmnpqrs'

/** Objects in memory, which tell their length or do not. */
function createMediaStore(files: Readonly<Record<string, Buffer>>, hasSize: boolean): MediaStore {
  return {
    put: async () => {},
    remove: async () => {},
    async get(name) {
      const bytes = files[name]
      if (!bytes) return undefined
      return {
        bytes: hasSize ? bytes.length : undefined,
        async *read(from) {
          for (let at = from; at < bytes.length; at += 100_000)
            yield bytes.subarray(at, Math.min(at + 100_000, bytes.length))
        },
      }
    },
  }
}

async function serve(t: Test, objects: MediaStore) {
  const { log } = createLog({ destination: { write: () => {} } })
  const pipeline = createPipeline({
    prefix: '/v4',
    routes: mediaRoutes({ store: objects }),
    style: 'gateway',
    authenticate: () => undefined,
    buckets: {} as never,
    cors: { headersFor: () => undefined },
    clock: { now: () => 0 } as never,
    log,
    meter: () => ({ observe() {} }) as never,
    checkReplies: true,
  })
  const listening = await listen({ host: '127.0.0.1', port: 0, serve: pipeline, log })
  t.teardown(() => listening.close(0))
  return async (name: string, init: RequestInit = {}) => {
    const answer = await fetch(`http://127.0.0.1:${listening.port}/v4/media/${name}`, init)
    return {
      status: answer.status,
      headers: Object.fromEntries(answer.headers),
      body: Buffer.from(await answer.arrayBuffer()),
    }
  }
}

t.test('Media is served with its own type, cacheable for ever, and never executed by a browser', async (t) => {
  const files = Object.fromEntries(mediaTypes.map(({ extension }) => [`${stem}.${extension}`, randomBytes(1_000)]))
  const get = await serve(t, createMediaStore(files, true))
  for (const { type, extension, isDownload: saved } of mediaTypes) {
    const name = `${stem}.${extension}`
    const { status, headers, body } = await get(name)
    t.equal(status, 200)
    t.ok(body.equals(files[name]!), type)
    t.match(headers, {
      'content-type': type,
      'content-length': '1000',
      'x-content-type-options': 'nosniff',
      'content-security-policy': "sandbox; default-src 'none'",
      'cache-control': 'public, max-age=31536000, immutable',
      'content-disposition': saved ? `attachment; filename="${name}"` : 'inline',
    })
  }
  const saved = mediaTypes.filter((each) => each.isDownload).map(({ type }) => type)
  t.ok(['application/pdf', 'application/zip', 'text/vcard', 'text/plain'].every((type) => saved.includes(type)))
  t.notOk(saved.some((type) => /^(image|video|audio)/.test(type)))
})

t.test('Unknown media is not found, and all such responses are the same', async (t) => {
  const get = await serve(t, createMediaStore({ [`${stem}.png`]: randomBytes(10) }, true))
  const answers = await Promise.all(
    [
      `${stem}.jpg`,
      `${stem}x.png`,
      `${stem.replace('0', '1')}.png`,
      `${stem}.png.part`,
      '..%2f..%2fsecret.key',
      stem,
    ].map((name) => get(name)),
  )
  for (const { status, headers, body } of answers) {
    t.equal(status, 404)
    t.equal(headers['cache-control'], 'no-store')
    t.same(body, answers[0]!.body)
  }
  t.equal((await get('')).status, 404, 'there is no list')
})

for (const hasSize of [true, false]) {
  t.test(
    `Where the length is ${hasSize ? '' : 'not '}known, short and long media arrive completely, and HEAD agrees`,
    async (t) => {
      const files = Object.fromEntries(
        [1, limits.wholeBytes, limits.wholeBytes + 1, 5 * limits.wholeBytes].map((bytes, at) => [
          `${stem.replace('0', String(at))}.mp4`,
          randomBytes(bytes),
        ]),
      )
      const get = await serve(t, createMediaStore(files, hasSize))
      for (const [name, bytes] of Object.entries(files)) {
        const { status, headers, body } = await get(name)
        t.equal(status, 200)
        t.ok(body.equals(bytes), `${bytes.length} bytes`)
        t.equal(headers['accept-ranges'], hasSize ? 'bytes' : undefined)
        const head = await get(name, { method: 'HEAD' })
        t.equal(head.body.length, 0)
        for (const each of ['content-type', 'content-disposition', 'cache-control']) {
          t.equal(head.headers[each], headers[each], each)
        }
        if (bytes.length > limits.wholeBytes) continue
        t.equal(headers['content-length'], String(bytes.length))
        t.equal(head.headers['content-length'], String(bytes.length))
      }
    },
  )
}

t.test('A byte range is served, and an invalid range gets the whole', async (t) => {
  const bytes = randomBytes(3 * limits.wholeBytes)
  const name = `${stem}.mp4`
  const get = await serve(t, createMediaStore({ [name]: bytes }, true))
  const last = bytes.length - 1
  const spans: Record<string, [from: number, to: number]> = {
    'bytes=0-0': [0, 0],
    'bytes=0-1': [0, 1],
    'bytes=99999-100001': [99_999, 100_001],
    'bytes=1-': [1, last],
    'bytes=-5': [last - 4, last],
    [`bytes=${last}-${last + 100}`]: [last, last],
    [`bytes=-${bytes.length * 2}`]: [0, last],
  }
  for (const [range, [from, to]] of Object.entries(spans)) {
    const { status, headers, body } = await get(name, { headers: { range } })
    t.equal(status, 206, range)
    t.equal(headers['content-range'], `bytes ${from}-${to}/${bytes.length}`)
    t.ok(body.equals(bytes.subarray(from, to + 1)))
  }
  for (const range of [
    'bytes=-',
    'bytes=5-4',
    `bytes=${last + 1}-`,
    'bytes=-0',
    'bytes=0-1,3-4',
    'lines=0-1',
    'bytes=x-1',
  ]) {
    const { status, body } = await get(name, { headers: { range } })
    t.equal(status, 200, range)
    t.equal(body.length, bytes.length)
  }
  const untold = await serve(t, createMediaStore({ [name]: bytes }, false))
  t.equal((await untold(name, { headers: { range: 'bytes=0-1' } })).status, 200, 'if the length is unknown')
})

t.test(
  'A store that cannot be reached is a temporary failure, and a broken transfer never looks complete',
  async (t) => {
    const away = await serve(t, { ...createMediaStore({}, true), get: () => Promise.reject(new BusUnreachable()) })
    const { status, headers } = await away(`${stem}.png`)
    t.equal(status, 503)
    t.ok(headers['retry-after'])
    const breaking = await serve(t, {
      ...createMediaStore({}, true),
      get: async () => ({
        bytes: 5 * limits.wholeBytes,
        async *read() {
          yield randomBytes(100_000)
          throw new Error('the disk broke')
        },
      }),
    })
    await t.rejects(breaking(`${stem}.mp4`))
  },
)
