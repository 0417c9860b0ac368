/** Lists of turns over a real store and engine: what they hold, what they cost in rows, and how long they keep it. */
import fc from 'fast-check'
import t from 'tap'
import { conversation as kept, turnLists as limits, traffic } from '../../../core/limits/index.js'
import type { TurnFilter } from '../../../core/turn/query.js'
import { matchesTurn } from '../../../core/turn/query.js'
import type { TurnRecord } from '../../../core/turn/record.js'
import { parseTurnId } from '../../../core/turn/turnid.js'
import { conversationTable } from '../../../runtime/conversation/tables.js'
import { testTurnTable, turnTable } from '../../../runtime/turn/tables.js'
import { callOf, turnOf } from '../../core/turn/records.js'
import { waitUntil } from '../../harness/clock.js'
import { agentRef, openTurnFixture, pagesOf, queryTurns, type TurnFixture } from './fixture.js'

const people = ['ada', 'bob', 'cleo', 'dan', 'fay', 'gus', 'hal'] as const

/** Turns of that person, a second apart, numbered from `first`. */
function manyTurns(asid: string, count: number, startedAt: number, first = 1, more: Partial<TurnRecord> = {}) {
  return Array.from({ length: count }, (_, nth) =>
    turnOf(asid, { startedAt: startedAt + nth * 1_000, ...more }, first + nth),
  )
}

t.test('R58: thousands of turns over all shards are listed newest first, each once, by any filter', async (t) => {
  const opened = await openTurnFixture(t)
  const start = opened.clock.now() - 3_600_000
  const all: TurnRecord[] = []
  for (const [place, asid] of people.entries()) {
    const turns = manyTurns(asid, 500, start + place).map((turn, nth) => ({
      ...turn,
      sessionId: `${asid}-${nth >> 7}`,
      state: nth % 50 === 0 ? 'failed' : 'completed',
      playbook: { after: nth % 3 === 0 ? 'booking' : 'welcome', why: 'session' },
      warnings: nth % 100 === 0 ? [{ code: 'tool.failed', message: 'It did not answer.' }] : [],
    })) as TurnRecord[]
    await opened.add(asid, turns)
    all.push(...turns)
  }
  const newest = all.toSorted((a, b) => b.startedAt - a.startedAt)
  const expected = (filter: TurnFilter, userId?: string) =>
    newest
      .filter((turn) => matchesTurn(turn, filter) && (userId === undefined || turn.userId === userId))
      .map(({ id }) => id)
  t.same(await pagesOf(opened.turns, queryTurns({ limit: limits.maxRows })), expected({}))
  const filters: TurnFilter[] = [
    { playbookId: 'booking' },
    { state: 'failed' },
    { warning: 'tool.failed' },
    { warning: 'tool.failed', playbookId: 'booking' },
    { sessionId: 'dan-2' },
    { sessionId: 'dan-2', state: 'failed' },
    { sessionId: 'nobody-1' },
    { playbookId: 'unknown' },
  ]
  for (const filter of filters) {
    t.same(await pagesOf(opened.turns, queryTurns({ filter, limit: 30 })), expected(filter), JSON.stringify(filter))
    const ofDan = queryTurns({ filter, limit: 30, userId: 'dan' })
    t.same(await pagesOf(opened.turns, ofDan), expected(filter, 'dan'), `${JSON.stringify(filter)} of one person`)
  }
  const window = { from: start + 100_000, until: start + 103_000 }
  const within = newest.filter(({ startedAt }) => startedAt >= window.from && startedAt < window.until)
  t.same(
    await pagesOf(opened.turns, queryTurns({ window })),
    within.map(({ id }) => id),
  )
  t.same(
    await pagesOf(opened.turns, queryTurns({ window, userId: 'ada' })),
    within.filter(({ userId }) => userId === 'ada').map(({ id }) => id),
  )
  const other = { orgId: 'acme', agentId: 'other' }
  t.same(await opened.turns.list(other, queryTurns({ userId: 'ada' })), { data: [] }, 'another agent has none of them')
  t.same(await opened.turns.list(other, queryTurns()), { data: [] })
})

const written = fc.record({
  asid: fc.constantFrom('ada', 'bob', 'cleo', 'eve'),
  state: fc.constantFrom('completed', 'cut'),
  waitMs: fc.constantFrom(0, 0, 1, 60_000),
})

t.test('R58: whatever is written between pages, they show once and in order what was there before', async (t) => {
  const anyQuery = fc.record({
    limit: fc.integer({ min: 1, max: 5 }),
    includeTest: fc.boolean(),
    userId: fc.option(fc.constantFrom('ada', 'eve'), { nil: undefined }),
    state: fc.option(fc.constantFrom('completed', 'cut'), { nil: undefined }),
  })
  await fc.assert(
    fc.asyncProperty(
      fc.array(written, { maxLength: 30 }),
      fc.array(written, { maxLength: 8 }),
      anyQuery,
      async (first, later, { limit, includeTest, userId, state }) => {
        const opened = await openTurnFixture(t)
        let number = 0
        const write = async ({ asid, state, waitMs }: (typeof first)[number]) => {
          opened.clock.advance(waitMs)
          const turn = turnOf(asid, { startedAt: opened.clock.now(), state } as Partial<TurnRecord>, ++number)
          await opened.add(asid, [turn], asid === 'eve' ? { sandbox: true } : {})
          return turn
        }
        const there: TurnRecord[] = []
        for (const each of first) there.push(await write(each))
        const query = {
          ...queryTurns({ limit, includeTest, filter: state ? { state } : {} }),
          ...(userId && { userId }),
        }
        const rest = [...later]
        const shown = await pagesOf(opened.turns, query as never, async () => {
          const next = rest.shift()
          if (next) await write(next)
        })
        const isShown = (turn: TurnRecord) =>
          (includeTest || turn.userId !== 'eve') &&
          (!userId || turn.userId === userId) &&
          (!state || turn.state === state)
        t.equal(new Set(shown).size, shown.length, 'nothing twice')
        t.same(
          there.filter((turn) => isShown(turn) && !shown.includes(turn.id)),
          [],
          'nothing missed',
        )
        const times = shown.map((id) => parseTurnId(id)!.startedAt)
        t.same(
          times,
          times.toSorted((a, b) => b - a),
          'newest first',
        )
      },
    ),
    { numRuns: 8 },
  )
})

/** Fills the shard of that person with turns. */
async function fill(opened: TurnFixture, asid: string, count: number, more: Partial<TurnRecord> = {}) {
  const start = opened.clock.now() - count * 1_000
  for (let first = 0; first < count; first += 500)
    await opened.add(asid, manyTurns(asid, Math.min(500, count - first), start + first * 1_000, first + 1, more))
}

t.test('R58: a filter that matches nothing ends a call after a bounded scan, with a position to go on', async (t) => {
  const opened = await openTurnFixture(t)
  const perRead = Math.ceil(traffic.rowsPerRead / limits.rowsPerRecord)
  const perPage = (perRead + 1) * traffic.roundsPerPage
  const oldest = turnOf('bob', { startedAt: 1, state: 'failed' })
  await opened.add('bob', [oldest])
  await fill(opened, 'bob', perPage + 500)
  for (const query of [
    queryTurns({ filter: { state: 'failed' } }),
    queryTurns({ filter: { state: 'failed' }, userId: 'bob' }),
  ]) {
    const cost = await opened.cost(async () => {
      const first = await opened.turns.list(agentRef, query)
      t.match(first, { data: [], last: [Number, 'bob', Number] }, 'it goes on though nothing was found')
    })
    t.ok(cost <= 2 * perPage, `${cost} rows`)
    t.same(await pagesOf(opened.turns, query), [oldest.id])
  }
})

t.test('R58: a page costs the same however many turns there are, and records with many calls cost fewer', async (t) => {
  const opened = await openTurnFixture(t)
  const page = () => opened.cost(() => opened.turns.list(agentRef, queryTurns({ limit: 20 })))
  for (const asid of people) await fill(opened, asid, 50)
  const before = await page()
  for (const asid of people) await fill(opened, asid, 500)
  t.ok((await page()) <= before, `${before} rows before`)
  const plain = await opened.cost(() => opened.turns.list(agentRef, queryTurns({ filter: { state: 'cut' } })))
  const calls = Array(16).fill(callOf('integration:crm', { result: 'x'.repeat(1_000) }))
  const long = await openTurnFixture(t)
  for (const asid of people) await fill(long, asid, 550, { toolCalls: calls })
  const busy = await long.cost(() => long.turns.list(agentRef, queryTurns({ filter: { state: 'cut' } })))
  t.ok(busy < plain / 4, `${busy} rows of long records, ${plain} of short ones`)
})

t.test('R58: the turns of one person are found without those of others, and a turn by its id alone', async (t) => {
  const opened = await openTurnFixture(t)
  const turns = manyTurns('ada', 5, opened.clock.now() - 100_000)
  await opened.add('ada', turns.slice(0, 3))
  for (const asid of people.filter((each) => each !== 'ada')) await fill(opened, asid, 600)
  await opened.add('ada', turns.slice(3))
  const ofAda = queryTurns({ userId: 'ada' })
  const newest = turns.map(({ id }) => id).reverse()
  t.same(await pagesOf(opened.turns, ofAda), newest)
  t.ok((await opened.cost(() => opened.turns.list(agentRef, ofAda))) < 10)
  const bySession = queryTurns({ filter: { sessionId: 'ada-1' } })
  t.ok((await opened.cost(() => opened.turns.list(agentRef, bySession))) < 15)
  t.same(await pagesOf(opened.turns, bySession), newest)

  const parts = parseTurnId(turns[0]!.id)!
  t.match(await opened.turns.find(agentRef, parts), {
    id: turns[0]!.id,
    agentId: 'desk',
    trace: [],
    previous: undefined,
  })
  t.ok((await opened.cost(() => opened.turns.find(agentRef, parts))) <= 2)
  const notFound = { refused: 'resource.not_found' }
  t.match(await opened.turns.find({ orgId: 'acme', agentId: 'other' }, parts), notFound)
  t.match(await opened.turns.find(agentRef, { ...parts, number: 99 }), notFound)
  t.match(await opened.turns.find(agentRef, { ...parts, asid: 'bob' }), notFound)
})

t.test('R58: a turn that is written again when it closes is one record, and its person keeps all turns', async (t) => {
  const opened = await openTurnFixture(t)
  const [first, second, third] = manyTurns('ada', 3, opened.clock.now()) as [TurnRecord, TurnRecord, TurnRecord]
  await opened.add('ada', [first])
  const { endedAt: _end, ...open } = second
  await opened.add('ada', [{ ...open, state: 'open' }])
  t.match(await opened.turns.list(agentRef, queryTurns({ filter: { state: 'open' } })), { data: [{ id: second.id }] })
  await opened.add('ada', [second])
  await opened.add('ada', [{ ...third, state: 'open' }, third])
  const ids = [third, second, first].map(({ id }) => id)
  for (const query of [queryTurns(), queryTurns({ userId: 'ada' })]) t.same(await pagesOf(opened.turns, query), ids)
  t.match(await opened.turns.find(agentRef, parseTurnId(second.id)!), { state: 'completed' })
})

t.test('R58: turns of the sandbox lie apart, in no list that does not ask for them', async (t) => {
  const opened = await openTurnFixture(t)
  const at = opened.clock.now()
  const [live, test] = [turnOf('ada', { startedAt: at }), turnOf('eve', { startedAt: at + 1, test: true })]
  await opened.add('ada', [live])
  await opened.add('eve', [test], { sandbox: true })
  t.same([opened.rows(turnTable).length, opened.rows(testTurnTable).length], [1, 1])
  const marked = { id: test.id, channel: 'webchat', test: true, emulatedChannel: 'sms' }
  t.same(await pagesOf(opened.turns, queryTurns()), [live.id])
  t.match(await opened.turns.list(agentRef, queryTurns({ includeTest: true })), { data: [marked, { id: live.id }] })
  t.same(await opened.turns.list(agentRef, queryTurns({ userId: 'eve' })), { data: [] })
  t.match(await opened.turns.list(agentRef, queryTurns({ userId: 'eve', includeTest: true })), { data: [marked] })
  t.match(await opened.turns.find(agentRef, parseTurnId(test.id)!), marked, 'its id names it')
})

t.test(
  'R58, decision 33: thirty days after its turn nothing is left of it, though its session ended before',
  async (t) => {
    const opened = await openTurnFixture(t)
    await opened.add('ada', [turnOf('ada', { startedAt: opened.clock.now() })])
    opened.clock.advance(kept.retentionEveryMs / 2)
    const quiet = { startedAt: opened.clock.now(), trigger: { kind: 'quiet', eventIds: [] } } as const
    await opened.add('ada', [turnOf('ada', quiet, 2)])
    for (let day = 0; day < kept.retentionMs / kept.retentionEveryMs - 1; day++) {
      opened.clock.advance(kept.retentionEveryMs)
      await opened.engine.query('ada', { name: 'conversation.read' } as never, { asid: 'ada' })
    }
    t.equal(opened.rows(turnTable).length, 2, 'both are kept until then')
    for (let day = 0; day < 3; day++) {
      opened.clock.advance(kept.retentionEveryMs)
      await opened.engine.query('ada', { name: 'conversation.read' } as never, { asid: 'ada' })
    }
    await waitUntil(() => opened.rows(turnTable).length === 0)
    await waitUntil(() => opened.rows(conversationTable)[0]!.value.nothingToExpire === true)
    t.pass('and the conversation looks no more')
  },
)

t.test('R58: turns of a deleted persona are kept until they expire, and then they are removed', async (t) => {
  const opened = await openTurnFixture(t)
  const turn = turnOf('eve', { startedAt: opened.clock.now(), test: true })
  await opened.add('eve', [turn], { sandbox: true })
  await opened.forget('eve')
  t.same(await pagesOf(opened.turns, queryTurns({ includeTest: true })), [turn.id])
  t.match(await opened.turns.find(agentRef, parseTurnId(turn.id)!), { id: turn.id })
  opened.clock.advance(kept.retentionMs + kept.sessionIdleMs)
  await waitUntil(() => opened.rows(testTurnTable).length === 0)
  t.pass('nothing is left')
})
