/** Lists of traffic over a real store and engine: what they hold, what they cost in rows, and how long they keep it. */

import t from 'tap'
import type { TrafficEntry } from '../../../core/conversation/entry.js'
import { conversation as kept, traffic as limits } from '../../../core/limits.js'
import {
  conversationTable,
  deadLetterTable,
  logTable,
  markTable,
  sessionTable,
  testMarkTable,
  testTrafficTable,
  trafficTable,
} from '../../../runtime/conversation/tables.js'
import type { Key, Table } from '../../../runtime/store/contract.js'
import { until } from '../../harness/clock.js'
import { everything, listed, openPlace, pagesOf, place, say } from './trafficplace.js'

const user = (messageId: string): TrafficEntry => {
  return { origin: 'user', type: 'content', sessionId: 'bob-1', messageId, text: messageId }
}
const many = (count: number) => Array.from({ length: count }, (_, nth) => user(`x${nth}`))

t.test('A page of records costs the same however many there are', async (t) => {
  const opened = await openPlace(t)
  const page = () => opened.cost(() => opened.traffic.messages(place, everything({ limit: 20 })))
  for (const asid of ['ada', 'bob', 'cleo', 'dan']) await opened.engine.ask(asid, say, { asid, entries: many(50) })
  const before = await page()
  for (let times = 0; times < 10; times++) {
    opened.clock.advance(1)
    for (const asid of ['ada', 'bob', 'cleo', 'dan']) await opened.engine.ask(asid, say, { asid, entries: many(200) })
  }
  const after = await page()
  t.ok(before > 0)
  t.ok(after <= before, `${before} rows, then ${after}`)
})

t.test('What one person said is found without looking at anybody else', async (t) => {
  const opened = await openPlace(t)
  await opened.says('ada')
  await opened.engine.ask('ada', say, { asid: 'ada', entries: [], logs: ['message.sent', 'webhook.parked'] })
  for (const asid of ['bob', 'cleo', 'dan', 'fay', 'gus']) {
    await opened.engine.ask(asid, say, { asid, entries: many(400), logs: Array(200).fill('message.sent') })
  }
  const last = await opened.says('ada', { type: 'action', subtype: 'url' })
  const asked = everything({ userId: 'ada' })
  t.ok((await opened.cost(() => opened.traffic.messages(place, asked))) < 10)
  t.ok((await opened.cost(() => opened.traffic.logs(place, asked))) < 10)
  t.ok((await opened.cost(() => opened.traffic.conversations(place, asked))) < 10)
  const bySession = everything({ filter: { sessionId: 'ada-1', type: 'action' } })
  t.ok((await opened.cost(() => opened.traffic.messages(place, bySession))) < 15)
  t.match(await opened.traffic.messages(place, bySession), { data: [{ messageId: last, subtype: 'url' }] })
  const errors = await opened.traffic.logs(place, everything({ userId: 'ada', filter: { level: 'error' } }))
  t.match(errors, { data: [{ event: 'webhook.parked', userId: 'ada', agentId: 'desk' }] })
  const other = { orgId: 'acme', agentId: 'other' }
  t.same(await opened.traffic.messages(other, asked), { data: [] }, 'another agent does not know them')
})

t.test('A filter that hardly anything passes makes a short page that goes on, and the list is whole', async (t) => {
  const opened = await openPlace(t)
  const deep = await opened.says('bob', { origin: 'agent' })
  const most = limits.rowsPerRead * limits.roundsPerPage
  for (let left = most + 600; left > 0; left -= 600) {
    opened.clock.advance(1)
    await opened.engine.ask('bob', say, { asid: 'bob', entries: many(600) })
  }
  const asked = everything({ filter: { origin: 'agent' } })
  for (const wanted of [asked, { ...asked, userId: 'bob' }]) {
    const first = await opened.traffic.messages(place, wanted)
    t.match(first, { data: [], last: [Number, 'bob', Number] }, 'it is handed out though nothing was found')
    t.same(await pagesOf(opened.traffic, wanted), [deep])
  }
})

const minute = 60_000

t.test('A conversation is listed by any time in which it was going on, once, with all of it counted', async (t) => {
  const opened = await openPlace(t)
  const { clock, traffic } = opened
  const start = clock.now()
  await opened.says('bob', { text: 'Early' })
  // Hours with a message now and then, but never half an hour without.
  for (let nth = 0; nth < 18; nth++) {
    await opened.says('ada', nth === 0 ? { text: 'Good morning' } : { origin: 'agent' })
    if (nth < 17) clock.advance((nth % 3 === 0 ? 10 : 29) * minute)
  }
  const end = clock.now()
  clock.advance(60 * minute)
  await opened.says('ada', { sessionId: 'ada-2', text: 'Again' })
  await opened.says('ada', { sessionId: 'ada-2', type: 'status', origin: 'agent' })
  const iso = (at: number) => new Date(at).toISOString()
  const whole = {
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
    return listed(await traffic.conversations(place, { ...everything({ window }), ...more }))
  }
  const ids = async (...asked: Parameters<typeof list>) => (await list(...asked)).map(({ sessionId }) => sessionId)
  t.same(await ids(0), ['ada-2', 'ada-1', 'bob-1'])
  for (let from = start + 1; from <= end; from += 7 * minute) {
    t.same(await list(from, from + minute), [whole], `from ${(from - start) / minute} minutes on`)
    t.same(await list(from, from + minute, { userId: 'ada' }), [whole])
  }
  t.same(await ids(end + 1), ['ada-2'], 'receipts prolong nothing')
  t.same(await ids(start, start), [])
  t.same(await ids(0, undefined, { limit: 2 }), ['ada-2', 'ada-1'])
  t.same(await ids(0, undefined, { userId: 'bob' }), ['bob-1'])
  const users = await traffic.users(place, everything())
  t.same(users, [
    { userId: 'ada', channel: 'sms', lastSeenAt: iso(clock.now()), messageCount: 19 },
    { userId: 'bob', channel: 'sms', lastSeenAt: iso(start), messageCount: 1 },
  ])
  const early = await traffic.users(place, everything({ window: { from: 0, until: end + 1 } }))
  t.match(early, [{ userId: 'ada', lastSeenAt: iso(end), messageCount: 18 }, { userId: 'bob' }], 'as it was by then')
})

t.test('People and conversations of more than one round are each listed once', async (t) => {
  const opened = await openPlace(t)
  for (let nth = 0; nth < 60; nth++) {
    opened.clock.advance(minute)
    await opened.says(`p${nth % 20}`, { sessionId: `s${nth}` })
  }
  const users = listed(await opened.traffic.users(place, everything({ limit: 1000 })))
  t.equal(users.length, 20)
  t.ok(users.every(({ messageCount }) => messageCount === 3))
  const few = listed(await opened.traffic.users(place, everything({ limit: 7 })))
  t.same(
    few.map(({ userId }) => userId),
    Array.from({ length: 7 }, (_, nth) => `p${19 - nth}`),
  )
  const sessions = listed(await opened.traffic.conversations(place, everything({ limit: 1000 })))
  t.same(
    sessions.map(({ sessionId }) => sessionId),
    Array.from({ length: 60 }, (_, nth) => `s${59 - nth}`),
  )
})

t.test('Test traffic lies apart: no list shows it unless it is asked for, and then it says so', async (t) => {
  const opened = await openPlace(t)
  await opened.says('ada')
  await opened.says('eve', {}, { sandbox: true })
  const marked = { channel: 'webchat', test: true, emulatedChannel: 'sms' }
  for (const userId of [undefined, 'eve']) {
    const wanted = { ...everything(), ...(userId && { userId }) }
    const real = userId ? [] : [{ userId: 'ada', channel: 'sms' }]
    const all = { ...wanted, includeTest: true }
    t.match(await opened.traffic.messages(place, wanted), { data: real })
    t.match(await opened.traffic.messages(place, all), { data: [marked, ...real].slice(0, real.length + 1) })
    t.match(await opened.traffic.conversations(place, wanted), real)
    t.match(await opened.traffic.conversations(place, { ...wanted, limit: 1, includeTest: true, userId: 'eve' }), [
      marked,
    ])
  }
  t.same(listed(await opened.traffic.users(place, everything())), [
    { userId: 'ada', channel: 'sms', lastSeenAt: new Date(opened.clock.now()).toISOString(), messageCount: 1 },
  ])
  t.equal(listed(await opened.traffic.users(place, everything({ includeTest: true }))).length, 2)
})

const tables = [trafficTable, testTrafficTable, logTable, sessionTable, markTable, testMarkTable] as Table<
  Key,
  unknown
>[]

t.test('Thirty days after the last of it nothing is left of a conversation that went quiet', async (t) => {
  const opened = await openPlace(t)
  const left = () => tables.map((table) => opened.rows(table).length)
  const live = { logs: ['message.sent'] }
  await opened.says('ada', {}, live)
  opened.clock.advance(40 * minute)
  await opened.says('ada', { sessionId: 'ada-2' }, live)
  t.same(left(), [2, 0, 2, 2, 2, 0])
  const days = kept.keptMs / kept.tidyEveryMs
  for (let day = 1; day < days; day++) {
    opened.clock.advance(kept.tidyEveryMs)
    await until(() => opened.rows(conversationTable)[0]!.value.isTidy !== true)
  }
  t.same(left(), [2, 0, 2, 2, 2, 0], 'all of it is kept until then')
  for (let day = 0; day < 3; day++) {
    opened.clock.advance(kept.tidyEveryMs)
    await opened.engine.read('ada', { name: 'conversation.read' } as never, { asid: 'ada' })
  }
  await until(() => left().every((count) => count === 0))
  await until(() => opened.rows(conversationTable)[0]!.value.isTidy === true)
  t.pass('and the conversation looks no more')
})

t.test('What a forgotten rehearsal left goes by itself when its time is over', async (t) => {
  const opened = await openPlace(t)
  const left = () => tables.map((table) => opened.rows(table).length)
  await opened.says('eve', {}, { sandbox: true, isUnheard: true })
  await opened.says('eve', {}, { sandbox: true })
  await opened.forget('eve')
  t.same(left(), [0, 2, 0, 1, 0, 1])
  t.equal(opened.rows(deadLetterTable).length, 1)
  const found = await opened.traffic.conversations(place, everything({ includeTest: true }))
  t.match(found, [{ sessionId: 'eve-1', messageCount: 2 }], 'it is still told as it was')
  opened.clock.advance(kept.keptMs + kept.sessionIdleMs)
  await until(() => left().every((count) => count === 0))
  t.same(opened.rows(deadLetterTable), [], 'nothing is left')
})
