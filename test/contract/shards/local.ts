/** What a process knows by itself of the shards it owns: changes, tenure, how they stand. */
import type { Test } from 'tap'
import { fixtureShards, type OpenEngineFixture, readerFor } from './fixture.js'
import { counters, executeScript, notes, odd, type Step, seen, testHandlers } from './handlers.js'

export function localSuite(t: Test, openFixture: OpenEngineFixture): void {
  t.test(
    'Whoever watches a table hears of every change before the one who made it is answered, and of nothing else',
    async (t) => {
      const fixture = await openFixture(t, { handlers: testHandlers() })
      const changes: unknown[] = []
      fixture.engine.watch(counters, (key, value) =>
        changes.push([...key, value, readerFor(fixture, key[0]).get(counters, key)]),
      )
      fixture.engine.watch(notes, ([owner, note], value) => changes.push([owner, note, value]))
      for (const [at, owner] of ['a', 'b', 'a'].entries()) {
        await executeScript(fixture, owner, { count: 5 }, { write: 'a table that nobody watches' })
        t.equal(changes.length, at + 1, 'heard when it is answered')
      }
      await executeScript(fixture, 'a', { note: 'x', text: 'one' }, { note: 'x', text: 'two' })
      await executeScript(fixture, 'a', { count: 1 }, { refuse: 'no' })
      await t.rejects(executeScript(fixture, 'a', { count: 1 }, { throw: 'a bug' }))
      t.same(changes, [
        ['a', 5, 5],
        ['b', 5, 5],
        ['a', 10, 10],
        ['a', 'x', 'two'],
      ])
    },
  )

  t.test(
    'A watcher that throws fails nobody: the commit is made, its effects are performed, other watchers hear of it',
    async (t) => {
      const performed: unknown[] = []
      const changes: unknown[] = []
      const fixture = await openFixture(t, {
        handlers: testHandlers(() => ({ deliver: async (payload) => void performed.push(payload) })),
      })
      fixture.engine.watch(counters, () => {
        throw new Error('a bug of the watcher')
      })
      fixture.engine.watch(counters, (_key, value) => changes.push(value))
      t.match(await executeScript(fixture, 'a', { count: 5 }, { effect: 'sent' }), { counted: 5 })
      t.match(await executeScript(fixture, 'a', { count: 5 }), { counted: 10 })
      while (performed.length === 0) await fixture.time.advance(0)
      t.same(changes, [5, 10])
    },
  )

  t.test(
    'A tenure is a number while a process owns the shard, the same for as long as it does, and none after',
    async (t) => {
      const fixture = await openFixture(t, { handlers: testHandlers() })
      const tenures = () => ['a', 'b', 'c', 'd'].map((owner) => fixture.engine.ownershipEpoch(owner))
      const before = tenures()
      t.ok(before.every((tenure) => typeof tenure === 'number'))
      await executeScript(fixture, 'a', { count: 1 } satisfies Step)
      await fixture.time.advance(60_000)
      t.same(tenures(), before)
      await fixture.stop()
      t.same(tenures(), [undefined, undefined, undefined, undefined])
    },
  )

  t.test(
    'A query of a shard that is served here is answered at once, as a read would be, and not at all elsewhere',
    async (t) => {
      const fixture = await openFixture(t, { handlers: testHandlers() })
      const here = (owner: string) => fixture.engine.queryLocal!(owner, seen, owner)
      for (const [at, owner] of ['a', 'b', 'a'].entries()) {
        await executeScript(fixture, owner, { count: 5 }, { write: `${at}` })
        t.strictSame(here(owner), await fixture.engine.query(owner, seen, owner), 'with all that was acknowledged')
      }
      t.match(here('a'), { counted: 10 })
      t.match(fixture.engine.queryLocal!('a', odd, { refuse: 'no' }), { refused: 'resource.not_found' })
      t.throws(() => fixture.engine.queryLocal!('a', odd, { throw: 'a bug' }))
      await fixture.stop()
      t.equal(here('a'), undefined)
    },
  )

  t.test('The status tells of every shard who owns it and how many commits it has', async (t) => {
    const fixture = await openFixture(t, { handlers: testHandlers() })
    const status = () => fixture.engine.status()
    const before = await status()
    t.same(
      before.map(({ shard }) => shard),
      Array.from({ length: fixtureShards }, (_, shard) => shard),
    )
    const [owner] = new Set(before.map((each) => each.owner))
    t.type(owner, 'string')
    await executeScript(fixture, 'a', { count: 1 })
    await executeScript(fixture, 'a', { count: 1 })
    const after = await status()
    const grown = after.map(({ last }, at) => last - before[at]!.last)
    t.same(grown.toSorted(), [0, 0, 0, 2])
    for (const each of after) {
      t.equal(each.owner, owner)
      t.ok(each.epoch >= 1)
      t.same(each.copies, { [owner!]: each.last })
      t.equal(each.pinned, undefined)
    }
  })

  t.test('A shard cannot be moved to where it cannot go', async (t) => {
    const fixture = await openFixture(t, { handlers: testHandlers() })
    t.match(await fixture.engine.move(0, 'nobody'), { refused: 'request.invalid' })
    t.match(await fixture.engine.move(fixtureShards, undefined), { refused: 'request.invalid' })
    t.match(await fixture.engine.move(-1, undefined), { refused: 'request.invalid' })
    t.equal(await fixture.engine.move(0, undefined), undefined, 'it may always go where it would by itself')
    t.match(await executeScript(fixture, 'a', { count: 1 }), { counted: 1 })
  })
}
