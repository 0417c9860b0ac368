/**
 * Signing in at a real provider, for a tool of an agent and for the org, and every way in which it does not come about.
 */
import t from 'tap'
import { oauth as limits } from '../../../core/limits/index.js'
import { flushPending } from '../../harness/clock.js'
import { openConnectionFixture, returnTo } from './fixture.js'

const fixture = await openConnectionFixture(t)
const { provider, node } = fixture

/** Where a browser was sent, told apart into address and outcome. */
function sentTo(location: string | undefined): [string, Record<string, string>] {
  const url = new URL(location ?? 'none:')
  const outcome = Object.fromEntries([...url.searchParams].filter(([name]) => name !== 'tab'))
  return [`${url.origin}${url.pathname}?tab=${url.searchParams.get('tab')}`, outcome]
}

t.test('A sign-in for a tool ends at returnTo with exactly its outcome, and the tool is connected', async (t) => {
  t.strictSame((await fixture.tool('GET', '/status')).json, { status: 'not-connected' })
  const back = await fixture.returnToCallback(await fixture.signIn({ returnTo }))
  t.equal(back.status, 302)
  t.strictSame(sentTo(back.headers.location), [returnTo, { oauthStatus: 'success', toolId: '@svc/tool.calendar' }])
  t.match(back.headers, { 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' })
  const status = (await fixture.tool('GET', '/status')).json
  t.strictSame(status, { status: 'connected', connectedAt: new Date(node.clock.now()).toISOString() })
})

t.test('A sign-in for the org creates a connection, whose tokens are never shown', async (t) => {
  t.strictSame((await fixture.call('GET', '/orgs/demo/connections')).json, { data: [] })
  const back = await fixture.returnToCallback(await fixture.signInOrg({ label: 'Front desk', returnTo }))
  const [address, outcome] = sentTo(back.headers.location)
  t.equal(address, returnTo)
  const { data } = (await fixture.call('GET', '/orgs/demo/connections')).json
  t.strictSame(outcome, { oauthStatus: 'success', connectionId: data[0].id })
  t.strictSame(data, [
    {
      id: outcome.connectionId,
      provider: 'calendar',
      label: 'Front desk',
      accountLabel: 'ada@provider.example',
      status: 'connected',
      expiresAt: new Date(node.clock.now() + 3_600_000).toISOString(),
      usedBy: [],
    },
  ])
  t.strictSame((await fixture.call('GET', `/orgs/demo/connections/${outcome.connectionId}`)).json, data[0])
  t.equal((await fixture.call('GET', '/orgs/demo/connections/conn_none')).json.code, 'resource.not_found')
})

t.test('Several accounts of a provider are distinguished by label, and a reconnected one keeps its id', async (t) => {
  const first = await fixture.connect({ label: 'Sales' })
  const second = await fixture.connect({}, 'grace')
  const repeated = await fixture.connect({ label: 'Sales' }, 'grace')
  t.not(first, second)
  t.equal(repeated, first)
  const read = async (id: string) => (await fixture.call('GET', `/orgs/demo/connections/${id}`)).json
  t.match(await read(first), { label: 'Sales', accountLabel: 'grace@provider.example' })
  t.match(await read(second), { label: 'grace@provider.example' }, 'the account is the label when none is given')
})

t.test('A state is valid once: a second use is reported as such, and the first result stays', async (t) => {
  const url = await fixture.signIn({ returnTo })
  const calls = provider.count('/token')
  t.equal((await fixture.returnToCallback(url)).status, 302)
  const second = await fixture.returnToCallback(url)
  t.equal(second.status, 400)
  t.match(second.text, /has been used already/)
  t.equal(second.headers.location, undefined)
  t.equal(provider.count('/token'), calls + 1)
  t.equal((await fixture.tool('GET', '/status')).json.status, 'connected')
})

t.test('A HEAD request for a callback spends nothing, and the sign-in continues', async (t) => {
  const url = await fixture.signIn({ returnTo })
  const calls = provider.count('/token')
  const looked = await node.mgmt('HEAD', `${url.pathname}${url.search}`)
  t.equal(looked.status, 200)
  t.match(looked.headers, { 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' })
  t.equal(provider.count('/token'), calls)
  t.equal((await fixture.returnToCallback(url)).status, 302)
})

t.test('Of many concurrent callbacks with one state exactly one succeeds', async (t) => {
  const url = await fixture.signInOrg({ label: 'Raced', returnTo })
  const calls = provider.count('/token')
  const all = await Promise.all(Array.from({ length: 10 }, () => fixture.returnToCallback(url)))
  t.same(all.map(({ status }) => status).sort(), [302, ...Array(9).fill(400)])
  t.equal(provider.count('/token'), calls + 1, 'and the provider is called once')
  const { data } = (await fixture.call('GET', '/orgs/demo/connections')).json
  t.equal(data.filter(({ label }: { label: string }) => label === 'Raced').length, 1)
})

t.test('A state expires after ten minutes', async (t) => {
  t.equal(limits.stateMs, 600_000)
  const late = await fixture.signIn({ returnTo })
  const url = await fixture.signIn({ returnTo })
  await node.clock.advance(limits.stateMs - 1)
  t.equal((await fixture.returnToCallback(url)).status, 302, 'the last moment is in time')
  await node.clock.advance(1)
  const calls = provider.count('/token')
  const answer = await fixture.returnToCallback(late)
  t.equal(answer.status, 400)
  t.match(answer.text, /took too long/)
  t.equal(provider.count('/token'), calls)
})

t.test('A forged, truncated, repeated or missing state is refused', async (t) => {
  const url = await fixture.signIn({ returnTo })
  const calls = provider.count('/token')
  const state = url.searchParams.get('state')!
  const flipped = (at: number) => state.slice(0, at) + (state[at] === 'A' ? 'B' : 'A') + state.slice(at + 1)
  const forged = [
    '',
    'x',
    state.slice(0, -4),
    `${state}AAAA`,
    ...[0, 12, 40, 60, state.length - 8].map(flipped),
    'A'.repeat(5_000),
    Buffer.from(JSON.stringify(['x', 'demo', 'nova'])).toString('base64url'),
  ]
  for (const each of forged) {
    const answer = await fixture.returnToCallback(new URL(`?state=${each}&code=abc`, url))
    t.equal(answer.status, 400, each.slice(0, 20))
    t.match(answer.headers['content-type'], /^text\/html/)
  }
  for (const query of ['', 'code=abc', `state=${state}&state=${state}&code=abc`, `state=${state}&code=a&code=b`]) {
    t.equal((await fixture.returnToCallback(new URL(`?${query}`, url))).status, 400, query.slice(0, 20))
  }
  t.equal(provider.count('/token'), calls, 'and no provider is called')
  t.equal((await fixture.returnToCallback(url)).status, 302, 'while the true one is still good')
})

t.test('A state reveals no org, agent or tool to a provider', async (t) => {
  const { authorizationUrl } = (await fixture.tool('POST', '/start', { returnTo })).json
  const url = new URL(authorizationUrl)
  const state = url.searchParams.get('state')!
  const bytes = Buffer.from(state, 'base64url').toString('latin1')
  for (const word of ['demo', 'nova', 'calendar', 'console']) t.notOk(bytes.includes(word), word)
  t.equal(url.searchParams.get('code_challenge_method'), 'S256')
  t.match(url.searchParams.get('code_challenge'), /^[\w-]{43}$/)
  t.equal(url.searchParams.get('redirect_uri'), 'http://mgmt.test/v1/oauth/callback')
  t.equal(url.searchParams.get('prompt'), 'consent', 'the operator’s parameters are requested')
  const other = new URL((await fixture.tool('POST', '/start')).json.authorizationUrl)
  t.not(other.searchParams.get('state'), state)
  t.not(other.searchParams.get('code_challenge'), url.searchParams.get('code_challenge'))
})

t.test('A person who declines gets that outcome, and the previous sign-in stays', async (t) => {
  const before = (await fixture.tool('GET', '/status')).json
  const url = await fixture.signIn({ returnTo }, 'ada', false)
  const answer = await fixture.returnToCallback(url)
  t.strictSame(sentTo(answer.headers.location), [returnTo, { oauthStatus: 'error', reason: 'access_denied' }])
  t.strictSame((await fixture.tool('GET', '/status')).json, before)
  t.equal((await fixture.returnToCallback(url)).status, 400, 'and the state is spent')
  const page = await fixture.returnToCallback(await fixture.signIn({}, 'ada', false))
  t.equal(page.status, 200)
  t.match(page.text, /declined/)
  t.notMatch(page.text, /thanks/, 'the provider’s own words are not shown')
})

t.test('An error beside a code is an error, and an unknown error stays out of the return address', async (t) => {
  const url = await fixture.signIn({ returnTo })
  const calls = provider.count('/token')
  url.searchParams.set('error', '"><script>alert(1)</script>')
  const answer = await fixture.returnToCallback(url)
  t.strictSame(sentTo(answer.headers.location)[1], { oauthStatus: 'error', reason: 'provider_error' })
  t.equal(provider.count('/token'), calls)
})

t.test('A code that the provider refuses, or another provider’s response, connects nothing', async (t) => {
  const wrongCode = await fixture.signInOrg({ label: 'Never', returnTo })
  wrongCode.searchParams.set('code', 'not-a-code')
  const answer = await fixture.returnToCallback(wrongCode)
  t.strictSame(sentTo(answer.headers.location)[1], { oauthStatus: 'error', reason: 'exchange_failed' })
  const mixedUp = await fixture.signInOrg({ label: 'Never', returnTo })
  mixedUp.searchParams.set('iss', 'https://evil.example')
  t.match((await fixture.returnToCallback(mixedUp)).headers.location, /reason=exchange_failed/)
  const swapped = await fixture.signInOrg({ label: 'Never', returnTo })
  const other = await fixture.signInOrg({ label: 'Never', returnTo })
  swapped.searchParams.set('code', other.searchParams.get('code')!)
  t.match(
    (await fixture.returnToCallback(swapped)).headers.location,
    /reason=exchange_failed/,
    'a code of another sign-in',
  )
  const { data } = (await fixture.call('GET', '/orgs/demo/connections')).json
  t.notOk(data.some(({ label }: { label: string }) => label === 'Never'))
})

t.test('An unavailable provider ends the sign-in with a reason and no partial record', async (t) => {
  for (const mood of ['gone', 'unwell'] as const) {
    const url = await fixture.signInOrg({ label: 'Down', returnTo })
    provider.mode = mood
    const answer = await fixture.returnToCallback(url)
    provider.mode = 'well'
    t.strictSame(sentTo(answer.headers.location)[1], { oauthStatus: 'error', reason: 'provider_unavailable' }, mood)
  }
  const { data } = (await fixture.call('GET', '/orgs/demo/connections')).json
  t.notOk(data.some(({ label }: { label: string }) => label === 'Down'))
})

t.test('Without a listed returnTo the browser gets a page without scripts', async (t) => {
  const page = await fixture.returnToCallback(await fixture.signIn({ returnTo: 'https://evil.example/' }))
  t.equal(page.status, 200)
  t.equal(page.headers.location, undefined)
  t.match(page.headers['content-type'], /^text\/html/)
  const policy = page.headers['content-security-policy']!
  t.match(policy, /^default-src 'none';/)
  t.match(policy, /frame-ancestors 'none'/)
  t.notMatch(policy, /unsafe|script-src/)
  t.match(page.headers, { 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' })
  t.notMatch(page.text, /<script|evil|http/i)
  t.match((await fixture.returnToCallback(await fixture.signIn())).text, /complete/, 'nor without any')
})

t.test('A tool without sign-in, a missing agent and a provider that is not configured are each reported', async (t) => {
  const none = await fixture.call('POST', '/orgs/demo/agents/nova/tools/%40svc%2Ftool.mail/oauth/start', {})
  t.match([none.status, none.json.code], [404, 'tool.not_found'])
  for (const [method, end] of [
    ['POST', 'start'],
    ['GET', 'status'],
    ['POST', 'disconnect'],
  ] as const) {
    const path = `/orgs/demo/agents/nobody/tools/%40svc%2Ftool.calendar/oauth/${end}`
    t.equal((await fixture.call(method, path, method === 'POST' && end === 'start' ? {} : undefined)).status, 404, end)
  }
  const crm = await fixture.call('POST', '/orgs/demo/agents/nova/tools/%40svc%2Ftool.crm-record/oauth/start', {})
  t.match([crm.status, crm.json.code], [409, 'connection.provider_not_configured'])
  t.match(crm.json.detail, /crm/)
  const unknown = await fixture.call('POST', '/orgs/demo/connections/pigeons/_start')
  t.match([unknown.status, unknown.json.code], [409, 'connection.provider_not_configured'])
  t.match(unknown.json.detail, /pigeons/)
  const wrong = await fixture.call('POST', '/orgs/demo/connections/calendar/_start', { label: '', returnTo: 7 })
  t.equal(wrong.status, 422)
  t.same(wrong.json.errors.map(({ field }: { field: string }) => field).sort(), ['label', 'returnTo'])
})

t.test('Another org cannot see a connection', async (t) => {
  const id = await fixture.connect({ label: 'Ours' })
  await node.makeOrg('rival')
  const token = await node.createKey(['agents:write', 'org:admin'], 'rival')
  t.same((await fixture.call('GET', '/orgs/rival/connections', undefined, token)).json, { data: [] })
  for (const method of ['GET', 'DELETE']) {
    t.equal((await fixture.call(method, `/orgs/rival/connections/${id}`, undefined, token)).status, 404)
    t.equal((await fixture.call(method, `/orgs/demo/connections/${id}`, undefined, token)).status, 404)
  }
  t.equal((await fixture.call('GET', `/orgs/demo/connections/${id}`)).json.status, 'connected')
})

t.test('Pending sign-ins beyond the limit end the oldest', async (t) => {
  const oldest = await fixture.signIn({ returnTo })
  await node.clock.advance(1)
  for (let begun = 0; begun < limits.pendingPerOwner; begun++) await fixture.tool('POST', '/start', {})
  t.equal((await fixture.returnToCallback(oldest)).status, 400)
  t.equal((await fixture.returnToCallback(await fixture.signIn({ returnTo }))).status, 302)
})

t.test('No token and no secret of the operator is in any reply or in the log', async (t) => {
  await flushPending()
  const output = fixture.everythingText()
  t.ok(provider.given.length > 10, 'tokens were given out at all')
  for (const token of provider.given) t.notOk(output.includes(token))
  t.notOk(output.includes('client-secret-of-the-operator'))
})
