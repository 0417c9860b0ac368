/** What people sent on WhatsApp: asked for by its id, and opened where the answer says with the same token. */
import t from 'tap'
import { openMedia } from '../../../../adapters/messenger/whatsapp/media.js'
import { provider } from '../provider.js'
import { lookaside, person, whatsappAuth } from '../samples.js'

const { accessToken } = whatsappAuth
const opened = (told: Parameters<typeof provider>[2], auth = whatsappAuth, id = '77') => {
  const { sending, asked } = provider(auth, person, told)
  return { opening: openMedia(id, sending), asked }
}

t.test('The id is asked for once, with the token, and what is named opens with it', async (t) => {
  const { opening, asked } = opened({ status: 200, body: { url: lookaside } }, whatsappAuth, '7/7?x')
  const headers = { authorization: `Bearer ${accessToken}` }
  t.same(await opening, { kind: 'at', url: lookaside, headers })
  t.same(asked, [{ method: 'GET', url: 'https://graph.facebook.com/v23.0/7%2F7%3Fx', headers }])
})

t.test('The token is told to no address but over TLS, save where the operator said that the API is', async (t) => {
  const named = async (url: unknown, apiUrl?: string) =>
    (await opened({ status: 200, body: { url } }, { ...whatsappAuth, ...(apiUrl && { apiUrl }) }).opening).kind
  for (const url of [lookaside.replace('https:', 'http:'), 'ftp://a.example/', 'javascript:x', '', 'x', 7, null])
    t.equal(await named(url), 'refused', String(url))
  const own = 'http://127.0.0.1:9000/graph'
  t.equal(await named('http://127.0.0.1:9000/graph/files/77', own), 'at')
  t.equal(await named('http://127.0.0.1:9001/graph/files/77', own), 'refused')
  t.equal(await named(lookaside, own), 'at')
})

t.test('What is not given is refused in words that repeat nothing of the answer', async (t) => {
  const told = { error: { message: `bad token ${accessToken}`, code: 190 } }
  t.same(await opened({ status: 401, body: told }).opening, {
    kind: 'refused',
    detail: 'The provider answered 401 with code 190.',
  })
  t.same(await opened({ status: 404, body: accessToken }).opening, {
    kind: 'refused',
    detail: 'The provider answered 404.',
  })
  t.same(await opened('silence').opening, { kind: 'refused', detail: 'No answer in time.' })
  t.match(await opened({ status: 200, body: { id: '77' } }).opening, { kind: 'refused' })
})
