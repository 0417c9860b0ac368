/** What people sent on WhatsApp: asked for by its id, and opened where the answer says with the same token. */
import t from 'tap'
import { openMedia } from '../../../../adapters/messenger/whatsapp/media.js'
import { createTestProvider } from '../provider.js'
import { lookaside, person, whatsappAuth } from '../samples.js'

const { accessToken } = whatsappAuth
const openTestMedia = (response: Parameters<typeof createTestProvider>[2], auth = whatsappAuth, id = '77') => {
  const { sendContext, requests } = createTestProvider(auth, person, response)
  return { result: openMedia(id, sendContext), requests }
}

t.test('Media metadata is requested once with the token, and the named URL opens with it', async (t) => {
  const { result, requests } = openTestMedia({ status: 200, body: { url: lookaside } }, whatsappAuth, '7/7?x')
  const headers = { authorization: `Bearer ${accessToken}` }
  t.same(await result, { kind: 'at', url: lookaside, headers })
  t.same(requests, [{ method: 'GET', url: 'https://graph.facebook.com/v23.0/7%2F7%3Fx', headers }])
})

t.test('The token is sent to TLS addresses only, except the API address of the operator', async (t) => {
  const named = async (url: unknown, apiUrl?: string) =>
    (await openTestMedia({ status: 200, body: { url } }, { ...whatsappAuth, ...(apiUrl && { apiUrl }) }).result).kind
  for (const url of [lookaside.replace('https:', 'http:'), 'ftp://a.example/', 'javascript:x', '', 'x', 7, null])
    t.equal(await named(url), 'refused', String(url))
  const own = 'http://127.0.0.1:9000/graph'
  t.equal(await named('http://127.0.0.1:9000/graph/files/77', own), 'at')
  t.equal(await named('http://127.0.0.1:9001/graph/files/77', own), 'refused')
  t.equal(await named(lookaside, own), 'at')
})

t.test('Media that is not available is refused without repeating the response', async (t) => {
  const response = { error: { message: `bad token ${accessToken}`, code: 190 } }
  t.same(await openTestMedia({ status: 401, body: response }).result, {
    kind: 'refused',
    detail: 'The provider answered 401 with code 190.',
  })
  t.same(await openTestMedia({ status: 404, body: accessToken }).result, {
    kind: 'refused',
    detail: 'The provider answered 404.',
  })
  t.same(await openTestMedia('silence').result, { kind: 'refused', detail: 'No answer in time.' })
  t.match(await openTestMedia({ status: 200, body: { id: '77' } }).result, { kind: 'refused' })
})
