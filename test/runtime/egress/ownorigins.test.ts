/** The way out to what the node runs itself: one origin on loopback, and nothing beside it. */
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import t, { type Test } from 'tap'
import { createEgressClient } from '../../../runtime/egress/client.js'

const limits = { connectMs: 5_000, headersMs: 5_000, totalMs: 10_000 }

async function startServer(t: Test, redirectTo?: string): Promise<string> {
  const server = createServer((_request, response) => {
    response.writeHead(redirectTo ? 302 : 200, redirectTo ? { location: redirectTo } : {}).end('here')
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => server.close())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

t.test('An egress client calls the node’s own origin wherever it is, and no other private one', async (t) => {
  const own = await startServer(t)
  const other = await startServer(t)
  let origins = new Set<string>()
  const client = createEgressClient({ allowPrivate: false, ownOrigins: () => origins }, limits)
  t.teardown(() => client.close())
  const call = (url: string) =>
    client.request(undefined, async (send) => {
      const { statusCode, body } = await send({ url, method: 'GET', headers: {} })
      await body.dump()
      return { ok: true as const, status: statusCode }
    })
  const refused = { ok: false, reason: 'refused-address' }
  t.match(await call(own), refused, 'not before it is there')
  origins = new Set([own])
  t.same(await call(`${own}/any/path?x=1`), { ok: true, status: 200 })
  t.match(await call(other), refused)
  t.match(await call(own.replace('127.0.0.1', 'localhost')), refused, 'under its own name only')
  t.match(await call(own.replace('://', '://user:pass@')), refused)
  origins = new Set()
  t.match(await call(own), refused, 'nor after it was removed')
})

t.test('Only the URL of a request decides its target, whatever else it carries', async (t) => {
  const meant = await startServer(t)
  const other = await startServer(t, 'https://elsewhere.example/')
  const client = createEgressClient({ allowPrivate: false, ownOrigins: () => new Set([meant, other]) }, limits)
  t.teardown(() => client.close())
  const request = { url: `${meant}/here`, method: 'GET' as const, headers: {}, origin: other, path: '/there' }
  const done = await client.request(undefined, async (send) => {
    const { statusCode, body } = await send(request)
    await body.dump()
    return { ok: true as const, status: statusCode }
  })
  t.same(done, { ok: true, status: 200 })
})
