/** The HTTP client of calendars: answers whole and within bounds, redirects not followed, failures as values. */
import { gzipSync } from 'node:zlib'
import t from 'tap'
import { calendar as limits } from '../../../core/limits/index.js'
import { openCalendarClient } from '../../../runtime/calendar/client.js'
import { hang, openReceiver } from '../../harness/receiver.js'

const receiver = await openReceiver(t)
const client = openCalendarClient({ allowPrivate: true, limits: { ...limits, totalMs: 300, headersMs: 300 } })
t.teardown(client.close)
const url = receiver.url('/calendar')
const request = { method: 'REPORT' as const, url, headers: { authorization: 'Basic secret' }, body: '<a/>' }

t.test('A request carries its method, headers and body, and its answer the tag and the whole body', async (t) => {
  receiver.setBehavior('/calendar', (response) => {
    response.writeHead(207, { etag: '"7"', 'content-encoding': 'gzip' }).end(gzipSync('<multistatus/>'))
  })
  const answer = await client.call(request)
  t.match(answer, { ok: true, status: 207, etag: '"7"' })
  t.equal(answer.ok && Buffer.from(answer.body).toString(), '<multistatus/>')
  const [received] = receiver.at('/calendar')
  t.match(received, { headers: { authorization: 'Basic secret', 'user-agent': 'Parley-Calendar/1' } })
  t.equal(String(received?.body), '<a/>')
})

t.test('A redirect is an answer, and credentials go nowhere else', async (t) => {
  receiver.setBehavior('/calendar', (response) => {
    response.writeHead(302, { location: receiver.url('/elsewhere') }).end()
  })
  t.match(await client.call(request), { ok: true, status: 302 })
  t.same(receiver.at('/elsewhere'), [])
})

t.test('A failure says whether the request may have arrived', async (t) => {
  receiver.setBehavior('/calendar', hang)
  t.match(await client.call(request), { ok: false, reason: 'unknown', message: /in time/ })
  receiver.setBehavior('/calendar', (response) => {
    response.writeHead(207, { 'content-encoding': 'gzip' }).end(gzipSync(Buffer.alloc(limits.answerBytes + 1)))
  })
  t.match(await client.call(request), { ok: false, reason: 'unknown', message: /larger/ })
  t.match(await client.call({ ...request, url: 'https://name.invalid/' }), { ok: false, reason: 'unsent' })
  t.match(await client.call({ ...request, url: 'no url' }), { ok: false, reason: 'refused' })
  const guarded = openCalendarClient({ allowPrivate: false })
  t.teardown(guarded.close)
  t.match(await guarded.call(request), { ok: false, reason: 'refused' })
})

t.test('A client that closes ends its requests', async (t) => {
  receiver.setBehavior('/calendar', hang)
  const closing = openCalendarClient({ allowPrivate: true })
  const answer = closing.call(request)
  await closing.close()
  t.match(await answer, { ok: false })
})
