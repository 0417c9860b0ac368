/** A calendar behind a connection: tokens from a real provider, and the connection's status after what came of them. */
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import t from 'tap'
import { calendar as limits } from '../../../core/limits/index.js'
import { eventOf, multistatusOf } from '../../core/calendar/texts.js'
import { openConnectionFixture, returnTo } from '../connections/fixture.js'
import { agent, portOpener, show } from './fixture.js'

const fixture = await openConnectionFixture(t)
const { provider, node } = fixture
const openPort = portOpener(t, node)
const tokenPort = fixture.createTokenPort()

const taken = multistatusOf(eventOf('DTSTART:20260303T100000Z', 'DTEND:20260303T110000Z'))
const shown = ['2026-03-03T10:00 2026-03-03T11:00']
/** Statuses for the next requests whose token the provider knows, 0 for none in particular; then all is well. */
let statuses: number[] = []
const rejected = new Set<string>()
const tokens: string[] = []
const puts: string[] = []

async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk)
  const token = /^Bearer (.+)$/.exec(request.headers.authorization ?? '')?.[1] ?? ''
  tokens.push(token)
  if (rejected.has(token) || !(await provider.isGood(token))) return void response.writeHead(401).end()
  const status = statuses.shift()
  if (status) return void response.writeHead(status).end()
  if (request.method === 'PUT') puts.push(Buffer.concat(chunks).toString())
  response.writeHead(request.method === 'PUT' ? 201 : 207).end(taken)
}

const server = createServer((request, response) => void serve(request, response)).listen(0, '127.0.0.1')
await once(server, 'listening')
t.teardown(() => server.closeAllConnections())
t.teardown(() => void server.close())
const calendarUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/c/`

const [from, to] = [Date.parse('2026-03-03T00:00:00Z'), Date.parse('2026-03-04T00:00:00Z')]
const change = { kind: 'create' as const, appointmentId: 'a', start: from, durationMinutes: 30, title: 'Visit' }
let made = 0

/** A connection of its own that the agent's calendar uses. */
async function begin() {
  const id = await fixture.connect({ label: `Calendar ${++made}` })
  const port = openPort({ tokens: tokenPort })
  await port.bind({ calendarUrl, connectionId: id })
  await node.clock.advance(1)
  ;[statuses, tokens.length, puts.length] = [[], 0, 0]
  rejected.clear()
  const status = async () => (await fixture.call('GET', `/orgs/demo/connections/${id}`)).json.status
  return { id, port, status, busy: async () => show(await port.busy(agent, undefined, from, to)) }
}

t.test('R46: a calendar is reached with the token of a connection', async (t) => {
  const { port, busy, status } = await begin()
  t.same(await busy(), shown)
  t.equal(await port.write(agent, { ...change, attendeeEmail: 'bea@example.org' }, 'id'), 'done')
  t.match(puts[0]!.replace(/\r\n /g, ''), 'ORGANIZER:mailto:ada@provider.example', 'invited by the account’s owner')
  t.equal(await status(), 'connected')
})

t.test('R46: a token that the calendar rejects once is renewed, and nobody notices', async (t) => {
  const { busy, status, port } = await begin()
  await busy()
  rejected.add(tokens[0]!)
  await node.clock.advance(limits.cachedMs)
  t.same(await busy(), shown)
  t.equal(new Set(tokens).size, 2)
  t.equal(await status(), 'connected')
  t.equal((await port.log()).filter(({ event }) => event === 'connection.lost').length, 0)
})

t.test('R46: a connection that the calendar rejects for good is revoked, and agents book without it', async (t) => {
  const { id, port, busy, status } = await begin()
  statuses = Array(10).fill(401)
  t.equal(await busy(), undefined)
  t.equal(await status(), 'revoked')
  t.match(await port.log(), [{ event: 'connection.lost', data: { reason: /Connect again/ } }])
  const before = tokens.length
  t.equal(await port.write(agent, change, 'id'), 'never')
  await node.clock.advance(limits.cachedMs)
  t.equal(await busy(), undefined)
  t.equal(tokens.length, before, 'a connection that has ended is not used')
  t.equal((await port.log()).filter(({ event }) => event === 'connection.lost').length, 1, 'and the log says so once')
  const moves = await fixture.events(2, ({ data }) => data.id === id)
  t.same(moves.map(({ data }) => data.to).sort(), ['connected', 'revoked'])
  statuses = []
  await fixture.connect({ label: `Calendar ${made}` })
  await node.clock.advance(limits.cachedMs)
  t.same(await busy(), shown, 'until a person connects it again')
  t.equal(await port.write(agent, change, 'id'), 'done')
})

t.test('R46: a sign-in that the provider no longer renews is expired', async (t) => {
  const { port, busy, status } = await begin()
  await provider.clearSessions()
  await node.clock.advance(3_600_000)
  t.equal(await busy(), undefined)
  t.equal(await status(), 'expired')
  t.equal(await port.write(agent, change, 'id'), 'never')
  t.match((await port.log())[0], { event: 'connection.lost' })
})

t.test('R46: a provider or a calendar that is down sets error, and the next success sets connected', async (t) => {
  const { port, busy, status } = await begin()
  statuses = [503]
  t.equal(await port.write(agent, change, 'id'), 'later')
  t.equal(await status(), 'error')
  t.match((await port.log())[0], { event: 'scheduling.failed', data: { reason: /503/ } })
  t.equal(await port.write(agent, change, 'id'), 'done')
  t.equal(await status(), 'connected')
  await node.clock.advance(3_600_000)
  provider.mode = 'gone'
  t.equal(await port.write(agent, change, 'id'), 'later')
  t.equal(await status(), 'error')
  provider.mode = 'well'
  t.same(await busy(), shown)
  t.equal(await status(), 'connected')
})

t.test('R46: a wrong address is no fault of the connection, a missing right is', async (t) => {
  const { port, status } = await begin()
  for (const each of [404, 301, 405]) {
    statuses = [each]
    t.equal(await port.write(agent, change, 'id'), 'never')
    t.equal(await status(), 'connected', `after ${each}`)
  }
  statuses = [403]
  t.equal(await port.write(agent, change, 'id'), 'never')
  t.equal(await status(), 'error')
  statuses = []
})

t.test('A calendar that does not say its zone is read all the same', async (t) => {
  const { busy, status } = await begin()
  statuses = [0, 500]
  t.same(await busy(), shown)
  t.equal(await status(), 'connected')
})

t.test('R46: a connection that is gone is named in the log', async (t) => {
  const { id, port, busy } = await begin()
  await fixture.call('DELETE', `/orgs/demo/connections/${id}`)
  t.equal(await busy(), undefined)
  t.equal(await port.write(agent, change, 'id'), 'never')
  t.match((await port.log())[0], { event: 'connection.lost', data: { reason: /not there any more/ } })
})

t.test('R46: the tool’s own sign-in is used where the config names no connection and no password', async (t) => {
  const { port } = await begin()
  await port.bind({ calendarUrl })
  t.equal(await port.busy(agent, undefined, from, to), undefined)
  await fixture.returnToCallback(await fixture.signIn({ returnTo }))
  t.same(show(await port.busy(agent, undefined, from, to)), shown)
  statuses = [401, 401]
  t.equal(await port.write(agent, change, 'id'), 'never')
  t.match((await fixture.tool('GET', '/status')).json, { status: 'revoked' })
})
