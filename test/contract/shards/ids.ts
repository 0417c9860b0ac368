/** Ids of commands: a second ask under one is the first ask again, for as long as it is remembered. */
import type { Test } from 'tap'
import { shard as limits } from '../../../core/limits.js'
import { answeredTable, answeredUntilTable } from '../../../runtime/shard/tables.js'
import { eventually, type House, type OpenHouse, stored, together } from './house.js'
import { type Acted, act, doing, repertoire, type Step, seenOf } from './repertoire.js'

export function idsSuite(t: Test, openHouse: OpenHouse): void {
  const asking = (house: House, id: string, ...run: readonly Step[]) =>
    house.shards.ask('a', act, { owner: 'a', run }, { id }) as Promise<Acted>

  t.test(
    'A second ask under an id returns the first answer and changes nothing, at once, later and after a restart',
    async (t) => {
      const performed: unknown[] = []
      const opening = repertoire(() => ({ deliver: async (payload) => void performed.push(payload) }))
      const house = await openHouse(t, { repertoire: opening })
      const steps: Step[] = [{ count: 1 }, { write: 'once' }, { effect: 'once' }, { tell: 'b', run: [{ count: 1 }] }]
      const once = (where: House) =>
        asking(where, 'once', ...steps, { later: 'soon', inMs: 1, run: [{ write: 'soon' }] })
      const all = await together(
        house,
        () => Promise.all([once(house), once(house), once(house)]),
        () => seenOf(house, 'a'),
      )
      const [first, second, third] = await all
      t.same([second, third], [first, first])
      t.equal(first.counted, 1)
      await eventually(house, async () => (await seenOf(house, 'a')).journal.length >= 2, 1)
      await eventually(house, async () => (await seenOf(house, 'b')).counted >= 1 && performed.length > 0)
      t.same(await once(house), first)
      t.same(await asking(house, 'once', { count: 100 }), first, 'whatever it asks for')
      await house.die()

      const next = await openHouse(t, { repertoire: opening, after: house })
      t.same(await once(next), first)
      await doing(next, 'a', { write: 'behind' })
      await next.time.advance(1_000)
      t.same(await seenOf(next, 'a'), { journal: ['once', 'soon', 'behind'], notes: {}, counted: 1 })
      t.equal((await seenOf(next, 'b')).counted, 1)
      t.same(performed, ['once'])
    },
  )

  t.test('An id belongs to its owner, and one whose command refused or threw is free', async (t) => {
    const house = await openHouse(t, { repertoire: repertoire() })
    t.equal((await asking(house, 'same', { count: 1 })).counted, 1)
    const other = await house.shards.ask('b', act, { owner: 'b', run: [{ count: 7 }] }, { id: 'same' })
    t.match(other, { counted: 7 })
    t.match(await asking(house, 'free', { refuse: 'not yet' }), { refused: 'resource.not_found' })
    await t.rejects(asking(house, 'free', { throw: 'a bug' }))
    t.equal((await asking(house, 'free', { count: 1 })).counted, 2)
    t.equal((await asking(house, 'free', { count: 1 })).counted, 2)
  })

  t.test('An id is remembered for a day and then forgotten', async (t) => {
    const house = await openHouse(t, { repertoire: repertoire() })
    t.equal((await asking(house, 'daily', { count: 1 })).counted, 1)
    await house.time.advance(limits.rememberedCommandMs - hour)
    await doing(house, 'a', { write: 'a commit' })
    t.equal((await asking(house, 'daily', { count: 1 })).counted, 1)
    await house.time.advance(2 * hour)
    await doing(house, 'a', { write: 'a commit' })
    t.equal((await asking(house, 'daily', { count: 1 })).counted, 2)
  })

  t.test('What is remembered is forgotten as fast as new ids come, the ids of retries after ten minutes', async (t) => {
    const house = await openHouse(t, { repertoire: repertoire() })
    const remembered = () => [...stored(house, 'a').range(answeredTable, { prefix: ['a'] })].map(({ key }) => key[1])
    const given = Array.from({ length: 200 }, (_, n) => `id ${n}`)
    await Promise.all(given.map((id) => asking(house, id, { count: 1 })))
    await Promise.all(given.map(() => doing(house, 'a', { count: 1 })))
    const drawn = remembered().filter((id) => !given.includes(id))
    await house.time.advance(limits.rememberedRetryMs + hour)
    await forgotten(drawn)
    t.same(
      given.filter((id) => !remembered().includes(id)),
      [],
      'ids that callers gave are kept',
    )
    await house.time.advance(limits.rememberedCommandMs)
    await forgotten(given)
    t.equal([...stored(house, 'a').range(answeredUntilTable)].length, remembered().length)

    async function forgotten(ids: readonly string[]): Promise<void> {
      let commits = 0
      for (; remembered().some((id) => ids.includes(id)); commits++) await doing(house, 'a', { write: 'a commit' })
      // A new owner waits a while before it forgets; from then on every commit forgets a little more than comes in.
      t.ok(commits <= 2 * ids.length + 1, `${ids.length} ids in ${commits} commits`)
    }
  })
}

const hour = 3_600_000
