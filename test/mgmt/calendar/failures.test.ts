/** A calendar that does not work: bookings go on without it, and the agent's log says why. */
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import t from 'tap'
import { day } from '../../../core/durations.js'
import { calendar as limits } from '../../../core/limits/index.js'
import { eventOf, multistatusOf } from '../../core/calendar/texts.js'
import { openTestNode } from '../../harness/node.js'
import { agent, portOpener, show, toolContext } from './fixture.js'

type Behavior = (request: IncomingMessage, response: ServerResponse) => void

/** A calendar's server that does as it is set. */
let behavior: Behavior = () => {}
const received: string[] = []
const server = createServer((request, response) => {
  request.resume().on('end', () => {
    received.push(request.method!)
    behavior(request, response)
  })
}).listen(0, '127.0.0.1')
await once(server, 'listening')
t.teardown(() => server.closeAllConnections())
t.teardown(() => void server.close())
const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/calendar`

const node = await openTestNode()
t.teardown(() => node.close())
await node.mgmt('POST', '/v1/orgs/demo/agents', { token: node.key, json: { name: 'Nova', id: 'nova' } })
const openPort = portOpener(t, node)

const [from, to] = [Date.parse('2026-03-02T08:00:00Z'), Date.parse('2026-03-04T08:00:00Z')]
const change = { appointmentId: 'appt_1', start: from, durationMinutes: 30, title: 'Visit' }
const create = { ...change, kind: 'create' as const }
const config = { calendarUrl: url, username: 'ada', password: 'right' }
const answer = (status: number, body: string | Buffer = '', headers = {}): Behavior => {
  return (_request, response) => void response.writeHead(status, headers).end(body)
}
const free = answer(207, multistatusOf())

async function begin(how: Behavior, more: object = {}) {
  behavior = how
  received.length = 0
  const port = openPort({ limits: { totalMs: 400, headersMs: 400 } })
  await port.bind({ ...config, ...more })
  // The newest line of the log is then one of this test.
  await node.clock.advance(1)
  return { port, busy: () => port.busy(agent, undefined, from, to) }
}

t.test('R46: an agent without a calendar has no busy times, and nothing to write', async (t) => {
  const { port, busy } = await begin(free)
  const path = '/v1/orgs/demo/agents/nova/tool-bindings/%40svc%2Ftool.calendar'
  const incomplete = [
    { username: 'ada', password: 'right' },
    { calendarUrl: url },
    { calendarUrl: url, username: 'ada' },
  ]
  const none = async (why: string) => {
    t.equal(await busy(), undefined, why)
    t.equal(await port.write(agent, create, 'id'), 'done', why)
    const { outcome } = await port.callTool({ action: 'remove', eventId: 'a'.repeat(40) }, 'c')
    t.same(outcome, { state: 'refused', reason: 'The agent has no calendar.' }, why)
  }
  await node.mgmt('POST', `${path}/_disable`, { token: node.key })
  await none('switched off')
  for (const each of incomplete) {
    await node.mgmt('DELETE', path, { token: node.key })
    await port.bind(each)
    await none(JSON.stringify(each))
  }
  await node.mgmt('DELETE', path, { token: node.key })
  await none('not set up')
  t.equal(await port.busy({ orgId: 'demo', agentId: 'nobody' }, undefined, from, to), undefined)
  t.same(received, [])
})

t.test('R46: a wrong password is not tried again for a write, and the log says it once', async (t) => {
  const { port, busy } = await begin(({ headers }, response) => {
    const isRight = headers.authorization === `Basic ${Buffer.from('ada:right').toString('base64')}`
    response.writeHead(isRight ? 207 : 401).end(multistatusOf())
  })
  t.same(await busy(), [])
  await port.bind({ ...config, password: 'wrong' })
  for (const kind of ['create', 'move', 'remove'] as const)
    t.equal(await port.write(agent, { ...change, kind }, 'id'), 'never', kind)
  t.equal(await busy(), undefined, 'another password is another sign-in: nothing of the first is shown')
  const log = await port.log()
  t.match(log, [{ event: 'scheduling.failed', data: { reason: 'The calendar refuses the sign-in.' } }])
  t.equal(log.length, 1)
  t.notMatch(JSON.stringify([log, node.logged]), 'wrong')
})

t.test('Decision 21: an answer is shared by all who ask within seconds, and not after a write', async (t) => {
  const { port, busy } = await begin(free)
  t.same(await Promise.all([busy(), busy(), port.busy(agent, 'rep', from + 1_000, to - 1_000)]), [[], [], []])
  t.same(received, ['REPORT', 'PROPFIND'])
  behavior = answer(207, multistatusOf(eventOf('DTSTART:20260303T100000Z', 'DTEND:20260303T110000Z')))
  t.same(await busy(), [], 'from the answer before')
  await node.clock.advance(limits.cachedMs)
  t.same(show(await busy()), ['2026-03-03T10:00 2026-03-03T11:00'])
  t.same(received, ['REPORT', 'PROPFIND', 'REPORT'], 'the zone of a calendar is known for longer')
  behavior = answer(207, multistatusOf())
  await port.write(agent, create, 'id')
  t.same(await busy(), [])
  t.same(show(await port.busy(agent, undefined, from + day, to + day)), [], 'another window')
})

t.test('R46: a server that hangs, is gone or fails is asked again later', async (t) => {
  const cases: [string, Behavior, RegExp][] = [
    ['hangs', () => {}, /in time/],
    ['stops in its answer', (_, response) => void response.writeHead(207).write('<multistatus>'), /in time/],
    ['closes the connection', (request) => void request.socket.destroy(), /connection/],
    ['fails', answer(500), /status 500/],
    ['is busy', answer(429), /status 429/],
  ]
  for (const [name, how, reason] of cases) {
    const { port, busy } = await begin(how)
    t.equal(await busy(), undefined, name)
    t.equal(await port.write(agent, create, 'id'), 'later', name)
    t.equal(await port.write(agent, { ...change, kind: 'move' }, 'id'), 'later', name)
    t.equal(await port.write(agent, { ...change, kind: 'remove' }, 'id'), 'later', name)
    t.match((await port.log())[0], { event: 'scheduling.failed', data: { reason } }, name)
  }
})

t.test('R46: busy times come within their limit, however slow the calendar is', async (t) => {
  behavior = () => {}
  const port = openPort()
  await port.bind(config)
  const busy = port.busy(agent, undefined, from, to)
  let isAnswered = false
  busy.then(() => {
    isAnswered = true
  })
  while (!isAnswered) await node.clock.advance(limits.busyMs)
  t.equal(await busy, undefined)
})

t.test('R46: garbage is not read, and holds nothing up', async (t) => {
  const laughs = `<!DOCTYPE l [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "${'&a;'.repeat(10_000)}">]><multistatus>&b;</multistatus>`
  const bomb = Buffer.alloc(256 * 1024, '<a/>')
  const bodies = [
    ...['', 'no', '{}', '<html>', laughs, randomBytes(10_000), bomb, Buffer.alloc(2 * limits.answerBytes, 'x')],
    multistatusOf().subarray(0, -5),
  ]
  for (const body of bodies) {
    const { port, busy } = await begin(answer(207, body))
    t.equal(await busy(), undefined, body.toString('utf8').slice(0, 60))
    t.equal(await port.write(agent, create, 'id'), body.length > limits.answerBytes ? 'later' : 'done')
    const { outcome } = await port.callTool({ action: 'busy', ...isoWindow }, 'c')
    t.match(outcome, { state: 'failed' })
  }
})

const isoWindow = { from: new Date(from).toISOString(), to: new Date(to).toISOString() }

t.test('R46: an address that leads elsewhere, or that has no calendar, is for an operator to correct', async (t) => {
  const elsewhere = { location: `${url}/elsewhere` }
  const cases: [Behavior, RegExp][] = [
    [answer(301, '', elsewhere), /another address/],
    [answer(307, '', elsewhere), /another address/],
    [answer(403), /does not allow/],
    [answer(405), /status 405/],
    [answer(200, '<html>Sign in</html>'), /status 200/],
  ]
  for (const [how, reason] of cases) {
    const { port, busy } = await begin(how)
    t.equal(await busy(), undefined)
    t.match((await port.log())[0], { event: 'scheduling.failed', data: { reason } })
    if (reason.test('status 200')) continue
    t.equal(await port.write(agent, create, 'id'), 'never')
  }
  t.ok(received.every((method) => method !== 'GET'))
  const { port } = await begin(answer(404))
  t.equal(await port.write(agent, create, 'id'), 'never', 'there is no calendar to create it in')
  t.equal(await port.write(agent, { ...change, kind: 'remove' }, 'id'), 'done')
})

t.test('R46: a private address is not called, and an operator has to correct it', async (t) => {
  await begin(free)
  const port = openPort({ allowPrivate: false })
  t.equal(await port.busy(agent, undefined, from, to), undefined)
  t.equal(await port.write(agent, create, 'id'), 'never')
  t.match((await port.log())[0]?.data.reason, /public address/)
  t.same(received, [])
})

t.test('R46: an event that changes under a move is written again later', async (t) => {
  const stored = eventOf('DTSTART:20260303T100000Z', 'DTEND:20260303T110000Z')
  const { port } = await begin(({ method, headers }, response) => {
    if (method === 'GET') return void response.writeHead(200, { etag: '"1"' }).end(stored)
    response.writeHead(headers['if-match'] === '"1"' ? 412 : 204).end()
  })
  t.equal(await port.write(agent, { ...change, kind: 'move' }, 'id'), 'later')
  behavior = ({ method, headers }, response) => {
    if (method === 'GET') return void response.writeHead(200, { etag: 'W/"1"' }).end(stored)
    response.writeHead(headers['if-match'] === undefined ? 204 : 500).end()
  }
  t.equal(await port.write(agent, { ...change, kind: 'move' }, 'id'), 'done', 'a weak tag never matches')
  behavior = answer(200, 'no calendar')
  t.equal(
    await port.write(agent, { ...change, kind: 'move' }, 'id'),
    'done',
    'an event that cannot be read is replaced',
  )
})

t.test('Decision 18: the tool says when it is not known whether an event was written', async (t) => {
  const { port } = await begin((request) => void request.socket.destroy())
  const given = { action: 'create', title: 'A', ...isoWindow, to: new Date(from + 60_000).toISOString() }
  t.match((await port.callTool(given, 'c')).outcome, { state: 'unknown' })
  behavior = answer(502)
  t.match((await port.callTool(given, 'c')).outcome, { state: 'unknown', reason: /502/ })
  behavior = answer(503)
  t.match((await port.callTool(given, 'c')).outcome, { state: 'failed', reason: /503/ })
  behavior = answer(200, 'no calendar')
  const move = { ...given, action: 'move', eventId: 'a'.repeat(40) }
  t.match((await port.callTool(move, 'c')).outcome, { state: 'failed', reason: /cannot be read/ })
})

t.test('Decision 18: a process that has lost the turn writes nothing', async (t) => {
  const { port } = await begin(free)
  const attempt = { id: 'c', signal: AbortSignal.abort(), isStillOwner: () => true, isRepeat: false }
  const given = { action: 'remove', eventId: 'a'.repeat(40) }
  const live = { ...attempt, signal: new AbortController().signal, isStillOwner: () => false }
  for (const each of [attempt, live])
    t.match((await port.call(toolContext, given, each)).outcome, { state: 'cancelled' })
  t.same(received, [])
})

t.test('An address with a query keeps it', async (t) => {
  const paths: string[] = []
  const { port } = await begin(
    ({ url }, response) => {
      paths.push(url!)
      free(undefined as never, response)
    },
    { calendarUrl: `${url}/?key=1` },
  )
  await port.write(agent, create, 'id')
  t.match(paths, [/^\/calendar\/parley-[0-9a-f]{40}\.ics\?key=1$/])
})
