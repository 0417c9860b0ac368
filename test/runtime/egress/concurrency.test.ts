/** Requests on their way out: how many at a time, and that one host whose calls hang leaves room for others. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import t, { type Test } from 'tap'
import { openPoster } from '../../../runtime/egress/post.js'
import { createSemaphore } from '../../../runtime/semaphore.js'
import { waitUntil } from '../../harness/clock.js'

async function endpoint(t: Test, hangs: boolean): Promise<{ url: string; callCount: () => number }> {
  let callCount = 0
  const server = createServer((_request, response) => {
    callCount++
    if (!hangs) response.end('ok')
  }).listen(0, '127.0.0.1')
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  await waitUntil(() => server.listening)
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, callCount: () => callCount }
}

t.test('Calls to a host that hangs use up their share and wait; calls to others continue', async (t) => {
  const [hanging, well] = [await endpoint(t, true), await endpoint(t, false)]
  const poster = openPoster({ allowPrivate: true, slots: createSemaphore({ max: 4, maxPerKey: 2 }) })
  t.teardown(poster.close)
  const abort = new AbortController()
  const post = (url: string, signal?: AbortSignal) =>
    poster.post({ url, headers: {}, body: Buffer.from('{}'), ...(signal && { signal }) })
  const hung = Array.from({ length: 6 }, () => post(hanging.url, abort.signal))
  await waitUntil(() => hanging.callCount() === 2)
  const answers = await Promise.all(Array.from({ length: 5 }, () => post(well.url)))
  t.ok(
    answers.every((answer) => answer.ok),
    'another host answers all requests',
  )
  t.equal(hanging.callCount(), 2, 'and the hanging one was called as often as it may')
  abort.abort()
  t.ok((await Promise.all(hung)).every((answer) => !answer.ok && answer.reason === 'stopped'))
  const after = post(hanging.url)
  await waitUntil(() => hanging.callCount() === 3)
  t.ok((await post(well.url)).ok, 'slots of aborted calls are free again')
  await poster.close()
  t.match(await after, { ok: false, reason: 'stopped' })
})
