/**
 * A picture that a person sent, from a provider that gives it to its customer alone to an agent that holds no
 * credentials.
 */
import { createHmac } from 'node:crypto'
import t, { type Test } from 'tap'
import { waitUntil } from '../../harness/clock.js'
import { openTestNode } from '../../harness/node.js'
import { openReceiver } from '../../harness/receiver.js'
import { type Behavior, openOrigin, redirects, sends } from '../media/origin.js'
import { png } from '../media/samples.js'

const token = 'EAAGthe-token-of-the-binding'
const auth = { accessToken: token, appSecret: 'app-secret-of-the-binding', verifyToken: 'a word', phoneNumberId: '106' }

/**
 * A provider that requires the token for every call, and whose files lie on another server; and an agent that is
 * bound to it.
 */
async function openSetup(t: Test) {
  const world = { status: 200, picture: png as Buffer }
  const requireToken =
    (then: Behavior): Behavior =>
    (response, request) =>
      request.headers.authorization === `Bearer ${token}`
        ? then(response, request)
        : void response.writeHead(401, { 'content-type': 'application/json' }).end(`{"error":{"message":"${token}"}}`)
  const files = await openOrigin(t, { picture: (...args) => sends(world.picture)(...args) })
  const api = await openOrigin(t, {
    'v23.0/77': requireToken((response) => {
      const body = world.status === 200 ? { url: api.at('file') } : { error: { message: token, code: 100 } }
      response.writeHead(world.status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
    }),
    file: requireToken((...args) => redirects(files.at('picture'))(...args)),
  })
  const node = await openTestNode()
  t.teardown(() => node.close())
  const receiver = await openReceiver(t)
  async function manage(method: string, path: string, json?: unknown) {
    const reply = await node.mgmt(method, `/v1/orgs/demo/agents${path}`, { token: node.key, json })
    if (reply.status > 299) throw new Error(`${method} ${path}: ${reply.status} ${reply.text}`)
    return reply.text === '' ? undefined : reply.json
  }
  const { id } = await manage('POST', '', { name: 'Desk' })
  const bound = { channel: 'messengerA', mode: 'unmanaged', provider: 'whatsapp' }
  const binding = await manage('POST', `/${id}/channels`, {
    ...bound,
    auth: { ...auth, apiUrl: api.at('').slice(0, -1) },
  })
  const { accessToken } = await manage('POST', `/${id}/gateway/_rotateToken`)
  await manage('POST', `/${id}/gateway/_rotateSecret`)
  const webhook = { webhookUrl: receiver.url('/hook'), instanceId: 'blue' }
  await node.gateway('POST', '/v4/webhook', { token: accessToken, json: webhook })

  function receiveImage(mediaId: string) {
    const image = { id: mediaId, mime_type: 'image/png', caption: 'Like this' }
    const message = { from: '15550100', id: `wamid.${mediaId}`, timestamp: '1', type: 'image', image }
    const value = { messaging_product: 'whatsapp', metadata: { phone_number_id: '106' }, messages: [message] }
    const body = JSON.stringify({ entry: [{ id: '1', changes: [{ field: 'messages', value }] }] })
    const mark = createHmac('sha256', auth.appSecret).update(body).digest('hex')
    const headers = { 'x-hub-signature-256': `sha256=${mark}` }
    return node.gateway('POST', `/v4/ingress/${binding.id}`, { body, headers })
  }

  const receivedMessages = () => {
    const events = receiver.at('/hook').map(({ body }) => JSON.parse(body.toString()).event.event)
    return events.filter(({ type }) => type === 'message').map(({ message }) => message)
  }

  /** A person sends a picture; returns the address that the agent gets. */
  async function sendPicture(mediaId = '77'): Promise<string> {
    const before = receivedMessages().length
    const { status } = await receiveImage(mediaId)
    if (status !== 200) throw new Error(`the ingress answered ${status}`)
    await waitUntil(() => receivedMessages().length > before)
    const { text, media } = receivedMessages().at(-1)
    t.match({ text, media }, { text: 'Like this', media: [{ url: String, type: 'image/png' }] })
    return media[0].url
  }
  const open = (url: string, headers = {}) => node.gateway('GET', new URL(url).pathname, { headers })
  return {
    world,
    node,
    api,
    files,
    manage: (m: string, p: string, j?: unknown) => manage(m, `/${id}${p}`, j),
    binding,
    receivedMessages,
    sendPicture,
    receiveImage,
    open,
    accessToken,
  }
}

t.test('The agent gets a URL that opens without credentials, and the records contain the same URL', async (t) => {
  const { node, api, files, sendPicture, open, manage } = await openSetup(t)
  const url = await sendPicture()
  t.match(url, /^http:\/\/gateway\.test\/v4\/media\/received\/[\w-]+$/)
  t.same([api.seen, files.seen], [[], []], 'media is not fetched before it is opened')
  const { status, headers } = await open(url)
  t.equal(status, 200)
  t.match(headers, {
    'content-type': 'image/png',
    'content-security-policy': "sandbox; default-src 'none'",
    'content-disposition': 'inline',
  })
  t.equal((await open(url, { range: 'bytes=0-3' })).status, 206)
  t.same([api.seen, files.seen], [['/v23.0/77', '/file'], ['/picture']], 'and only the first time')
  t.equal(files.requests[0]?.headers.authorization, undefined, 'with the token for the provider alone')
  const traffic = await manage('GET', '/messages')
  t.match(JSON.stringify(traffic), url)
  t.notMatch(JSON.stringify(traffic), '"held"')
  t.notMatch(JSON.stringify(node.logged), token)
})

t.test('Each media item has its own URL, and a repeated call creates none', async (t) => {
  const { sendPicture, receiveImage, receivedMessages } = await openSetup(t)
  const url = await sendPicture()
  t.equal((await receiveImage('77')).status, 200)
  const other = await sendPicture('78')
  t.not(other, url)
  t.same(
    receivedMessages().map(({ media }) => media[0].url),
    [url, other],
  )
})

t.test('Concurrent requests for one item fetch it from the provider once', async (t) => {
  const { sendPicture, open, api, files } = await openSetup(t)
  const url = await sendPicture()
  const answers = await Promise.all(Array.from({ length: 12 }, () => open(url)))
  t.ok(answers.every(({ status }) => status === 200))
  t.same([api.seen.length, files.seen.length], [2, 1])
})

t.test('An invalid token is not found, and all such responses are the same', async (t) => {
  const { sendPicture, open, api } = await openSetup(t)
  const url = await sendPicture()
  const wrong = [`${url}A`, url.slice(0, -1), url.replace(/.$/, (last) => (last === 'A' ? 'B' : 'A')), `${url}.png`]
  const answers = await Promise.all(
    [...wrong, url.replace(/[^/]+$/, 'x'), url.replace(/[^/]+$/, '77')].map((each) => open(each)),
  )
  for (const { status, text, headers } of answers) {
    t.same([status, text], [404, answers[0]!.text])
    t.match(headers['cache-control'], 'no-store')
  }
  t.same(api.seen, [])
})

t.test(
  'A failure at the provider is 502 with a sentence, without a secret, and a later request succeeds',
  async (t) => {
    const { world, node, sendPicture, open } = await openSetup(t)
    const url = await sendPicture()
    for (const [status, sentence] of [
      [401, 'The provider answered 401 with code 100.'],
      [404, 'The provider answered 404 with code 100.'],
      [500, 'The provider answered 500 with code 100.'],
    ] as const) {
      world.status = status
      const answer = await open(url)
      t.same([answer.status, answer.json], [502, { message: sentence, code: 'media.unreachable' }])
      t.match(answer.headers['cache-control'], 'no-store')
    }
    world.status = 200
    world.picture = Buffer.from('<!DOCTYPE html><script>alert(1)</script>')
    t.match((await open(url)).json, { code: 'media.unreachable', message: /of a kind that is not passed on/ })
    world.picture = png
    t.equal((await open(url)).status, 200)
    t.notMatch(JSON.stringify(node.logged), token)
  },
)

t.test('Without its binding media is not found, even if stored; new credentials are used', async (t) => {
  const { api, sendPicture, open, manage, binding } = await openSetup(t)
  const [url, at] = [await sendPicture(), `/channels/${binding.id}`]
  t.equal((await open(url)).status, 200)
  await manage('POST', `${at}/_disable`)
  t.equal((await open(url)).status, 200, 'media of a binding that is switched off opens')
  await manage('POST', `${at}/_enable`)
  t.equal((await open(url)).status, 200)
  const other = await sendPicture('78')
  await manage('PATCH', at, { auth: { ...auth, accessToken: 'EAAGanother-token', apiUrl: api.at('').slice(0, -1) } })
  t.equal((await open(other)).status, 502)
  t.equal(api.requests.at(-1)?.headers.authorization, 'Bearer EAAGanother-token')
  await manage('DELETE', at)
  t.equal((await open(url)).status, 404)
})

t.test('Without its agent media is not found', async (t) => {
  const { sendPicture, open, manage } = await openSetup(t)
  const url = await sendPicture()
  t.equal((await open(url)).status, 200)
  await manage('DELETE', '')
  t.equal((await open(url)).status, 404)
})
