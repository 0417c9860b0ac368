/**
 * Using sign-ins: tokens renewed in time by one at a time, and the statuses that use moves them to, at a real provider.
 */
import t from 'tap'
import { isRefusal } from '../../../core/errors.js'
import { oauth as limits } from '../../../core/limits/index.js'
import type { CallOutcome } from '../../../mgmt/connections/tokens.js'
import { waitUntil } from '../../harness/clock.js'
import { openConnectionFixture } from './fixture.js'

const lifetimeMs = 3_600_000
const good: CallOutcome<string> = { ok: true, value: 'done' }

const fixture = await openConnectionFixture(t)
let made = 0

/** A connection of its own, and the door of a process that uses it. */
async function open() {
  const label = `Desk ${++made}`
  const id = await fixture.connect({ label })
  const connectionRef = { orgId: 'demo', id }
  const read = async () => (await fixture.call('GET', `/orgs/demo/connections/${id}`)).json
  return { label, connectionRef, tokenPort: fixture.createTokenPort(), read }
}

/** What the org was told of that connection, once it was told so much. */
async function moves(id: string, count: number): Promise<unknown[]> {
  const events = await fixture.events(count, ({ data }) => data.id === id)
  return events.map(({ data: { from, to } }) => `${from} > ${to}`).sort()
}

t.test('A token with time left is used unchanged, and renewed shortly before it expires', async (t) => {
  const { connectionRef, tokenPort, read } = await open()
  const first = await tokenPort.accessToken(connectionRef)
  t.equal(await tokenPort.accessToken(connectionRef), first)
  t.ok(await fixture.provider.isGood(String(first)))
  await fixture.node.clock.advance(lifetimeMs - limits.renewBeforeMs - 1)
  t.equal(await tokenPort.accessToken(connectionRef), first, 'a moment before')
  await fixture.node.clock.advance(1)
  const second = await tokenPort.accessToken(connectionRef)
  t.not(second, first)
  t.ok(await fixture.provider.isGood(String(second)))
  t.equal((await read()).expiresAt, new Date(fixture.node.clock.now() + lifetimeMs).toISOString())
  await fixture.node.clock.advance(lifetimeMs)
  const third = await tokenPort.accessToken(connectionRef)
  t.ok(await fixture.provider.isGood(String(third)), 'again and again, though each refresh token is good once')
  t.not(third, second)
})

t.test('For any number of concurrent uses and processes a token is renewed once', async (t) => {
  const { connectionRef, tokenPort } = await open()
  const tokenPorts = [tokenPort, fixture.createTokenPort(), fixture.createTokenPort()]
  await fixture.node.clock.advance(lifetimeMs)
  const before = fixture.provider.count('/token')
  const pendingTokens = Promise.all(
    Array.from({ length: 30 }, (_, index) => tokenPorts[index % 3]!.accessToken(connectionRef)),
  )
  let isDone = false
  pendingTokens.finally(() => {
    isDone = true
  })
  // Those of the other processes look again after a while.
  await waitUntil(async () => {
    await fixture.node.clock.advance(limits.renewalPollMs)
    return isDone
  })
  const tokens = new Set(await pendingTokens)
  t.equal(tokens.size, 1)
  t.ok(await fixture.provider.isGood(String([...tokens][0])))
  t.equal(fixture.provider.count('/token'), before + 1)
})

t.test('A call records lastUsedAt of the connection, at most once a minute', async (t) => {
  const { connectionRef, tokenPort, read } = await open()
  t.equal((await read()).lastUsedAt, undefined)
  const at = new Date(fixture.node.clock.now()).toISOString()
  t.equal(await tokenPort.use(connectionRef, async () => good), 'done')
  t.equal((await read()).lastUsedAt, at)
  await fixture.node.clock.advance(limits.lastUsedEveryMs - 1)
  await tokenPort.use(connectionRef, async () => good)
  t.equal((await read()).lastUsedAt, at)
  await fixture.node.clock.advance(1)
  await tokenPort.use(connectionRef, async () => good)
  t.equal((await read()).lastUsedAt, new Date(fixture.node.clock.now()).toISOString())
})

t.test('A refresh that the provider refuses makes a connection expired, until a person reconnects it', async (t) => {
  const { label, connectionRef, tokenPort, read } = await open()
  await fixture.provider.clearSessions()
  await fixture.node.clock.advance(lifetimeMs)
  const refused = await tokenPort.accessToken(connectionRef)
  t.match(refused, { refused: 'connection.unusable' })
  t.match(await read(), { status: 'expired', lastError: /no longer renews/ })
  const calls = fixture.provider.count('/token')
  t.match(await tokenPort.accessToken(connectionRef), { refused: 'connection.unusable' })
  t.equal(fixture.provider.count('/token'), calls, 'an ended connection is not tried again')
  t.equal(await fixture.connect({ label }), connectionRef.id)
  t.match(await read(), { status: 'connected', lastError: undefined })
  t.ok(await fixture.provider.isGood(String(await tokenPort.accessToken(connectionRef))))
  t.same(await moves(connectionRef.id, 3), ['connected > expired', 'expired > connected', 'not-connected > connected'])
})

t.test('A provider that rejects the grant even after a refresh makes it revoked', async (t) => {
  const { connectionRef, tokenPort, read } = await open()
  const tokens: string[] = []
  const outcome = await tokenPort.use(connectionRef, async (token): Promise<CallOutcome<string>> => {
    tokens.push(token)
    return { ok: false, isRefused: true, lastError: 'The provider answered 401.' }
  })
  t.match(outcome, { refused: 'connection.unusable' })
  t.equal(tokens.length, 2)
  t.not(tokens[0], tokens[1], 'the second call is made with a new token')
  t.match(await read(), { status: 'revoked', lastError: /although it was just renewed/ })
  t.same(await moves(connectionRef.id, 2), ['connected > revoked', 'not-connected > connected'])
})

t.test('A token revoked early by the provider is renewed, and the call succeeds with the new one', async (t) => {
  const { connectionRef, tokenPort, read } = await open()
  const stale = await tokenPort.accessToken(connectionRef)
  const outcome = await tokenPort.use(connectionRef, async (token): Promise<CallOutcome<string>> => {
    if (token === stale) return { ok: false, isRefused: true, lastError: 'The provider answered 401.' }
    return (await fixture.provider.isGood(token)) ? good : { ok: false, isRefused: false, lastError: 'No.' }
  })
  t.equal(outcome, 'done')
  t.equal((await read()).status, 'connected')
})

t.test('A call that fails otherwise sets error with a sentence, and the next success sets connected', async (t) => {
  const { connectionRef, tokenPort, read } = await open()
  const lastError = `The calendar is full. ${'x'.repeat(1_000)}`
  const failed = await tokenPort.use(connectionRef, async () => ({ ok: false, isRefused: false, lastError }))
  t.match(failed, { refused: 'connection.call_failed' })
  const { status, lastError: reportedError } = await read()
  t.equal(status, 'error')
  t.equal(reportedError, lastError.slice(0, limits.lastErrorChars))
  t.equal(await tokenPort.use(connectionRef, async () => good), 'done')
  t.match(await read(), { status: 'connected', lastError: undefined })
  t.same(await moves(connectionRef.id, 3), ['connected > error', 'error > connected', 'not-connected > connected'])
})

t.test('An unavailable provider changes nothing while the token is valid, and sets error after that', async (t) => {
  const { connectionRef, tokenPort, read } = await open()
  const first = await tokenPort.accessToken(connectionRef)
  await fixture.node.clock.advance(lifetimeMs - 1)
  fixture.provider.mode = 'gone'
  t.equal(await tokenPort.accessToken(connectionRef), first)
  t.equal((await read()).status, 'connected')
  await fixture.node.clock.advance(1)
  t.match(await tokenPort.accessToken(connectionRef), { refused: 'connection.unusable' })
  t.match(await read(), { status: 'error', lastError: /could not be reached/ })
  fixture.provider.mode = 'unwell'
  t.match(await tokenPort.accessToken(connectionRef), { refused: 'connection.unusable' })
  fixture.provider.mode = 'well'
  t.equal(await tokenPort.use(connectionRef, async () => good), 'done', 'and it heals by itself')
  t.equal((await read()).status, 'connected')
})

t.test('A renewal whose process died is taken over after its time limit', async (t) => {
  const { connectionRef, tokenPort } = await open()
  await fixture.node.clock.advance(lifetimeMs)
  const before = fixture.provider.count('/token')
  const dying = { name: 'connections.claimRenewal' } as Parameters<typeof fixture.node.node.engine.execute>[1]
  t.equal(await fixture.node.node.engine.execute('demo', dying, { ...connectionRef, revision: 1 }), 'claimed')
  let token: unknown
  void tokenPort.accessToken(connectionRef).then((resolved) => {
    token = resolved
  })
  await fixture.node.clock.advance(limits.renewalMs / 4)
  t.equal(token, undefined, 'the others wait')
  t.equal(fixture.provider.count('/token'), before, 'and the provider is not called')
  await fixture.node.clock.advance(limits.renewalMs)
  await waitUntil(async () => {
    await fixture.node.clock.advance(limits.renewalPollMs)
    return token !== undefined
  })
  t.ok(await fixture.provider.isGood(String(token)))
})

t.test('A sign-in that ends during its renewal leaves no grant behind', async (t) => {
  const before = fixture.provider.given.length
  const { connectionRef, tokenPort } = await open()
  await fixture.node.clock.advance(lifetimeMs)
  const pendingTokens = tokenPort.accessToken(connectionRef)
  t.equal((await fixture.call('DELETE', `/orgs/demo/connections/${connectionRef.id}`)).status, 200)
  const outcome = await pendingTokens
  const mine = fixture.provider.given.slice(before)
  t.ok(mine.length >= 2)
  for (const token of mine) await waitUntil(async () => !(await fixture.provider.isGood(token)), fixture.node.clock)
  t.match(await tokenPort.accessToken(connectionRef), { refused: 'resource.not_found' })
  t.ok(isRefusal(outcome) || mine.includes(outcome), 'concurrent callers got a valid token, or none')
})

t.test('The sign-in of a tool is used in the same way, and its status shows the outcome', async (t) => {
  const connectedAt = new Date(fixture.node.clock.now()).toISOString()
  await fixture.returnToCallback(await fixture.signIn())
  const connectionRef = { orgId: 'demo', agentId: 'nova', id: '@svc/tool.calendar' }
  const tokenPort = fixture.createTokenPort()
  t.ok(await fixture.provider.isGood(String(await tokenPort.accessToken(connectionRef))))
  await tokenPort.use(connectionRef, async () => ({ ok: false, isRefused: false, lastError: 'The calendar is full.' }))
  t.strictSame((await fixture.tool('GET', '/status')).json, {
    status: 'error',
    connectedAt,
    lastError: 'The calendar is full.',
  })
  await tokenPort.use(connectionRef, async () => good)
  t.strictSame((await fixture.tool('GET', '/status')).json, { status: 'connected', connectedAt })
  await fixture.provider.clearSessions()
  await fixture.node.clock.advance(lifetimeMs)
  await tokenPort.accessToken(connectionRef)
  t.strictSame((await fixture.tool('GET', '/status')).json, { status: 'expired', connectedAt }, 'these record no error')
  const [first] = await fixture.events(4, ({ agentId }) => agentId === 'nova')
  t.match(first, {
    type: 'connection.status_changed',
    agentId: 'nova',
    data: { toolId: connectionRef.id, provider: 'calendar' },
  })
  t.match(await tokenPort.accessToken({ ...connectionRef, id: '@svc/tool.crm-record' }), {
    refused: 'resource.not_found',
  })
  const output = fixture.everythingText()
  for (const token of fixture.provider.given)
    t.notOk(output.includes(token), 'and no token is in any answer or in the log')
})
