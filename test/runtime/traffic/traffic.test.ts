/** Lists of traffic over a real store and engine: what they hold, what they cost in rows, and how long they keep it. */

import t from 'tap'
import type { TrafficEntry } from '../../../core/conversation/entry.js'
import { conversation as kept, traffic as limits } from '../../../core/limits/index.js'
import {
  activityTable,
  conversationTable,
  deadLetterTable,
  logTable,
  sessionTable,
  testActivityTable,
  testTrafficTable,
  trafficTable,
} from '../../../runtime/conversation/tables.js'
import type { Key, Table } from '../../../runtime/store/contract.js'
import { waitUntil } from '../../harness/clock.js'
import { addTraffic, agentRef, openTrafficFixture, pagesOf, queryAll, unwrap } from './fixture.js'

const user = (messageId: string): TrafficEntry => {
  return { origin: 'user', type: 'content', sessionId: 'bob-1', messageId, text: messageId }
}
const many = (count: number) => Array.from({ length: count }, (_, nth) => user(`x${nth}`))

t.test('A page of records costs the same however many there are', async (t) => {
  const opened = await openTrafficFixture(t)
  const page = () => opened.cost(() => opened.traffic.messages(agentRef, queryAll({ limit: 20 })))
  for (const asid of ['ada', 'bob', 'cleo', 'dan'])
    await opened.engine.execute(asid, addTraffic, { asid, entries: many(50) })
  const before = await page()
  for (let times = 0; times < 10; times++) {
    opened.clock.advance(1)
    for (const asid of ['ada', 'bob', 'cleo', 'dan'])
      await opened.engine.execute(asid, addTraffic, { asid, entries: many(200) })
  }
  const after = await page()
  t.ok(before > 0)
  t.ok(after <= before, `${before} rows, then ${after}`)
})

t.test('What one person said is found without looking at anybody else', async (t) => {
  const opened = await openTrafficFixture(t)
  await opened.addEntry('ada')
  await opened.engine.execute('ada', addTraffic, { asid: 'ada', entries: [], logs: ['message.sent', 'webhook.parked'] })
  for (const asid of ['bob', 'cleo', 'dan', 'fay', 'gus']) {
    await opened.engine.execute(asid, addTraffic, { asid, entries: many(400), logs: Array(200).fill('message.sent') })
  }
  const last = await opened.addEntry('ada', { type: 'action', subtype: 'url' })
  const query = queryAll({ userId: 'ada' })
  t.ok((await opened.cost(() => opened.traffic.messages(agentRef, query))) < 10)
  t.ok((await opened.cost(() => opened.traffic.logs(agentRef, query))) < 10)
  t.ok((await opened.cost(() => opened.traffic.conversations(agentRef, query))) < 10)
  const bySession = queryAll({ filter: { sessionId: 'ada-1', type: 'action' } })
  t.ok((await opened.cost(() => opened.traffic.messages(agentRef, bySession))) < 15)
  t.match(await opened.traffic.messages(agentRef, bySession), { data: [{ messageId: last, subtype: 'url' }] })
  const errors = await opened.traffic.logs(agentRef, queryAll({ userId: 'ada', filter: { level: 'error' } }))
  t.match(errors, { data: [{ event: 'webhook.parked', userId: 'ada', agentId: 'desk' }] })
  const other = { orgId: 'acme', agentId: 'other' }
  t.same(await opened.traffic.messages(other, query), { data: [] }, 'another agent does not know them')
})

t.test('A filter that hardly anything passes makes a short page that goes on, and the list is whole', async (t) => {
  const opened = await openTrafficFixture(t)
  const oldest = await opened.addEntry('bob', { origin: 'agent' })
  const maxScanned = limits.rowsPerRead * limits.roundsPerPage
  for (let countRows = maxScanned + 600; countRows > 0; countRows -= 600) {
    opened.clock.advance(1)
    await opened.engine.execute('bob', addTraffic, { asid: 'bob', entries: many(600) })
  }
  const query = queryAll({ filter: { origin: 'agent' } })
  for (const wanted of [query, { ...query, userId: 'bob' }]) {
    const first = await opened.traffic.messages(agentRef, wanted)
    t.match(first, { data: [], last: [Number, 'bob', Number] }, 'it is handed out though nothing was found')
    t.same(await pagesOf(opened.traffic, wanted), [oldest])
  }
})

const minute = 60_000

t.test('A conversation is listed by any time in which it was going on, once, with all of it counted', async (t) => {
  const opened = await openTrafficFixture(t)
  const { clock, traffic } = opened
  const start = clock.now()
  await opened.addEntry('bob', { text: 'Early' })
  // Hours with a message now and then, but never half an hour without.
  for (let nth = 0; nth < 18; nth++) {
    await opened.addEntry('ada', nth === 0 ? { text: 'Good morning' } : { origin: 'agent' })
    if (nth < 17) clock.advance((nth % 3 === 0 ? 10 : 29) * minute)
  }
  const end = clock.now()
  clock.advance(60 * minute)
  await opened.addEntry('ada', { sessionId: 'ada-2', text: 'Again' })
  await opened.addEntry('ada', { sessionId: 'ada-2', type: 'status', origin: 'agent' })
  const iso = (at: number) => new Date(at).toISOString()
  const summary = {
    sessionId: 'ada-1',
    userId: 'ada',
    channel: 'sms',
    startedAt: iso(start),
    endedAt: iso(end),
    messageCount: 18,
    firstMessagePreview: 'Good morning',
  }
  const list = async (from: number, until?: number, more: object = {}) => {
    const window = { from, ...(until !== undefined && { until }) }
    return unwrap(await traffic.conversations(agentRef, { ...queryAll({ window }), ...more }))
  }
  const ids = async (...query: Parameters<typeof list>) => (await list(...query)).map(({ sessionId }) => sessionId)
  t.same(await ids(0), ['ada-2', 'ada-1', 'bob-1'])
  for (let from = start + 1; from <= end; from += 7 * minute) {
    t.same(await list(from, from + minute), [summary], `from ${(from - start) / minute} minutes on`)
    t.same(await list(from, from + minute, { userId: 'ada' }), [summary])
  }
  t.same(await ids(end + 1), ['ada-2'], 'receipts prolong nothing')
  t.same(await ids(start, start), [])
  t.same(await ids(0, undefined, { limit: 2 }), ['ada-2', 'ada-1'])
  t.same(await ids(0, undefined, { userId: 'bob' }), ['bob-1'])
  const users = await traffic.users(agentRef, queryAll())
  t.same(users, [
    { userId: 'ada', channel: 'sms', lastSeenAt: iso(clock.now()), messageCount: 19 },
    { userId: 'bob', channel: 'sms', lastSeenAt: iso(start), messageCount: 1 },
  ])
  const early = await traffic.users(agentRef, queryAll({ window: { from: 0, until: end + 1 } }))
  t.match(early, [{ userId: 'ada', lastSeenAt: iso(end), messageCount: 18 }, { userId: 'bob' }], 'as it was by then')
})

t.test('People and conversations of more than one round are each listed once', async (t) => {
  const opened = await openTrafficFixture(t)
  for (let nth = 0; nth < 60; nth++) {
    opened.clock.advance(minute)
    await opened.addEntry(`p${nth % 20}`, { sessionId: `s${nth}` })
  }
  const users = unwrap(await opened.traffic.users(agentRef, queryAll({ limit: 1000 })))
  t.equal(users.length, 20)
  t.ok(users.every(({ messageCount }) => messageCount === 3))
  const few = unwrap(await opened.traffic.users(agentRef, queryAll({ limit: 7 })))
  t.same(
    few.map(({ userId }) => userId),
    Array.from({ length: 7 }, (_, nth) => `p${19 - nth}`),
  )
  const sessions = unwrap(await opened.traffic.conversations(agentRef, queryAll({ limit: 1000 })))
  t.same(
    sessions.map(({ sessionId }) => sessionId),
    Array.from({ length: 60 }, (_, nth) => `s${59 - nth}`),
  )
})

t.test('Test traffic lies apart: no list shows it unless it is asked for, and then it says so', async (t) => {
  const opened = await openTrafficFixture(t)
  await opened.addEntry('ada')
  await opened.addEntry('eve', {}, { sandbox: true })
  const marked = { channel: 'webchat', test: true, emulatedChannel: 'sms' }
  for (const userId of [undefined, 'eve']) {
    const query = { ...queryAll(), ...(userId && { userId }) }
    const real = userId ? [] : [{ userId: 'ada', channel: 'sms' }]
    const all = { ...query, includeTest: true }
    t.match(await opened.traffic.messages(agentRef, query), { data: real })
    t.match(await opened.traffic.messages(agentRef, all), { data: [marked, ...real].slice(0, real.length + 1) })
    t.match(await opened.traffic.conversations(agentRef, query), real)
    t.match(await opened.traffic.conversations(agentRef, { ...query, limit: 1, includeTest: true, userId: 'eve' }), [
      marked,
    ])
  }
  t.same(unwrap(await opened.traffic.users(agentRef, queryAll())), [
    { userId: 'ada', channel: 'sms', lastSeenAt: new Date(opened.clock.now()).toISOString(), messageCount: 1 },
  ])
  t.equal(unwrap(await opened.traffic.users(agentRef, queryAll({ includeTest: true }))).length, 2)
})

const tables = [trafficTable, testTrafficTable, logTable, sessionTable, activityTable, testActivityTable] as Table<
  Key,
  unknown
>[]

t.test('Thirty days after the last of it nothing is left of a conversation that went quiet', async (t) => {
  const opened = await openTrafficFixture(t)
  const countRows = () => tables.map((table) => opened.rows(table).length)
  const live = { logs: ['message.sent'] }
  await opened.addEntry('ada', {}, live)
  opened.clock.advance(40 * minute)
  await opened.addEntry('ada', { sessionId: 'ada-2' }, live)
  t.same(countRows(), [2, 0, 2, 2, 2, 0])
  const days = kept.retentionMs / kept.retentionEveryMs
  for (let day = 1; day < days; day++) {
    opened.clock.advance(kept.retentionEveryMs)
    await waitUntil(() => opened.rows(conversationTable)[0]!.value.nothingToExpire !== true)
  }
  t.same(countRows(), [2, 0, 2, 2, 2, 0], 'all of it is kept until then')
  for (let day = 0; day < 3; day++) {
    opened.clock.advance(kept.retentionEveryMs)
    await opened.engine.query('ada', { name: 'conversation.read' } as never, { asid: 'ada' })
  }
  await waitUntil(() => countRows().every((count) => count === 0))
  await waitUntil(() => opened.rows(conversationTable)[0]!.value.nothingToExpire === true)
  t.pass('and the conversation looks no more')
})

t.test('What a forgotten rehearsal left goes by itself when its time is over', async (t) => {
  const opened = await openTrafficFixture(t)
  const countRows = () => tables.map((table) => opened.rows(table).length)
  await opened.addEntry('eve', {}, { sandbox: true, isDeadLetter: true })
  await opened.addEntry('eve', {}, { sandbox: true })
  await opened.forget('eve')
  t.same(countRows(), [0, 2, 0, 1, 0, 1])
  t.equal(opened.rows(deadLetterTable).length, 1)
  const conversations = await opened.traffic.conversations(agentRef, queryAll({ includeTest: true }))
  t.match(conversations, [{ sessionId: 'eve-1', messageCount: 2 }], 'it is still told as it was')
  opened.clock.advance(kept.retentionMs + kept.sessionIdleMs)
  await waitUntil(() => countRows().every((count) => count === 0))
  t.same(opened.rows(deadLetterTable), [], 'nothing is left')
})
