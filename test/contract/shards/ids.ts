/** Ids of commands: a second ask under one is the first ask again, for as long as it is remembered. */
import type { Test } from 'tap'
import { shard as limits } from '../../../runtime/shard/limits.js'
import { answerExpiryTable, answerTable } from '../../../runtime/shard/tables.js'
import { type EngineFixture, eventually, inOneCommit, type OpenEngineFixture, readerFor } from './fixture.js'
import { type Acted, act, executeScript, type Step, seenOf, testHandlers } from './handlers.js'

export function idsSuite(t: Test, openFixture: OpenEngineFixture): void {
  const executeAs = (fixture: EngineFixture, id: string, ...run: readonly Step[]) =>
    fixture.shards.execute('a', act, { owner: 'a', run }, { id }) as Promise<Acted>

  t.test(
    'A second ask under an id returns the first answer and changes nothing, at once, later and after a restart',
    async (t) => {
      const performed: unknown[] = []
      const opening = testHandlers(() => ({ deliver: async (payload) => void performed.push(payload) }))
      const fixture = await openFixture(t, { handlers: opening })
      const steps: Step[] = [{ count: 1 }, { write: 'once' }, { effect: 'once' }, { tell: 'b', run: [{ count: 1 }] }]
      const once = (where: EngineFixture) =>
        executeAs(where, 'once', ...steps, { later: 'soon', inMs: 1, run: [{ write: 'soon' }] })
      const all = await inOneCommit(
        fixture,
        () => Promise.all([once(fixture), once(fixture), once(fixture)]),
        () => seenOf(fixture, 'a'),
      )
      const [first, second, third] = await all
      t.same([second, third], [first, first])
      t.equal(first.counted, 1)
      await eventually(fixture, async () => (await seenOf(fixture, 'a')).journal.length >= 2, 1)
      await eventually(fixture, async () => (await seenOf(fixture, 'b')).counted >= 1 && performed.length > 0)
      t.same(await once(fixture), first)
      t.same(await executeAs(fixture, 'once', { count: 100 }), first, 'whatever it asks for')
      await fixture.crash()

      const next = await openFixture(t, { handlers: opening, after: fixture })
      t.same(await once(next), first)
      await executeScript(next, 'a', { write: 'behind' })
      await next.time.advance(1_000)
      t.same(await seenOf(next, 'a'), { journal: ['once', 'soon', 'behind'], notes: {}, counted: 1 })
      t.equal((await seenOf(next, 'b')).counted, 1)
      t.same(performed, ['once'])
    },
  )

  t.test('An id belongs to its owner, and one whose command refused or threw is free', async (t) => {
    const fixture = await openFixture(t, { handlers: testHandlers() })
    t.equal((await executeAs(fixture, 'same', { count: 1 })).counted, 1)
    const other = await fixture.shards.execute('b', act, { owner: 'b', run: [{ count: 7 }] }, { id: 'same' })
    t.match(other, { counted: 7 })
    t.match(await executeAs(fixture, 'free', { refuse: 'not yet' }), { refused: 'resource.not_found' })
    await t.rejects(executeAs(fixture, 'free', { throw: 'a bug' }))
    t.equal((await executeAs(fixture, 'free', { count: 1 })).counted, 2)
    t.equal((await executeAs(fixture, 'free', { count: 1 })).counted, 2)
  })

  t.test('An id is remembered for a day and then forgotten', async (t) => {
    const fixture = await openFixture(t, { handlers: testHandlers() })
    t.equal((await executeAs(fixture, 'daily', { count: 1 })).counted, 1)
    await fixture.time.advance(limits.rememberedCommandMs - hour)
    await executeScript(fixture, 'a', { write: 'a commit' })
    t.equal((await executeAs(fixture, 'daily', { count: 1 })).counted, 1)
    await fixture.time.advance(2 * hour)
    await executeScript(fixture, 'a', { write: 'a commit' })
    t.equal((await executeAs(fixture, 'daily', { count: 1 })).counted, 2)
  })

  t.test('What is remembered is forgotten as fast as new ids come, the ids of retries after ten minutes', async (t) => {
    const fixture = await openFixture(t, { handlers: testHandlers() })
    const answerIds = () => [...readerFor(fixture, 'a').range(answerTable, { prefix: ['a'] })].map(({ key }) => key[1])
    const commandIds = Array.from({ length: 200 }, (_, n) => `id ${n}`)
    await Promise.all(commandIds.map((id) => executeAs(fixture, id, { count: 1 })))
    await Promise.all(commandIds.map(() => executeScript(fixture, 'a', { count: 1 })))
    const drawn = answerIds().filter((id) => !commandIds.includes(id))
    await fixture.time.advance(limits.rememberedRetryMs + hour)
    await waitUntilForgotten(drawn)
    t.same(
      commandIds.filter((id) => !answerIds().includes(id)),
      [],
      'ids that callers gave are kept',
    )
    await fixture.time.advance(limits.rememberedCommandMs)
    await waitUntilForgotten(commandIds)
    t.equal([...readerFor(fixture, 'a').range(answerExpiryTable)].length, answerIds().length)

    async function waitUntilForgotten(ids: readonly string[]): Promise<void> {
      let commits = 0
      for (; answerIds().some((id) => ids.includes(id)); commits++)
        await executeScript(fixture, 'a', { write: 'a commit' })
      // A new owner waits a while before it forgets; from then on every commit forgets a little more than comes in.
      t.ok(commits <= 2 * ids.length + 1, `${ids.length} ids in ${commits} commits`)
    }
  })
}

const hour = 3_600_000
