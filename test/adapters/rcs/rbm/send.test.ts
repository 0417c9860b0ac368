/** Handing over to RCS Business Messaging: the token flow, ids that make tries safe, and what refusals mean. */
import { generateKeyPairSync, verify } from 'node:crypto'
import fc from 'fast-check'
import t from 'tap'
import { uuidFrom } from '../../../../adapters/kit/http.js'
import { rbmAdapter } from '../../../../adapters/rcs/rbm/adapter.js'
import type { RbmPayload } from '../../../../adapters/rcs/rbm/payload.js'
import type { NoResponse, ProviderRequest } from '../../../../core/channel/adapter.js'
import { type Scripted, silence, testProvider } from './provider.js'
import { auth, publicKey, rbmSamples } from './samples.js'

const hello: RbmPayload = { message: { contentMessage: { text: 'Hello' } } }
const isToken = ({ url }: ProviderRequest) => url.endsWith('/token')
const granted: Scripted = { status: 200, body: { access_token: 'ya29.token', expires_in: 3599, token_type: 'Bearer' } }

/** Grants tokens, and gives these answers to the rest, the last one again and again. */
function platform(...answers: readonly (Scripted | NoResponse)[]) {
  let callCount = 0
  const reply = (request: ProviderRequest) =>
    isToken(request) ? granted : answers[Math.min(callCount++, answers.length - 1)]!
  return testProvider(auth, reply)
}

t.test('A service account exchanges a signed assertion for a token, and caches it', async (t) => {
  const { sendContext, requests, setNow } = platform({ status: 200 })
  await rbmAdapter.send(hello, sendContext)
  const [request] = requests
  t.match(request, { method: 'POST', url: 'https://oauth2.googleapis.com/token' })
  const form = new URLSearchParams(String(request?.body))
  t.equal(form.get('grant_type'), 'urn:ietf:params:oauth:grant-type:jwt-bearer')
  const [head, claims, signature] = form.get('assertion')!.split('.')
  t.ok(verify('sha256', Buffer.from(`${head}.${claims}`), publicKey, Buffer.from(signature!, 'base64url')))
  t.same(JSON.parse(Buffer.from(head!, 'base64url').toString()), { alg: 'RS256', typ: 'JWT' })
  const at = Date.UTC(2026, 10, 20, 12) / 1000
  t.same(JSON.parse(Buffer.from(claims!, 'base64url').toString()), {
    iss: auth.serviceAccount.client_email,
    scope: 'https://www.googleapis.com/auth/rcsbusinessmessaging',
    aud: 'https://oauth2.googleapis.com/token',
    iat: at,
    exp: at + 3600,
  })
  await rbmAdapter.send(hello, sendContext)
  t.equal(requests.filter(isToken).length, 1, 'one token does for both')
  setNow(at * 1000 + 3_598_000)
  await rbmAdapter.send(hello, sendContext)
  t.equal(requests.filter(isToken).length, 2, 'shortly before its end it is made anew')
  const serviceAccount = { ...auth.serviceAccount, client_email: 'another@harbor-desk.example' }
  await rbmAdapter.send(hello, { ...sendContext, auth: { ...auth, serviceAccount } })
  t.equal(requests.filter(isToken).length, 3, 'another account has a token of its own')
})

t.test('A message is sent under an id that is known in advance', async (t) => {
  const { sendContext, requests } = platform({ status: 200, body: 'whatever' })
  t.same(await rbmAdapter.send(hello, sendContext), { kind: 'sent', providerId: uuidFrom('msg_1.0') })
  t.same(requests[1], {
    method: 'POST',
    url: `https://rcsbusinessmessaging.googleapis.com/v1/phones/+15550100/agentMessages?messageId=${uuidFrom('msg_1.0')}&agentId=harbor_desk_agent`,
    headers: { 'content-type': 'application/json', authorization: 'Bearer ya29.token' },
    body: '{"contentMessage":{"text":"Hello"}}',
  })
})

t.test('Every message has the traffic type of the credentials, and a payload keeps its own', async (t) => {
  const typed = { ...auth, messageTrafficType: 'TRANSACTION' } as const
  const bodyOf = async (payload: RbmPayload) => {
    const { sendContext, requests } = testProvider(typed, (request) => (isToken(request) ? granted : { status: 200 }))
    await rbmAdapter.send(payload, sendContext)
    return JSON.parse(String(requests.at(-1)?.body))
  }
  const contentMessage = { text: 'Hello' }
  t.same(await bodyOf(hello), { contentMessage, messageTrafficType: 'TRANSACTION' })
  t.same(await bodyOf({ native: { contentMessage } }), { contentMessage, messageTrafficType: 'TRANSACTION' })
  const own = { contentMessage, messageTrafficType: 'PROMOTION' }
  t.same(await bodyOf({ native: own }), own)
  t.same(await bodyOf({ native: 'no object' }), 'no object')
  t.same(await bodyOf({ event: { eventType: 'IS_TYPING' } }), { eventType: 'IS_TYPING' })
})

t.test('Configured addresses replace the platform and its token endpoint', async (t) => {
  const other = rbmSamples.otherAuths![0]!
  const { sendContext, requests } = testProvider(other, (request) => (isToken(request) ? granted : { status: 200 }))
  await rbmAdapter.send(hello, { ...sendContext, auth: { ...other, apiUrl: 'http://127.0.0.1:9/rbm/' } })
  t.equal(requests[0]?.url, 'https://token.example/token')
  t.ok(
    requests[1]?.url.startsWith('http://127.0.0.1:9/rbm/v1/phones/+15550100/agentMessages?'),
    String(requests[1]?.url),
  )
})

t.test('Ids of events and of messages never collide, and are the same at every retry', async (t) => {
  const seen = new Map<string, string>()
  await fc.assert(
    fc.asyncProperty(fc.string({ minLength: 1, maxLength: 40 }), fc.boolean(), async (id, isEvent) => {
      const { sendContext, requests } = platform({ status: 200 })
      const payload: RbmPayload = isEvent ? { event: { eventType: 'IS_TYPING' } } : hello
      const outcome = await rbmAdapter.send(payload, { ...sendContext, id })
      const query = new URL(requests.at(-1)!.url).searchParams
      const uuid = query.get(isEvent ? 'eventId' : 'messageId')!
      if (outcome.kind !== 'sent' || outcome.providerId !== uuid) throw new Error('the id is not the one that was sent')
      if (!/^[0-9a-f]{8}-[0-9a-f]{4}-5[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/.test(uuid)) throw new Error(uuid)
      const name = `${isEvent} ${id}`
      if ((seen.get(uuid) ?? name) !== name) throw new Error(`${uuid} is used twice`)
      seen.set(uuid, name)
    }),
    { numRuns: 200 },
  )
  t.ok(seen.size > 50)
})

t.test('Signals are events of the phone', async (t) => {
  const { sendContext, requests } = platform({ status: 200 })
  const read = rbmAdapter.signal!('read', { address: '+15550100', messageId: 'msg_1', lastInboundId: 'MxA1' })!
  await rbmAdapter.send(read, sendContext)
  t.match(requests[1]?.url, /\/v1\/phones\/\+15550100\/agentEvents\?eventId=[0-9a-f-]{36}&agentId=harbor_desk_agent$/)
  t.equal(requests[1]?.body, '{"eventType":"READ","messageId":"MxA1"}')
})

t.test('A token that is no longer accepted is renewed once', async (t) => {
  const recovered = platform({ status: 401 }, { status: 200 })
  t.equal((await rbmAdapter.send(hello, recovered.sendContext)).kind, 'sent')
  t.equal(recovered.requests.filter(isToken).length, 2)
  const lost = platform({ status: 401, body: { error: { code: 401, status: 'UNAUTHENTICATED' } } })
  t.match(await rbmAdapter.send(hello, lost.sendContext), {
    kind: 'refused',
    retry: 'otherChannel',
    needsOperator: true,
  })
  t.equal(lost.requests.length, 4, 'two tokens, two tries')
})

t.test('Without a token no message is sent, and the reason decides who has to act', async (t) => {
  const tries: readonly [string, Scripted | NoResponse, object][] = [
    [
      'the account is not known',
      { status: 400, body: { error: 'invalid_grant' } },
      { retry: 'otherChannel', needsOperator: true },
    ],
    ['the account may not', { status: 401, body: { error: 'invalid_client' } }, { needsOperator: true }],
    ['nothing says why', { status: 401, body: {} }, { retry: 'later', needsOperator: undefined }],
    ['there is none in the answer', { status: 200, body: '<html>' }, { retry: 'later', needsOperator: undefined }],
    ['too much at once', { status: 429 }, { retry: 'later', reason: 'rateLimited' }],
    ['down', { status: 503 }, { retry: 'later' }],
    ['nobody answers', silence, { retry: 'later' }],
  ]
  for (const [name, reply, expected] of tries) {
    const { sendContext, requests } = testProvider(auth, () => reply)
    t.match(await rbmAdapter.send(hello, sendContext), { kind: 'refused', ...expected }, name)
    t.equal(requests.length, 1, `${name}: the platform is not called`)
  }
  const spoilt = { ...auth, serviceAccount: { ...auth.serviceAccount, private_key: 'no key' } }
  const { sendContext, requests } = testProvider(spoilt, () => granted)
  t.match(await rbmAdapter.send(hello, sendContext), { kind: 'refused', retry: 'otherChannel', needsOperator: true })
  t.equal(requests.length, 0)
})

t.test('Every answer of the platform has the outcome that its documents describe', async (t) => {
  for (const { name, answer, follows = answer, becomes } of rbmSamples.answers) {
    t.match(await rbmAdapter.send(hello, platform(answer, follows).sendContext), becomes, name)
  }
  t.match(await rbmAdapter.send(hello, platform(silence).sendContext), { kind: 'refused', retry: 'later' })
})

t.test('A key of more than 4,096 bits is refused, and a stored one signs nothing', async (t) => {
  const pemOf = (modulusLength: number) =>
    generateKeyPairSync('rsa', { modulusLength, publicExponent: 3 })
      .privateKey.export({ type: 'pkcs8', format: 'pem' })
      .toString()
  const withKey = (private_key: string) => ({ ...auth, serviceAccount: { ...auth.serviceAccount, private_key } })
  t.equal(rbmAdapter.validateAuth?.(withKey(pemOf(4_096))), undefined)
  const long = withKey(pemOf(4_104))
  t.match(rbmAdapter.validateAuth?.(long), { field: 'serviceAccount.private_key', message: /at most 4096 bits/ })
  const { sendContext, requests } = platform({ status: 200 })
  t.match(await rbmAdapter.send(hello, { ...sendContext, auth: long }), { kind: 'refused', needsOperator: true })
  t.same(requests, [])
})

t.test('Other work continues while an assertion is signed', async (t) => {
  const { sendContext } = platform({ status: 200 })
  let isSent = false
  const sent = rbmAdapter.send(hello, sendContext).then((outcome) => {
    isSent = true
    return outcome
  })
  for (let tick = 0; tick < 20; tick++) await new Promise((resolve) => process.nextTick(resolve))
  t.notOk(isSent, 'the signature is made in a later turn')
  t.match(await sent, { kind: 'sent' })
})

t.test('Credentials that fit the form are invalid when the key is not an RSA key', async (t) => {
  const { private_key: good } = auth.serviceAccount
  const sendWithKey = (private_key: string) =>
    rbmAdapter.validateAuth?.({ ...auth, serviceAccount: { ...auth.serviceAccount, private_key } })
  t.equal(sendWithKey(good), undefined)
  t.equal(sendWithKey(good.replaceAll('\n', '\\n')), undefined, 'copied out of the file as it is written there')
  const curve = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey
  const elliptic = curve.export({ type: 'pkcs8', format: 'pem' }).toString()
  for (const wrong of ['', 'no key', elliptic, publicKey.export({ type: 'spki', format: 'pem' }).toString()]) {
    const problem = sendWithKey(wrong)
    t.equal(problem?.field, 'serviceAccount.private_key')
    t.notOk(wrong !== '' && problem?.message.includes(wrong))
  }
})
