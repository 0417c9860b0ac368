/** Pages that operators name as sources: the guard, redirects, limits, and versions that are handed back. */
import t from 'tap'
import { knowledge as limits } from '../../../core/limits/index.js'
import { openPageReader } from '../../../runtime/knowledge/page.js'
import { hang, openReceiver } from '../../harness/receiver.js'

const site = await openReceiver(t)
const reader = openPageReader({ allowPrivate: true })
t.teardown(() => reader.close())
const never = new AbortController().signal
const get = (url: string, version = {}) => reader.get({ url, version, signal: never })

t.test('Addresses that are not public are not fetched, even after a redirect', async (t) => {
  const guarded = openPageReader({ allowPrivate: false })
  t.teardown(() => guarded.close())
  for (const url of [
    site.url('/'),
    'https://127.0.0.1/',
    'https://169.254.169.254/',
    'https://localhost/',
    'file:///etc/passwd',
  ]) {
    t.same(await guarded.get({ url, version: {}, signal: never }), {
      kind: 'failed',
      reason: 'The URL does not lead to a public address.',
    })
  }
  site.setBehavior('/away', (response) => void response.writeHead(302, { location: 'ftp://a.example/x' }).end())
  t.match(await get(site.url('/away')), { kind: 'failed', reason: 'The URL does not lead to a public address.' })
  t.equal(site.at('/').length, 0)
})

t.test('Redirects are followed up to a limit', async (t) => {
  for (let hop = 0; hop <= limits.redirects; hop++) {
    site.setBehavior(`/${hop}`, (response) => void response.writeHead(301, { location: `/${hop + 1}` }).end())
  }
  site.setBehavior(
    `/${limits.redirects + 1}`,
    (response) => void response.writeHead(200, { 'content-type': 'text/plain' }).end('there'),
  )
  t.match(await get(site.url('/1')), { kind: 'page', contentType: 'text/plain', bytes: Buffer.from('there') })
  t.match(await get(site.url('/0')), { kind: 'failed', reason: /too many/ })
  site.setBehavior('/nowhere', (response) => void response.writeHead(302).end())
  t.match(await get(site.url('/nowhere')), { kind: 'failed' })
})

t.test('A page’s version validator is returned to it, if it is not too long', async (t) => {
  const long = 'x'.repeat(limits.validatorChars + 1)
  site.setBehavior(
    '/long',
    (response) => void response.writeHead(200, { etag: long, 'last-modified': 'then' }).end('x'),
  )
  t.match(await get(site.url('/long')), { version: { lastModified: 'then' } })
  site.setBehavior('/same', (response) => void response.writeHead(304).end())
  t.same(await get(site.url('/same'), { etag: '"a"' }), { kind: 'unchanged' })
  t.same(await get(site.url('/same')), { kind: 'failed', reason: 'The page answered with status 304.' })
})

t.test('A page that is too large, too slow or truncated is a failure; an aborted fetch is reported so', async (t) => {
  site.setBehavior('/large', (response) => void response.writeHead(200).end(Buffer.alloc(limits.bytes + 1, 'x')))
  t.match(await get(site.url('/large')), { kind: 'failed', reason: 'The answer is larger than is read.' })
  site.setBehavior('/slow', hang)
  const hurried = openPageReader({ allowPrivate: true, limits: { totalMs: 300 } })
  t.teardown(() => hurried.close())
  t.match(await hurried.get({ url: site.url('/slow'), version: {}, signal: never }), {
    kind: 'failed',
    reason: 'The endpoint did not answer in time.',
  })
  site.setBehavior('/cut', (response) => void response.destroy())
  t.match(await get(site.url('/cut')), { kind: 'failed' })
  const controller = new AbortController()
  const pending = reader.get({ url: site.url('/slow'), version: {}, signal: controller.signal })
  controller.abort()
  t.same(await pending, { kind: 'stopped' })
})
