/** What is said to a provider and understood of it, by a provider that answers whatever a test tells it to. */
import { hash } from 'node:crypto'
import t, { type Test } from 'tap'
import { oauth as limits } from '../../../core/limits/index.js'
import { createOAuthClient } from '../../../runtime/oauth/client.js'
import { openProviderHttpClient } from '../../../runtime/oauth/httpclient.js'
import type { Provider } from '../../../runtime/oauth/providers.js'
import { type Behavior, openReceiver } from '../../harness/receiver.js'

const now = Date.parse('2026-03-01T12:00:00Z')
const verifier = 'v'.repeat(43)

function json(status: number, body: unknown): Behavior {
  return (response) => void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}

async function open(t: Test, providerFields: Partial<Provider> = {}, allowPrivate = true) {
  const server = await openReceiver(t)
  const provider: Provider = {
    authorizationEndpoint: server.url('/authorize'),
    tokenEndpoint: server.url('/token'),
    revocationEndpoint: server.url('/revoke'),
    clientId: 'parley',
    clientSecret: 'keep it',
    scopes: ['read', 'write'],
    ...providerFields,
  }
  const reach = openProviderHttpClient({ allowPrivate })
  t.teardown(reach.close)
  const client = createOAuthClient({
    allowPrivate,
    providers: new Map([['crm', provider]]),
    httpClient: reach,
    redirectUri: () => 'http://mgmt.test/v1/oauth/callback',
    clock: { now: () => now },
  })
  const requestsTo = (path: string) =>
    server.at(path).map(({ body }) => Object.fromEntries(new URLSearchParams(String(body))))
  const exchange = () => client.exchange('crm', 'code=c&state=s&iss=whoever', 's', verifier)
  return { server, client, requestsTo, exchange }
}

t.test('An authorization request has PKCE, its scopes and the operator’s parameters', async (t) => {
  const { client } = await open(t, { authorizationParameters: { access_type: 'offline' } })
  const url = new URL(String(await client.authorizationUrl('crm', 's', verifier)))
  t.strictSame(Object.fromEntries(url.searchParams), {
    access_type: 'offline',
    client_id: 'parley',
    response_type: 'code',
    redirect_uri: 'http://mgmt.test/v1/oauth/callback',
    scope: 'read write',
    state: 's',
    code_challenge: hash('sha256', verifier, 'base64url'),
    code_challenge_method: 'S256',
  })
})

t.test('A code is exchanged with its verifier, and the returned tokens are read', async (t) => {
  const { server, requestsTo, exchange } = await open(t, { accountLabelClaim: 'team_name' })
  const team_name = `Har\u202ebor\n${'x'.repeat(500)}`
  const body = { access_token: 'at', refresh_token: 'rt', token_type: 'bearer', expires_in: 60, team_name }
  server.setBehavior('/token', json(200, body))
  const granted = await exchange()
  t.match(granted, { ok: true, tokens: { accessToken: 'at', refreshToken: 'rt', expiresAt: now + 60_000 } })
  const label = (granted as { accountLabel: string }).accountLabel
  t.match(label, /^Harborx+$/, 'no label can change the text around it')
  t.equal(label.length, limits.accountLabelChars)
  t.match(requestsTo('/token'), [
    {
      grant_type: 'authorization_code',
      code: 'c',
      code_verifier: verifier,
      client_id: 'parley',
      client_secret: 'keep it',
      redirect_uri: 'http://mgmt.test/v1/oauth/callback',
    },
  ])
})

t.test('A label is never a token, whatever the file configures', async (t) => {
  for (const accountLabelClaim of ['access_token', 'refresh_token', 'clientSecret', 'constructor']) {
    const { server, exchange } = await open(t, { accountLabelClaim })
    server.setBehavior('/token', json(200, { access_token: 'at', refresh_token: 'rt', token_type: 'bearer' }))
    t.strictSame(await exchange(), { ok: true, tokens: { accessToken: 'at', refreshToken: 'rt' } })
  }
})

t.test('The secret is sent in the body, or in a header if the file or the provider requires it', async (t) => {
  const basic = `Basic ${Buffer.from('parley:keep+it').toString('base64')}`
  const header = await open(t, { clientAuthentication: 'client_secret_basic' })
  header.server.setBehavior('/token', json(200, { access_token: 'at', token_type: 'bearer' }))
  await header.exchange()
  t.equal(header.server.at('/token')[0]?.headers.authorization, basic)
  t.equal(header.requestsTo('/token')[0]?.client_secret, undefined)
  const bare = await open(t, { clientSecret: undefined })
  bare.server.setBehavior('/token', json(200, { access_token: 'at', token_type: 'bearer' }))
  await bare.exchange()
  t.match(
    bare.requestsTo('/token')[0],
    { client_id: 'parley', client_secret: undefined },
    'a public client has no secret',
  )
})

t.test('A provider is discovered by its issuer once an hour, and unsupported parameters are not sent', async (t) => {
  const server = await openReceiver(t)
  const issuer = server.url('')
  const providerFields = {
    issuer,
    authorization_endpoint: server.url('/authorize'),
    token_endpoint: server.url('/token'),
    token_endpoint_auth_methods_supported: ['client_secret_basic'],
  }
  server.setBehavior('/.well-known/openid-configuration', (response, nth) =>
    nth === 1 ? json(503, {})(response, nth) : json(200, providerFields)(response, nth),
  )
  server.setBehavior('/token', json(200, { access_token: 'at', token_type: 'bearer' }))
  const reach = openProviderHttpClient({ allowPrivate: true })
  t.teardown(reach.close)
  let at = now
  const client = createOAuthClient({
    allowPrivate: true,
    providers: new Map([['crm', { issuer, clientId: 'parley', clientSecret: 'x', scopes: [] }]]),
    httpClient: reach,
    redirectUri: () => 'http://mgmt.test/v1/oauth/callback',
    clock: { now: () => at },
  })
  const countDiscoveries = () => server.at('/.well-known/openid-configuration').length
  t.strictSame(await client.authorizationUrl('crm', 's', verifier), { ok: false, reason: 'unreachable' })
  t.match(await client.authorizationUrl('crm', 's', verifier), /^http/, 'one that failed is looked for again')
  await client.authorizationUrl('crm', 's', verifier)
  t.equal(countDiscoveries(), 2)
  t.match(await client.exchange('crm', 'code=c&state=s', 's', verifier), { ok: true })
  t.match(server.at('/token')[0]?.headers.authorization, /^Basic /)
  t.strictSame(await client.revoke('crm', { accessToken: 'at' }), { ok: true }, 'no way to take it back is no trouble')
  at += limits.discoveryMs
  await client.authorizationUrl('crm', 's', verifier)
  t.equal(countDiscoveries(), 3)
})

t.test('A renewal keeps the refresh token unless it gets a new one', async (t) => {
  const { server, client, requestsTo } = await open(t)
  server.setBehavior('/token', (response, nth) =>
    json(200, { access_token: `at${nth}`, token_type: 'bearer', ...(nth > 1 && { refresh_token: 'rt2' }) })(
      response,
      nth,
    ),
  )
  t.strictSame(await client.refresh('crm', 'rt1'), { ok: true, tokens: { refreshToken: 'rt1', accessToken: 'at1' } })
  t.strictSame(await client.refresh('crm', 'rt1'), { ok: true, tokens: { refreshToken: 'rt2', accessToken: 'at2' } })
  t.match(requestsTo('/token')[0], { grant_type: 'refresh_token', refresh_token: 'rt1' })
})

const huge = 'x'.repeat(limits.answerBytes + 1)
const answers: readonly (readonly [string, Behavior, string])[] = [
  ['a grant that is not good', json(400, { error: 'invalid_grant', error_description: 'at' }), 'refused'],
  ['a client that is not known', json(401, { error: 'invalid_client' }), 'failed'],
  ['nonsense', json(200, { hello: 1 }), 'failed'],
  ['something that is no JSON', (response) => void response.end('<html>'), 'failed'],
  ['a redirect', (response) => void response.writeHead(302, { location: '/else' }).end(), 'failed'],
  ['an error of its own', json(500, { error: 'server_error' }), 'unreachable'],
  ['a page in a bad hour', (response) => void response.writeHead(502).end('<html>'), 'unreachable'],
  ['too many calls', json(429, {}), 'unreachable'],
  ['nothing', (response) => void response.destroy(), 'unreachable'],
  ['more than is read', json(200, { access_token: huge, token_type: 'bearer' }), 'unreachable'],
]

t.test('Any response of a provider becomes one of a few outcomes', async (t) => {
  for (const [name, behave, why] of answers) {
    const { server, client, exchange } = await open(t)
    server.setBehavior('/token', behave)
    t.strictSame(await exchange(), { ok: false, reason: why }, name)
    t.strictSame(await client.refresh('crm', 'rt'), { ok: false, reason: why }, name)
  }
  const { client } = await open(t)
  t.strictSame(await client.refresh('none', 'rt'), { ok: false, reason: 'unknown-provider' })
})

t.test('A grant is revoked by its refresh token, or by the access token if it has none', async (t) => {
  const { server, client, requestsTo } = await open(t)
  t.strictSame(await client.revoke('crm', { accessToken: 'at', refreshToken: 'rt' }), { ok: true })
  t.strictSame(await client.revoke('crm', { accessToken: 'at' }), { ok: true })
  t.match(requestsTo('/revoke'), [
    { token: 'rt', token_type_hint: 'refresh_token' },
    { token: 'at', token_type_hint: 'access_token' },
  ])
  server.setBehavior('/revoke', (response) => void response.writeHead(503).end())
  t.strictSame(await client.revoke('crm', { accessToken: 'at' }), { ok: false, reason: 'unreachable' })
})

t.test('A provider on a private address is not called unless private URLs are allowed', async (t) => {
  const { server, exchange } = await open(t, {}, false)
  t.match(await exchange(), { ok: false })
  t.equal(server.at('/token').length, 0)
  const reach = openProviderHttpClient({ allowPrivate: false })
  t.teardown(reach.close)
  await t.rejects(reach.call('https://127.0.0.1/token', { method: 'POST', headers: {} }), { name: 'Unreachable' })
  await t.rejects(reach.call('https://localhost/token', { method: 'POST', headers: {} }), { name: 'Unreachable' })
})
