/** Pages of messages against a model, while more is said. */

import fc from 'fast-check'
import t from 'tap'
import type { TrafficEntry } from '../../../core/conversation/entry.js'
import type { Filter } from '../../../core/traffic/query.js'
import { openTrafficFixture, pagesOf, queryAll, type TrafficFixture } from './fixture.js'

const people = ['ada', 'bob', 'cleo', 'dan', 'eve'] as const
const act = fc.record({
  asid: fc.constantFrom(...people),
  origin: fc.constantFrom('user', 'agent'),
  type: fc.constantFrom('content', 'status', 'action'),
  sessionId: fc.constantFrom('1', '2'),
  waitMs: fc.constantFrom(0, 0, 1, 60_000),
})
type Act = typeof act extends fc.Arbitrary<infer A> ? A : never

/** What the model knows of a record; eve is only a persona. */
interface AddedEntry extends Pick<Act, 'asid' | 'origin' | 'type'> {
  readonly sessionId: string
  readonly messageId: string
  readonly at: number
}

async function addEntries(opened: TrafficFixture, acts: readonly Act[]): Promise<AddedEntry[]> {
  const entries: AddedEntry[] = []
  for (const { asid, origin, type, sessionId: nth, waitMs } of acts) {
    opened.clock.advance(waitMs)
    const sessionId = `${asid}-${nth}`
    const how = { origin, type, sessionId } as Partial<TrafficEntry>
    const messageId = await opened.addEntry(asid, how, asid === 'eve' ? { sandbox: true } : {})
    entries.push({ asid, origin, type, sessionId, messageId, at: opened.clock.now() })
  }
  return entries
}

t.test('Whatever comes in between pages, they show once and in order what was there, by any filter', async (t) => {
  const anyQuery = fc.record({
    limit: fc.integer({ min: 1, max: 9 }),
    includeTest: fc.boolean(),
    userId: fc.option(fc.constantFrom(...people), { nil: undefined }),
    sessionId: fc.option(fc.constantFrom('ada-1', 'ada-2', 'eve-1', 'nobody-1'), { nil: undefined }),
    origin: fc.option(fc.constantFrom('user', 'agent'), { nil: undefined }),
    type: fc.option(fc.constantFrom('content', 'status', 'action'), { nil: undefined }),
    skippedMs: fc.constantFrom(0, 1, 60_000),
  })
  await fc.assert(
    fc.asyncProperty(
      fc.array(act, { maxLength: 40 }),
      fc.array(act, { maxLength: 8 }),
      anyQuery,
      async (first, later, input) => {
        const opened = await openTrafficFixture(t)
        const start = opened.clock.now()
        const entries = await addEntries(opened, first)
        const { limit, includeTest, userId, skippedMs } = input
        const filter = Object.fromEntries(
          Object.entries({ sessionId: input.sessionId, origin: input.origin, type: input.type }).filter(
            ([, value]) => value,
          ),
        ) as Filter
        const until = opened.clock.now() + 1
        const window = { from: start + skippedMs, until }
        const query = { ...queryAll({ limit, includeTest, filter, window }), ...(userId && { userId }) }
        const added: AddedEntry[] = []
        const pagedIds = await pagesOf(opened.traffic, query, async () => {
          const next = later[added.length]
          if (next) added.push(...(await addEntries(opened, [next])))
        })
        const mayShow = (each: AddedEntry) =>
          each.at >= window.from &&
          each.at < until &&
          (includeTest || each.asid !== 'eve') &&
          (!userId || each.asid === userId) &&
          Object.entries(filter).every(([name, value]) => each[name as keyof AddedEntry] === value)
        // A receipt begins no session, so one of which nothing else is known leads to nobody.
        const isLed = entries.some(({ type, sessionId }) => type !== 'status' && sessionId === input.sessionId)
        const isExpected = userId !== undefined || input.sessionId === undefined || isLed
        const there = isExpected ? entries.filter(mayShow).map(({ messageId }) => messageId) : []
        const shown = new Set(pagedIds)
        t.equal(shown.size, pagedIds.length, 'nothing twice')
        t.same(
          there.filter((id) => !shown.has(id)),
          [],
          'nothing missed',
        )
        const all = new Map([...entries, ...added].map((each) => [each.messageId, each]))
        t.ok(
          pagedIds.every((id) => mayShow(all.get(id)!)),
          'nothing that was not asked for',
        )
        const times = pagedIds.map((id) => all.get(id)!.at)
        t.same(
          times,
          [...times].sort((a, b) => b - a),
          'newest first',
        )
      },
    ),
    { numRuns: 25 },
  )
})
