/** Using sign-ins: tokens renewed in time by one at a time, and the statuses that use moves them to, at a real provider. */
import t from 'tap'
import { isRefusal } from '../../../core/errors.js'
import { oauth as limits } from '../../../core/limits.js'
import type { Called } from '../../../mgmt/connections/tokens.js'
import { until } from '../../harness/clock.js'
import { openConnectionDesk } from './desk.js'

const lifetimeMs = 3_600_000
const good: Called<string> = { ok: true, value: 'done' }

const desk = await openConnectionDesk(t)
let made = 0

/** A connection of its own, and the door of a process that uses it. */
async function open() {
  const label = `Desk ${++made}`
  const id = await desk.connected({ label })
  const place = { orgId: 'demo', id }
  const read = async () => (await desk.call('GET', `/orgs/demo/connections/${id}`)).json
  return { label, place, door: desk.door(), read }
}

/** What the org was told of that connection, once it was told so much. */
async function moves(id: string, count: number): Promise<unknown[]> {
  const events = await desk.events(count, ({ data }) => data.id === id)
  return events.map(({ data: { from, to } }) => `${from} > ${to}`).sort()
}

t.test('A token with time left is used as it is, and renewed when it is about to run out', async (t) => {
  const { place, door, read } = await open()
  const first = await door.accessToken(place)
  t.equal(await door.accessToken(place), first)
  t.ok(await desk.provider.isGood(String(first)))
  await desk.node.clock.advance(lifetimeMs - limits.renewBeforeMs - 1)
  t.equal(await door.accessToken(place), first, 'a moment before')
  await desk.node.clock.advance(1)
  const second = await door.accessToken(place)
  t.not(second, first)
  t.ok(await desk.provider.isGood(String(second)))
  t.equal((await read()).expiresAt, new Date(desk.node.clock.now() + lifetimeMs).toISOString())
  await desk.node.clock.advance(lifetimeMs)
  const third = await door.accessToken(place)
  t.ok(await desk.provider.isGood(String(third)), 'again and again, though each refresh token is good once')
  t.not(third, second)
})

t.test('However many want a token at once, in however many processes, it is renewed once', async (t) => {
  const { place, door } = await open()
  const doors = [door, desk.door(), desk.door()]
  await desk.node.clock.advance(lifetimeMs)
  const before = desk.provider.count('/token')
  const asked = Promise.all(Array.from({ length: 30 }, (_, index) => doors[index % 3]!.accessToken(place)))
  let isDone = false
  asked.finally(() => {
    isDone = true
  })
  // Those of the other processes look again after a while.
  await until(async () => {
    await desk.node.clock.advance(limits.renewalLookMs)
    return isDone
  })
  const tokens = new Set(await asked)
  t.equal(tokens.size, 1)
  t.ok(await desk.provider.isGood(String([...tokens][0])))
  t.equal(desk.provider.count('/token'), before + 1)
})

t.test('A call puts on record when the connection was last used, at most once a minute', async (t) => {
  const { place, door, read } = await open()
  t.equal((await read()).lastUsedAt, undefined)
  const at = new Date(desk.node.clock.now()).toISOString()
  t.equal(await door.use(place, async () => good), 'done')
  t.equal((await read()).lastUsedAt, at)
  await desk.node.clock.advance(limits.lastUsedEveryMs - 1)
  await door.use(place, async () => good)
  t.equal((await read()).lastUsedAt, at)
  await desk.node.clock.advance(1)
  await door.use(place, async () => good)
  t.equal((await read()).lastUsedAt, new Date(desk.node.clock.now()).toISOString())
})

t.test(
  'A refresh that the provider refuses makes a connection expired, until a person connects it again',
  async (t) => {
    const { label, place, door, read } = await open()
    await desk.provider.forgetEverybody()
    await desk.node.clock.advance(lifetimeMs)
    const refused = await door.accessToken(place)
    t.match(refused, { refused: 'connection.unusable' })
    t.match(await read(), { status: 'expired', lastError: /no longer renews/ })
    const calls = desk.provider.count('/token')
    t.match(await door.accessToken(place), { refused: 'connection.unusable' })
    t.equal(desk.provider.count('/token'), calls, 'what has ended is not tried again')
    t.equal(await desk.connected({ label }), place.id)
    t.match(await read(), { status: 'connected', lastError: undefined })
    t.ok(await desk.provider.isGood(String(await door.accessToken(place))))
    t.same(await moves(place.id, 3), ['connected > expired', 'expired > connected', 'not-connected > connected'])
  },
)

t.test('A provider that rejects the grant even after a refresh makes it revoked', async (t) => {
  const { place, door, read } = await open()
  const tokens: string[] = []
  const outcome = await door.use(place, async (token): Promise<Called<string>> => {
    tokens.push(token)
    return { ok: false, isRefused: true, lastError: 'The provider answered 401.' }
  })
  t.match(outcome, { refused: 'connection.unusable' })
  t.equal(tokens.length, 2)
  t.not(tokens[0], tokens[1], 'the second call is made with a new token')
  t.match(await read(), { status: 'revoked', lastError: /although it was just renewed/ })
  t.same(await moves(place.id, 2), ['connected > revoked', 'not-connected > connected'])
})

t.test('A token that the provider took back early is renewed, and the call succeeds with the new one', async (t) => {
  const { place, door, read } = await open()
  const stale = await door.accessToken(place)
  const outcome = await door.use(place, async (token): Promise<Called<string>> => {
    if (token === stale) return { ok: false, isRefused: true, lastError: 'The provider answered 401.' }
    return (await desk.provider.isGood(token)) ? good : { ok: false, isRefused: false, lastError: 'No.' }
  })
  t.equal(outcome, 'done')
  t.equal((await read()).status, 'connected')
})

t.test(
  'A call that fails for another reason makes it error with a sentence, and the next good one connected',
  async (t) => {
    const { place, door, read } = await open()
    const lastError = `The calendar is full. ${'x'.repeat(1_000)}`
    const failed = await door.use(place, async () => ({ ok: false, isRefused: false, lastError }))
    t.match(failed, { refused: 'connection.call_failed' })
    const { status, lastError: shown } = await read()
    t.equal(status, 'error')
    t.equal(shown, lastError.slice(0, limits.lastErrorChars))
    t.equal(await door.use(place, async () => good), 'done')
    t.match(await read(), { status: 'connected', lastError: undefined })
    t.same(await moves(place.id, 3), ['connected > error', 'error > connected', 'not-connected > connected'])
  },
)

t.test('A provider that is down changes nothing while the token lasts, and makes it error after that', async (t) => {
  const { place, door, read } = await open()
  const first = await door.accessToken(place)
  await desk.node.clock.advance(lifetimeMs - 1)
  desk.provider.mood = 'gone'
  t.equal(await door.accessToken(place), first)
  t.equal((await read()).status, 'connected')
  await desk.node.clock.advance(1)
  t.match(await door.accessToken(place), { refused: 'connection.unusable' })
  t.match(await read(), { status: 'error', lastError: /could not be reached/ })
  desk.provider.mood = 'unwell'
  t.match(await door.accessToken(place), { refused: 'connection.unusable' })
  desk.provider.mood = 'well'
  t.equal(await door.use(place, async () => good), 'done', 'and it heals by itself')
  t.equal((await read()).status, 'connected')
})

t.test('A renewal whose process died is taken over when its time is up', async (t) => {
  const { place, door } = await open()
  await desk.node.clock.advance(lifetimeMs)
  const before = desk.provider.count('/token')
  const dying = { name: 'connections.claim' } as Parameters<typeof desk.node.node.engine.ask>[1]
  t.equal(await desk.node.node.engine.ask('demo', dying, { ...place, revision: 1 }), 'yours')
  let token: unknown
  void door.accessToken(place).then((found) => {
    token = found
  })
  await desk.node.clock.advance(limits.renewalMs / 4)
  t.equal(token, undefined, 'the others wait')
  t.equal(desk.provider.count('/token'), before, 'and nobody asks the provider')
  await desk.node.clock.advance(limits.renewalMs)
  await until(async () => {
    await desk.node.clock.advance(limits.renewalLookMs)
    return token !== undefined
  })
  t.ok(await desk.provider.isGood(String(token)))
})

t.test('A sign-in that is ended while it is being renewed leaves no grant behind', async (t) => {
  const before = desk.provider.given.length
  const { place, door } = await open()
  await desk.node.clock.advance(lifetimeMs)
  const asked = door.accessToken(place)
  t.equal((await desk.call('DELETE', `/orgs/demo/connections/${place.id}`)).status, 200)
  const outcome = await asked
  const mine = desk.provider.given.slice(before)
  t.ok(mine.length >= 2)
  for (const token of mine) await until(async () => !(await desk.provider.isGood(token)), desk.node.clock)
  t.match(await door.accessToken(place), { refused: 'resource.not_found' })
  t.ok(isRefusal(outcome) || mine.includes(outcome), 'whoever asked meanwhile got one that was good, or none')
})

t.test('The sign-in of a tool is used in the same way, and its status tells what came of it', async (t) => {
  const connectedAt = new Date(desk.node.clock.now()).toISOString()
  await desk.back(await desk.signedIn())
  const place = { orgId: 'demo', agentId: 'nova', id: '@svc/tool.calendar' }
  const door = desk.door()
  t.ok(await desk.provider.isGood(String(await door.accessToken(place))))
  await door.use(place, async () => ({ ok: false, isRefused: false, lastError: 'The calendar is full.' }))
  t.strictSame((await desk.tool('GET', '/status')).json, {
    status: 'error',
    connectedAt,
    lastError: 'The calendar is full.',
  })
  await door.use(place, async () => good)
  t.strictSame((await desk.tool('GET', '/status')).json, { status: 'connected', connectedAt })
  await desk.provider.forgetEverybody()
  await desk.node.clock.advance(lifetimeMs)
  await door.accessToken(place)
  t.strictSame(
    (await desk.tool('GET', '/status')).json,
    { status: 'expired', connectedAt },
    'no error is told of these',
  )
  const [first] = await desk.events(4, ({ agentId }) => agentId === 'nova')
  t.match(first, {
    type: 'connection.status_changed',
    agentId: 'nova',
    data: { toolId: place.id, provider: 'calendar' },
  })
  t.match(await door.accessToken({ ...place, id: '@svc/tool.crm-record' }), { refused: 'resource.not_found' })
  const said = desk.said()
  for (const token of desk.provider.given) t.notOk(said.includes(token), 'and no token is in any answer or in the log')
})
