/** What people sent: fetched with credentials that nobody but its provider sees, kept, and fetched once. */
import t, { type Test } from 'tap'
import { refuse } from '../../../core/errors.js'
import { media as limits } from '../../../core/limits/index.js'
import type { FindSource, StoredMedia, Unreachable } from '../../../runtime/media/contract.js'
import { serveMedia } from '../../../runtime/media/download.js'
import { eventually } from '../../contract/shards/fixture.js'
import { anything, openMediaFixture } from './fixture.js'
import { type Behavior, holdUntilReleased, openOrigin, redirects, sends } from './origin.js'
import { png, strangers } from './samples.js'

const secretHeaders = { authorization: 'Bearer the-token', 'x-key': 'another-secret' }
const from =
  (url: string): FindSource =>
  () => ({ url, secretHeaders })

/** Serves the file to every request that has the token. */
const requireCredentials: Behavior = (response, request) =>
  request.headers.authorization === secretHeaders.authorization
    ? sends(png)(response, request)
    : void response.writeHead(401).end()

const large: Behavior = (response) => void response.writeHead(200, { 'content-length': limits.maxBytes + 1 }).write(png)

async function bytesOf(
  { objects }: Awaited<ReturnType<typeof openMediaFixture>>,
  { name }: StoredMedia,
): Promise<Buffer> {
  const parts: Uint8Array[] = []
  for await (const part of (await objects.get(name))!.read(0)) parts.push(part)
  return Buffer.concat(parts)
}

function storedMedia(t: Test, outcome: unknown): StoredMedia {
  t.match(outcome, { type: 'image/png', bytes: png.length })
  return outcome as StoredMedia
}

t.test('Inbound media is fetched with its headers, stored, and not fetched again', async (t) => {
  const origin = await openOrigin(t, { picture: requireCredentials })
  const fixture = await openMediaFixture(t)
  const stored = storedMedia(t, await fixture.media.fetchInbound('word', from(origin.at('picture'))))
  t.ok((await bytesOf(fixture, stored)).equals(png))
  const repeated = await fixture.media.fetchInbound('word', () => t.fail('it was looked for again') as never)
  t.equal(storedMedia(t, repeated).name, stored.name)
  t.equal(origin.seen.length, 1)
  t.notMatch(JSON.stringify(fixture.logged), 'the-token')
})

t.test('Concurrent requests share one fetch, and two tokens are two items', async (t) => {
  const slow = holdUntilReleased(png)
  const origin = await openOrigin(t, { picture: slow.setBehavior })
  const { media } = await openMediaFixture(t)
  let findCount = 0
  const find: FindSource = () => {
    findCount++
    return { url: origin.at('picture') }
  }
  const all = Array.from({ length: 20 }, () => media.fetchInbound('word', find))
  slow.release()
  const names = new Set((await Promise.all(all)).map((each) => storedMedia(t, each).name))
  t.same([names.size, findCount, origin.seen.length], [1, 1, 1])
  names.add(storedMedia(t, await media.fetchInbound('other', find)).name)
  t.equal(names.size, 2)
})

t.test('Concurrent requests for media that cannot be stored share one fetch, too', async (t) => {
  const origin = await openOrigin(t, { large })
  const { media } = await openMediaFixture(t)
  const all = Array.from({ length: 10 }, () => media.fetchInbound('word', from(origin.at('large'))))
  for (const outcome of await Promise.all(all)) t.match(outcome, { why: 'size' })
  t.equal(origin.seen.length, 1)
})

t.test('A file of any type is stored as a download, and a web page in its place is not', async (t) => {
  const fixture = await openMediaFixture(t)
  for (const [name, bytes] of Object.entries(strangers)) {
    const origin = await openOrigin(t, { file: sends(bytes, 'image/png') })
    const outcome = await fixture.media.fetchInbound(name, from(origin.at('file')))
    if (name.startsWith('html')) {
      t.match(outcome, { why: 'type' }, name)
      continue
    }
    t.match(outcome, { name: /\.bin$/, type: 'application/octet-stream', bytes: bytes.length }, name)
    const stored = outcome as StoredMedia
    t.same(await bytesOf(fixture, stored), bytes)
    const headers = { 'content-disposition': /^attachment/ }
    t.match(await serveMedia(fixture.objects, stored.name, ''), { type: 'application/octet-stream', headers })
  }
})

t.test('An outbound URL never resolves to inbound media, even if both URLs are equal', async (t) => {
  const origin = await openOrigin(t, { picture: requireCredentials })
  const { media } = await openMediaFixture(t)
  const url = origin.at('picture')
  storedMedia(t, await media.fetchInbound(url, from(url)))
  t.match(await media.rehost(url, anything), { why: 'source' }, 'inbound media cannot be read by its URL')
})

t.test('Credentials are sent on redirects within their host, and a redirect to another host has none', async (t) => {
  const seen = (name: string, then: Behavior): Behavior => {
    return (response, request) => {
      authorizations.push([name, request.headers.authorization ?? '', request.headers['x-key'] ?? ''])
      then(response, request)
    }
  }
  const authorizations: unknown[][] = []
  const far = await openOrigin(t, {
    near: seen('far', (response, request) => redirects(near.at('last'))(response, request)),
    picture: seen('far', sends(png)),
  })
  const near = await openOrigin(t, {
    first: seen('first', (response, request) => redirects(near.at('second'), 307)(response, request)),
    second: seen('second', (response, request) => redirects(far.at('near'))(response, request)),
    last: seen('last', (response, request) => redirects(far.at('picture'))(response, request)),
  })
  const { media } = await openMediaFixture(t)
  storedMedia(t, await media.fetchInbound('word', from(near.at('first'))))
  const allHeaders = Object.values(secretHeaders)
  t.same(authorizations, [
    ['first', ...allHeaders],
    ['second', ...allHeaders],
    ['far', '', ''],
    ['last', '', ''],
    ['far', '', ''],
  ])
})

t.test('Media that is unavailable or too large is reported in a sentence, and can be requested again', async (t) => {
  let isThere = false
  const origin = await openOrigin(t, {
    picture: (...args) =>
      isThere ? requireCredentials(...args) : void args[0].writeHead(403).end('the-token is not good'),
    large,
  })
  const fixture = await openMediaFixture(t)
  const { media } = fixture
  const outcome = (await media.fetchInbound('word', from(origin.at('picture')))) as Unreachable
  t.same([outcome.why, outcome.detail], ['source', 'The media URL answered with status 403.'])
  t.match(await media.fetchInbound('large', from(origin.at('large'))), { why: 'size' })
  const refusal: Unreachable = { reason: 'mediaUnreachable', why: 'source', detail: 'It is gone.' }
  t.same(await media.fetchInbound('gone', async () => refusal), refusal)
  t.match(await media.fetchInbound('gone', async () => refuse('service.unavailable')), {
    refused: 'service.unavailable',
  })
  t.same(await fixture.files(), [])
  t.notMatch(JSON.stringify(fixture.logged), 'the-token')
  isThere = true
  storedMedia(t, await media.fetchInbound('word', from(origin.at('picture'))))
})

t.test('Fetches reach only public addresses over TLS, except what this node runs itself', async (t) => {
  const own = await openOrigin(t, { picture: requireCredentials, away: redirects('http://127.0.0.1:1/') })
  const other = await openOrigin(t, { picture: requireCredentials })
  const options = { allowPrivate: false, ownOrigins: () => new Set([new URL(own.at('')).origin]) }
  const { media } = await openMediaFixture(t, options)
  storedMedia(t, await media.fetchInbound('own', from(own.at('picture'))))
  for (const url of [other.at('picture'), own.at('away'), 'https://127.0.0.1/x', 'http://a.example/x', 'file:///x'])
    t.match(await media.fetchInbound(url, from(url)), { why: 'source' }, url)
  t.same(other.seen, [])
  t.match(await media.rehost(own.at('picture'), anything), { why: 'source' }, 'and no message leads there')
})

t.test('Media is removed 30 days after it was last opened, and is then fetched anew', async (t) => {
  const origin = await openOrigin(t, { picture: requireCredentials })
  const { media, fixture, files } = await openMediaFixture(t)
  storedMedia(t, await media.fetchInbound('word', from(origin.at('picture'))))
  await fixture.time.advance(limits.retentionMs)
  t.equal((await files()).length, 1)
  await fixture.time.advance(limits.usedEveryMs)
  await eventually(fixture, async () => (await files()).length === 0)
  storedMedia(t, await media.fetchInbound('word', from(origin.at('picture'))))
  t.equal(origin.seen.length, 2)
})
