/** The list of sends: newest first, every filter together with the others, however long it is. */
import fc from 'fast-check'
import t from 'tap'
import { isRefusal } from '../../../core/errors.js'
import { outreachSend as limits } from '../../../core/limits/index.js'
import { sendIdAt } from '../../../core/outreach/ids.js'
import { type SendReason, type SendState, sendOrigins, sendReasons, sendStates } from '../../../core/outreach/send.js'
import { outreachRoutes } from '../../../mgmt/outreach/routes.js'
import { type StoredSend, saveLaunched, saveSend } from '../../../mgmt/outreach/store.js'
import type { Command } from '../../../runtime/shard/contract.js'
import { openSendsFixture, owner, type SendsFixture } from './fixture.js'

const home = ['org', 'desk', 1] as const
const from = Date.parse('2026-02-01T00:00:00Z')

const keep: Command<{ sends: StoredSend[] }, true> = {
  name: 'test.saveSends',
  decide(tx, { sends }) {
    for (const send of sends) saveSend(tx, home, send)
    return true
  },
}

const made = (nth: number, more: Partial<StoredSend>): StoredSend => ({
  id: sendIdAt(from + nth * 1_000, `sd_${String(nth).padStart(26, '0')}`),
  outreachId: 'hello',
  origin: 'named',
  personId: 'pr_0',
  state: 'sent',
  asid: 'usr_1',
  channel: 'rcs',
  address: '+14155550100',
  queuedAt: from + nth * 1_000,
  attempts: 1,
  ...more,
})

/** The route as it is called, with its handler alone. */
function lister(sends: SendsFixture, counted?: { reads: number }) {
  const shards = {
    ...sends.fixture.shards,
    query: (...args: Parameters<typeof sends.fixture.shards.query>) => {
      if (counted) counted.reads++
      return sends.fixture.shards.query(...args)
    },
  } as SendsFixture['fixture']['shards']
  const { commands, queries } = sends.parts
  const routes = outreachRoutes({ shards, commands, queries, sends: undefined as never })
  const { handler } = routes.find(({ path, method }) => method === 'GET' && path.endsWith('/outreach/sends'))!
  return async (query: object) => {
    const call = { params: { org: 'org', agent: 'desk' }, query, caller: { scopes: new Set() } }
    const answer = await handler(call as never)
    if (isRefusal(answer)) throw new Error(answer.refused)
    return (answer.json as { data: { sendId: string }[] }).data.map(({ sendId }) => sendId)
  }
}

const some = <T>(values: readonly T[]) => fc.option(fc.constantFrom(...values), { nil: undefined })

t.test('Every filter counts, together with the others, and the newest come first', async (t) => {
  const sends: SendsFixture = await openSendsFixture(t, {}, [keep as never])
  const all = Array.from({ length: 300 }, (_, nth) =>
    made(nth, {
      outreachId: nth % 3 === 0 ? 'hello' : 'other',
      origin: sendOrigins[nth % 3]!,
      ...(nth % 3 === 1 && { automatedOutreachId: `r${nth % 2}` }),
      ...(nth % 3 === 2 && { campaignId: `c${nth % 2}` }),
      personId: `pr_${nth % 5}`,
      state: sendStates[nth % 6] as SendState,
      ...(nth % 6 === 3 && { reason: sendReasons[nth % 4] as SendReason }),
      ...(nth % 50 === 49 && { sandbox: true as const }),
    }),
  )
  await sends.fixture.shards.execute(owner, keep, { sends: all })
  const list = lister(sends)
  const moment = fc.option(fc.integer({ min: -5, max: 305 }), { nil: undefined })
  await fc.assert(
    fc.asyncProperty(
      fc.record({
        outreachId: some(['hello', 'other', 'none']),
        origin: some(sendOrigins),
        campaignId: some(['c0', 'c1']),
        automatedOutreachId: some(['r0', 'r1']),
        personId: some(['pr_0', 'pr_3', 'pr_9']),
        state: some(sendStates),
        reason: some(sendReasons.slice(0, 4)),
        since: moment,
        until: moment,
        limit: some([1, 7, 200]),
      }),
      async ({ since, until, limit, ...equal }) => {
        const iso = (nth: number | undefined) =>
          nth === undefined ? undefined : new Date(from + nth * 1_000).toISOString()
        const given = Object.entries({ ...equal, since: iso(since), until: iso(until), limit }).filter(
          ([, value]) => value !== undefined,
        )
        const expected = all
          .filter((send, nth) => {
            const isIn = (since === undefined || nth >= since) && (until === undefined || nth <= until) && !send.sandbox
            return (
              isIn &&
              Object.entries(equal).every(([name, value]) => value === undefined || send[name as 'state'] === value)
            )
          })
          .reverse()
          .slice(0, limit ?? 50)
        t.same(
          await list(Object.fromEntries(given)),
          expected.map(({ id }) => id),
        )
      },
    ),
    { numRuns: 150 },
  )
})

const launch: Command<{ sends: StoredSend[] }, true> = {
  name: 'test.launch',
  decide(tx, { sends }) {
    saveLaunched(tx, home, sends)
    return true
  },
}

t.test(
  'A campaign leads to its sends, launched together or one by one, wherever a walk through them stops',
  async (t) => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.record({ time: fc.nat(4), size: fc.integer({ min: 1, max: 5 }), isOne: fc.boolean() }), {
          maxLength: 8,
        }),
        fc.integer({ min: 1, max: 4 }),
        async (steps, limit) => {
          const sends: SendsFixture = await openSendsFixture(t, {}, [keep as never, launch as never])
          let drawn = 0
          const ids: string[] = []
          for (const { time, size, isOne } of steps) {
            const together = Array.from({ length: isOne ? 1 : size }, () => {
              // Within one time their order is any.
              const id = sendIdAt(from + time, `sd_${String((drawn++ * 7919) % 10_007).padStart(26, '0')}`)
              return made(0, {
                id,
                campaignId: 'c',
                origin: 'campaign',
                queuedAt: from + time,
                personId: `pr_${drawn}`,
              })
            })
            ids.push(...together.map(({ id }) => id))
            await sends.fixture.shards.execute(owner, isOne ? keep : launch, { sends: together })
          }
          const walked: string[] = []
          for (let after: string | undefined, isEnd = false; !isEnd; isEnd = after === undefined) {
            const request = { orgId: 'org', agentId: 'desk', filter: { campaignId: 'c' }, limit, seesAddress: false }
            const page = await sends.fixture.shards.query(owner, sends.parts.queries.scan, {
              ...request,
              ...(after !== undefined && { after }),
            })
            if (isRefusal(page)) throw new Error(page.refused)
            walked.push(...page.data.map(({ sendId }) => sendId))
            after = page.after
          }
          t.same(walked, ids.toSorted().reverse())
        },
      ),
      { numRuns: 40 },
    )
  },
)

t.test('A long list with few that fit is walked in bounded steps, none of which is long', async (t) => {
  const sends: SendsFixture = await openSendsFixture(t, {}, [keep as never])
  const many = 12 * limits.rowsPerRead
  for (let at = 0; at < many; at += 1_000) {
    const manySends = Array.from({ length: 1_000 }, (_, nth) =>
      made(at + nth, at + nth === 3 ? { state: 'failed' } : {}),
    )
    await sends.fixture.shards.execute(owner, keep, { sends: manySends })
  }
  const counted = { reads: 0 }
  t.equal((await lister(sends, counted)({ state: 'failed' })).length, 1)
  t.ok(counted.reads >= 12 && counted.reads <= 14, 'each step looks at so many sends and no more')
  counted.reads = 0
  t.equal((await lister(sends, counted)({})).length, 50)
  t.equal(counted.reads, 1)
})
