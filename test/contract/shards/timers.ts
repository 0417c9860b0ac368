/** Timers: commands that an engine gives itself, once, in order, whichever process owns the shard when they fire. */
import type { Test } from 'tap'
import type { Command } from '../../../runtime/shard/contract.js'
import { shard as limits } from '../../../runtime/shard/limits.js'
import { timerNameTable, timerTable } from '../../../runtime/shard/tables.js'
import { type EngineFixture, eventually, inOneCommit, type OpenEngineFixture, readerFor } from './fixture.js'
import { type Acted, act, executeScript, type Step, seenOf, testHandlers } from './handlers.js'

export function timersSuite(t: Test, openFixture: OpenEngineFixture): void {
  const later = (later: string, inMs: number, ...run: readonly Step[]): Step => ({
    later,
    inMs,
    run: run.length > 0 ? run : [{ write: later }],
  })
  const journal = async (fixture: EngineFixture) => (await seenOf(fixture, 'a')).journal
  const timers = (fixture: EngineFixture) => [...readerFor(fixture, 'a').range(timerTable)].length

  t.test(
    'A timer fires once, at its time and not before, and what fell due while nobody ran fires at the start',
    async (t) => {
      const fixture = await openFixture(t, { handlers: testHandlers() })
      await executeScript(fixture, 'a', later('second', 2 * hour), later('third', 20 * hour), later('first', hour))
      await fixture.time.advance(hour / 2)
      t.same(await journal(fixture), [])
      await fixture.time.advance(hour)
      await eventually(fixture, async () => (await journal(fixture)).length === 1)
      t.same(await journal(fixture), ['first'])
      await fixture.crash()

      await fixture.time.advance(2 * hour)
      const next = await openFixture(t, { handlers: testHandlers(), after: fixture })
      await eventually(next, async () => (await journal(next)).length === 2)
      await next.time.advance(15 * hour)
      t.same(await journal(next), ['first', 'second'])
      await next.stop()

      const last = await openFixture(t, { handlers: testHandlers(), after: next })
      await last.time.advance(2 * hour)
      await eventually(last, async () => (await journal(last)).length === 3)
      await last.time.advance(50 * hour)
      t.same(await journal(last), ['first', 'second', 'third'])
      t.equal(timers(last), 0)
      t.same([...readerFor(last, 'a').range(timerNameTable, { prefix: ['a'] })], [])
    },
  )

  t.test('A timer of the same name is replaced, and one that is taken back never fires', async (t) => {
    const fixture = await openFixture(t, { handlers: testHandlers() })
    await executeScript(
      fixture,
      'a',
      later('moved', hour, { write: 'too early' }),
      later('gone', hour),
      later('gone at once', hour),
      { unschedule: 'gone at once' },
    )
    await executeScript(fixture, 'a', later('moved', 3 * hour, { write: 'moved' }), { unschedule: 'never there' })
    await executeScript(fixture, 'a', { unschedule: 'gone' }, later('back', 5 * hour))
    await executeScript(fixture, 'a', later('back', 2 * hour, { write: 'back' }))
    await executeScript(fixture, 'b', later('moved', hour, { write: 'of b' }))
    await fixture.time.advance(90 * minute)
    await eventually(fixture, async () => (await seenOf(fixture, 'b')).journal.length === 1)
    t.same(await journal(fixture), [])
    await fixture.time.advance(hour)
    await eventually(fixture, async () => (await journal(fixture)).length === 1)
    await fixture.time.advance(hour)
    await eventually(fixture, async () => (await journal(fixture)).length === 2)
    await fixture.time.advance(10 * hour)
    t.same(await journal(fixture), ['back', 'moved'])
    t.equal(timers(fixture), 0)
  })

  t.test('A firm timer fires once like any other, and leaves one that came by its name alone', async (t) => {
    const fixture = await openFixture(t, { handlers: testHandlers() })
    await executeScript(fixture, 'a', { ...later('same', hour, { write: 'firm' }), isFirm: true })
    t.same([...readerFor(fixture, 'a').range(timerNameTable, { prefix: ['a'] })], [], 'nothing leads to it')
    await executeScript(fixture, 'a', later('same', 3 * hour, { write: 'other' }), later('next', 2 * hour))
    await fixture.crash()
    const next = await openFixture(t, { handlers: testHandlers(), after: fixture })
    await next.time.advance(90 * minute)
    await eventually(next, async () => (await journal(next)).length === 1)
    t.same(await journal(next), ['firm'])
    await next.time.advance(hour)
    await eventually(next, async () => (await journal(next)).length === 2)
    await next.time.advance(10 * hour)
    await eventually(next, async () => (await journal(next)).length === 3)
    t.same(await journal(next), ['firm', 'next', 'other'])
    t.equal(timers(next), 0)
    t.same([...readerFor(next, 'a').range(timerNameTable, { prefix: ['a'] })], [])
  })

  t.test('A timer that is replaced or taken back just as it falls due does as it was told last', async (t) => {
    const fixture = await openFixture(t, { handlers: testHandlers() })
    const dueAt = fixture.time.now() + hour
    const then = (name: string, write: string): Step => ({ later: name, dueAt, run: [{ write }] })
    await executeScript(
      fixture,
      'a',
      then('gone', 'gone'),
      then('put off', 'too early'),
      then('changed', 'old'),
      then('kept', 'kept'),
    )
    const change = [{ unschedule: 'gone' }, later('put off', 2 * hour), then('changed', 'new')]
    // All are due and in the mailbox, behind the command that changes some of them.
    const changed = await inOneCommit(
      fixture,
      () => executeScript(fixture, 'a', ...change),
      () => seenOf(fixture, 'a'),
      () => fixture.time.advance(hour + minute),
    )
    await changed
    await eventually(fixture, async () => (await journal(fixture)).length >= 2)
    t.same(await journal(fixture), ['new', 'kept'])
    await fixture.time.advance(3 * hour)
    await eventually(fixture, async () => (await journal(fixture)).length >= 3)
    t.same(await journal(fixture), ['new', 'kept', 'put off'])
    t.equal(timers(fixture), 0)
  })

  t.test('A timer may set itself again, and does so for as long as it is not taken back', async (t) => {
    let fired = 0
    const tick: Command<null, number> = {
      name: 'test.tick',
      decide(tx, input, meta) {
        tx.schedule({ name: 'tick', dueAt: meta.at + hour, command: 'test.tick', input })
        return ++fired
      },
    }
    const fixture = await openFixture(t, { handlers: testHandlers(undefined, { commands: [tick as never] }) })
    await executeScript(fixture, 'a', { later: 'tick', inMs: hour, run: [], command: tick.name })
    for (let hours = 1; hours <= 5; hours++) {
      await fixture.time.advance(hour + minute)
      await eventually(fixture, () => fired === hours)
    }
    await eventually(fixture, () => timers(fixture) === 1)
    await executeScript(fixture, 'a', { unschedule: 'tick' })
    await fixture.time.advance(10 * hour)
    t.equal(fired, 5)
  })

  t.test('Timers fire in the order of their times, more of them than a sweep takes, each once', async (t) => {
    const fixture = await openFixture(t, { handlers: testHandlers() })
    const count = 2 * limits.timersPerSweep + 100
    const from = fixture.time.now() + hour
    const shuffled = Array.from({ length: count }, (_, n) => (n * 7_919) % count)
    const step = (n: number): Step => ({
      later: `timer ${n}`,
      dueAt: from + n,
      run: [{ write: String(n) }, { count: 1 }],
    })
    for (let at = 0; at < count; at += 100) await executeScript(fixture, 'a', ...shuffled.slice(at, at + 100).map(step))
    t.equal(timers(fixture), count)
    await fixture.time.advance(2 * hour)
    await eventually(fixture, () => timers(fixture) === 0)
    await eventually(fixture, async () => (await seenOf(fixture, 'a')).counted >= count)
    await fixture.time.advance(hour)
    const current = await seenOf(fixture, 'a')
    t.same(
      current.journal,
      Array.from({ length: count }, (_, n) => String(n)),
    )
    t.equal(current.counted, count)
  })

  t.test(
    'A delay waits no longer than it was set for once the clock was set back, and a time of day stays',
    async (t) => {
      const fixture = await openFixture(t, { handlers: testHandlers() })
      const delay = (name: string, inMs: number): Step => ({ ...later(name, inMs), isDelay: true })
      await executeScript(
        fixture,
        'a',
        delay('delay', 10 * minute),
        later('time of day', 10 * minute),
        delay('long', 3 * hour),
      )
      fixture.time.setBack(2 * hour)
      await fixture.time.advance(limits.timerPollMs)
      await eventually(fixture, () => [...readerFor(fixture, 'a').range(timerTable)][0]?.key[2] === 'delay')
      await fixture.time.advance(5 * minute)
      t.same(await journal(fixture), [], 'it is not early')
      await fixture.time.advance(5 * minute)
      await eventually(fixture, async () => (await journal(fixture)).length === 1)
      t.same(await journal(fixture), ['delay'])
      await fixture.time.advance(2 * hour)
      await eventually(fixture, async () => (await journal(fixture)).length === 2)
      t.same(await journal(fixture), ['delay', 'time of day'])
      await fixture.time.advance(hour)
      await eventually(fixture, async () => (await journal(fixture)).length === 3)
      t.equal(timers(fixture), 0)
      t.same([...readerFor(fixture, 'a').range(timerNameTable, { prefix: ['a'] })], [])
    },
  )

  t.test('A delay waits no longer than it was set for when its shard is opened with an earlier clock', async (t) => {
    const fixture = await openFixture(t, { handlers: testHandlers() })
    const count = limits.timersPerSweep + 100
    const step = (n: number): Step => ({ ...later(`delay ${n}`, 10 * minute + n, { count: 1 }), isDelay: true })
    for (let n = 0; n < count; n += 100)
      await executeScript(fixture, 'a', ...Array.from({ length: 100 }, (_, m) => step(n + m)))
    await executeScript(fixture, 'a', later('time of day', 10 * minute))
    await fixture.crash()
    fixture.time.setBack(24 * hour)

    const next = await openFixture(t, { handlers: testHandlers(), after: fixture })
    const first = () => [...readerFor(next, 'a').range(timerTable)][0]!.key[0]
    await eventually(next, () => first() < next.time.now() + hour)
    await executeScript(next, 'a', { unschedule: 'delay 7' }, { ...later('delay 8', 2 * hour), isDelay: true })
    await eventually(next, async () => (await seenOf(next, 'a')).counted === count - 2, minute)
    await eventually(next, () => timers(next) === 2)
    t.same(await journal(next), [], 'those that were taken back or replaced since keep their last order')
    await next.time.advance(2 * hour)
    await eventually(next, async () => (await journal(next)).length === 1)
    t.same(await journal(next), ['delay 8'])
    await next.time.advance(24 * hour)
    await eventually(next, async () => (await journal(next)).length === 2)
    t.equal(timers(next), 0)
    t.equal((await seenOf(next, 'a')).counted, count - 2)
  })

  t.test('A timer whose command throws is dropped and said so; one that refuses is over too', async (t) => {
    const fixture = await openFixture(t, { handlers: testHandlers() })
    await executeScript(
      fixture,
      'a',
      later('poison', hour, { write: 'never' }, { throw: 'a bug' }),
      later('refusing', hour, { write: 'never' }, { refuse: 'no' }),
      later('sound', hour),
    )
    await fixture.time.advance(2 * hour)
    await eventually(fixture, async () => (await journal(fixture)).length > 0)
    await eventually(fixture, () => timers(fixture) === 0)
    await fixture.time.advance(limits.effectRetryMaxMs * 3)
    const failed = fixture.logged.filter(({ event }) => event === 'shard.command.failed')
    t.match(failed, [{ command: act.name, error: { message: 'a bug' } }])
    t.equal(failed.length, 1)
    t.same(await journal(fixture), ['sound'])
  })

  t.test('A timer of a command that this version does not know is said and kept for one that does', async (t) => {
    const fixture = await openFixture(t, { handlers: testHandlers() })
    await executeScript(
      fixture,
      'a',
      { later: 'future', inMs: hour, run: [{ write: 'at last' }], command: 'test.future' },
      later('known', hour),
    )
    await fixture.time.advance(2 * hour)
    await eventually(fixture, () =>
      fixture.logged.some(({ event, command }) => event === 'shard.timer.unknown' && command === 'test.future'),
    )
    await eventually(fixture, async () => (await journal(fixture)).length > 0)
    await fixture.time.advance(20 * limits.effectRetryMaxMs)
    t.equal(timers(fixture), 1)
    await fixture.stop()
    const future = { ...act, name: 'test.future' }
    const next = await openFixture(t, {
      handlers: testHandlers(undefined, { commands: [future as never] }),
      after: fixture,
    })
    await eventually(next, () => timers(next) === 0, limits.effectRetryMaxMs)
    await eventually(next, async () => (await journal(next)).length === 2)
    t.same(await journal(next), ['known', 'at last'])
  })

  t.test(
    'A timer in the past fires at once, and a command that a timer gives is told the time it is decided',
    async (t) => {
      const fixture = await openFixture(t, { handlers: testHandlers() })
      const acted = (await executeScript(fixture, 'a', later('past', -hour, { write: 'past' }))) as Acted
      await eventually(fixture, async () => (await journal(fixture)).length === 1)
      t.same(await journal(fixture), ['past'])
      const times: number[] = []
      const when: Command<unknown, number> = { name: 'test.when', decide: (_tx, _input, { at }) => times.push(at) }
      await fixture.stop()
      const next = await openFixture(t, {
        handlers: testHandlers(undefined, { commands: [when as never] }),
        after: fixture,
      })
      await executeScript(next, 'a', { later: 'when', inMs: hour, run: [], command: when.name })
      await next.time.advance(3 * hour)
      await eventually(next, () => times.length > 0)
      t.ok(times[0]! >= acted.at + hour && times[0]! <= next.time.now())
    },
  )
}

const minute = 60_000
const hour = 60 * minute
