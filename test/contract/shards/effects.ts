/** Effects: performed after their commit, at least once, under ids that let a receiver see each exactly once. */
import fc from 'fast-check'
import type { Test } from 'tap'
import type { Command, EffectContext, EffectHandler, Query, Tx } from '../../../runtime/shard/contract.js'
import { shard as limits } from '../../../runtime/shard/limits.js'
import { outboxTable } from '../../../runtime/shard/tables.js'
import { type EngineFixture, eventually, inOneCommit, type OpenEngineFixture, readerFor } from './fixture.js'
import { act, counters, executeScript, journals, notes, seenOf, testHandlers } from './handlers.js'

export function effectsSuite(t: Test, openFixture: OpenEngineFixture): void {
  t.test('An effect is performed after its commit, again until it succeeds, always under the same id', async (t) => {
    const tries: { payload: string; id: string; owner: string; journal?: string; aborted: boolean }[] = []
    const fixture = await openFixture(t, {
      handlers: testHandlers(() => ({
        deliver: async (payload, { id, owner, reader, signal }) => {
          tries.push({ payload, id, owner, journal: reader.get(journals, ['a', 1]), aborted: signal.aborted })
          if (tries.length < 5) throw new Error('not now')
        },
      })),
    })
    await fixture.shards.execute('a', act, { owner: 'a', run: [{ write: 'done' }, { effect: 'hello' }] }, { id: 'x' })
    await eventually(fixture, () => tries.length >= 5, limits.effectRetryMs)
    t.same(tries, Array(5).fill({ payload: 'hello', id: 'a:x:0', owner: 'a', journal: 'done', aborted: false }))
    await eventually(fixture, () => countPendingEffects(fixture, 'a') === 0)
    await fixture.time.advance(limits.effectRetryMaxMs * 2)
    t.equal(tries.length, 5, 'and no more once it is done')
    t.equal(fixture.logged.filter(({ event }) => event === 'shard.effect.failed').length, 4)
    await fixture.crash()
    const next = await openFixture(t, {
      handlers: testHandlers(() => ({ deliver: async () => void tries.pop() })),
      after: fixture,
    })
    await next.time.advance(limits.effectRetryMaxMs)
    t.equal(tries.length, 5, 'not by the next process either')
  })

  t.test('What is owed stands behind all that was owed before, whichever process owed it', async (t) => {
    const failing = testHandlers(() => ({ deliver: () => Promise.reject(new Error('not now')) }))
    let fixture = await openFixture(t, { handlers: failing })
    const payloads = Array.from({ length: 12 }, (_, at) => `effect ${at}`)
    for (const [at, effect] of payloads.entries()) {
      await executeScript(fixture, 'a', { effect })
      // Commits that owe nothing, some of them the last before the process ends.
      for (let others = 0; others < at % 3; others++) await executeScript(fixture, 'a', { count: 1 })
      if (at % 4 !== 3) continue
      await fixture.crash()
      fixture = await openFixture(t, { handlers: failing, after: fixture })
    }
    const pending = Array.from(readerFor(fixture, 'a').range(outboxTable), ({ key, value }) => ({ key, value }))
    t.same(
      pending.map(({ value }) => value.payload),
      payloads,
    )
    t.equal(new Set(pending.map(({ key }) => key[1])).size, payloads.length, 'under numbers of their own')
  })

  t.test('Effects of a command have ids of their own, told as owner, command and place', async (t) => {
    const ids: string[] = []
    const fixture = await openFixture(t, {
      handlers: testHandlers(() => ({ deliver: async (_payload, { id }) => void ids.push(id) })),
    })
    const run = [{ effect: 1 }, { effect: 2, to: 'elsewhere' }, { effect: 3 }]
    await fixture.shards.execute('a', act, { owner: 'a', run }, { id: 'x' })
    await fixture.shards.execute('b', act, { owner: 'b', run: [{ effect: 1 }] }, { id: 'x' })
    await executeScript(fixture, 'a', { effect: 1 })
    await eventually(fixture, () => ids.length >= 5)
    t.same(ids.slice().sort().slice(-4), ['a:x:0', 'a:x:1', 'a:x:2', 'b:x:0'])
    t.equal(new Set(ids).size, 5)
  })

  t.test('An effect goes off the record in one commit with the command that reports on it', async (t) => {
    const received: unknown[] = []
    let dying: Promise<void> | undefined
    const first = await openFixture(t, {
      handlers: testHandlers((shards) => ({
        deliver: async (payload, { completes: token }) => {
          received.push(payload)
          await shards.execute('a', act, { owner: 'a', run: [{ write: 'reported' }] }, { completes: token })
          // The process ends before it could take the effect off the record by itself.
          dying = first.crash()
          return new Promise(() => {})
        },
      })),
    })
    first.shards.execute('a', act, { owner: 'a', run: [{ effect: 'hello' }] }).catch(() => {})
    await eventually(first, () => dying !== undefined)
    await dying
    const next = await openFixture(t, {
      handlers: testHandlers(() => ({ deliver: async (payload) => void received.push(payload) })),
      after: first,
    })
    t.equal(countPendingEffects(next, 'a'), 0)
    t.equal(readerFor(next, 'a').get(journals, ['a', 1]), 'reported')
    await next.time.advance(limits.effectRetryMaxMs)
    t.same(received, ['hello'])
  })

  t.test('A report that is refused, or is of another owner, leaves the effect on the record', async (t) => {
    const tries: string[] = []
    const fixture = await openFixture(t, {
      handlers: testHandlers((shards) => ({
        deliver: async (_payload, { completes: token }) => {
          tries.push('a')
          if (tries.length === 1)
            await shards.execute('b', act, { owner: 'b', run: [{ write: 'elsewhere' }] }, { completes: token })
          if (tries.length === 2)
            await shards.execute('a', act, { owner: 'a', run: [{ refuse: 'no' }] }, { completes: token })
          if (tries.length < 3) throw new Error('not now')
        },
      })),
    })
    await fixture.shards.execute('a', act, { owner: 'a', run: [{ effect: 'hello' }] })
    await eventually(fixture, () => tries.length === 3, limits.effectRetryMs)
    await eventually(fixture, () => countPendingEffects(fixture, 'a') === 0)
  })

  t.test('What a process had not performed, or performed without noting it, is performed by the next', async (t) => {
    const received: [payload: unknown, id: string][] = []
    let dying: Promise<void> | undefined
    const first = await openFixture(t, {
      handlers: testHandlers(() => ({
        // Performed, and the process ends before it can say so.
        deliver: async (payload, { id }) => {
          if (payload === 'never begun') return new Promise(() => {})
          received.push([payload, id])
          dying = first.crash()
        },
      })),
    })
    const run = [{ effect: 'never begun', to: 'slow' }, { effect: 'performed' }]
    first.shards.execute('a', act, { owner: 'a', run }, { id: 'x' }).catch(() => {})
    await eventually(first, () => dying !== undefined)
    await dying
    t.same(received, [['performed', 'a:x:1']])
    const next = await openFixture(t, {
      handlers: testHandlers(() => ({ deliver: async (payload, { id }) => void received.push([payload, id]) })),
      after: first,
    })
    await eventually(next, () => countPendingEffects(next, 'a') === 0)
    t.same(received.slice(1).sort(), [
      ['never begun', 'a:x:0'],
      ['performed', 'a:x:1'],
    ])
  })

  t.test(
    'A receiver that drops ids it has seen sees every effect exactly once, whatever dies and fails on the way',
    async (t) => {
      const anyFate = fc.constantFrom('done', 'done', 'done', 'fails', 'done and dies', 'dies')
      let processes = 0
      await fc.assert(
        fc.asyncProperty(
          fc.array(fc.tuple(fc.nat({ max: 2 }), anyFate), { minLength: 6, maxLength: 14 }),
          async (plan) => {
            const received = new Map<string, unknown>()
            let performed = 0
            let fixture: EngineFixture | undefined
            const deliver: EffectHandler = async (payload: never, { id }: EffectContext) => {
              const what = plan[performed++]?.[1] ?? 'done'
              if (what === 'fails' || !fixture) throw new Error('not now')
              if (what !== 'dies') received.set(id, payload)
              if (what !== 'done') await fixture.crash()
            }
            const opening = { handlers: testHandlers(() => ({ deliver })) }
            async function open(after?: EngineFixture): Promise<EngineFixture> {
              processes++
              fixture = undefined
              await after?.crash()
              fixture = await openFixture(t, { ...opening, after })
              return fixture
            }
            let current = await open()
            const expected = new Map<string, unknown>()
            for (const [n, [to]] of plan.entries()) {
              const run = [{ effect: n, to: `destination ${to}` }, { count: 1 }]
              const requests = current.shards.execute('a', act, { owner: 'a', run }, { id: String(n) })
              // A caller without an answer repeats the command under the same id.
              let answered = false
              requests.then(
                () => (answered = true),
                () => {},
              )
              expected.set(`a:${n}:0`, n)
              await eventually(current, () => answered || current.isEnded())
              if (current.isEnded()) current = await open(current)
              await current.shards.execute('a', act, { owner: 'a', run }, { id: String(n) })
            }
            for (;;) {
              await eventually(
                current,
                () => current.isEnded() || countPendingEffects(current, 'a') === 0,
                limits.effectRetryMs,
              )
              if (!current.isEnded()) break
              current = await open(current)
            }
            const { counted } = await seenOf(current, 'a')
            if (counted !== plan.length) throw new Error(`${counted} commands were decided, not ${plan.length}`)
            const missing = [...expected].filter(([id, payload]) => received.get(id) !== payload)
            if (missing.length > 0 || received.size !== expected.size) {
              throw new Error(`received ${JSON.stringify([...received])}, not ${JSON.stringify([...expected])}`)
            }
            await current.crash()
          },
        ),
        { numRuns: 5 },
      )
      t.ok(processes > 5, `in ${processes} processes`)
    },
  )

  t.test('A command told to another owner is decided there exactly once, whatever dies on the way', async (t) => {
    const opening = { handlers: testHandlers() }
    let fixture = await openFixture(t, opening)
    const people = ['ann', 'ben', 'cyd', 'dan', 'eve']
    await Promise.all(people.map((owner) => executeScript(fixture, owner, { count: 1_000 })))
    for (let round = 0; round < 3; round++) {
      for (let n = 0; n < 60; n++) {
        const [from, to] = [people[n % 5]!, people[(n * 3 + round + 1) % 5]!]
        // Handed on twice more before it stays.
        const on = { tell: from, run: [{ count: 1 }, { write: `${round}/${n}` }] }
        executeScript(fixture, from, { count: -1 }, { tell: to, run: [on] }).catch(() => {})
      }
      await eventually(fixture, async () => (await fixture.engine.status()).some(({ last }) => last > 3 * (round + 1)))
      await fixture.crash()
      fixture = await openFixture(t, { ...opening, after: fixture })
    }
    await eventually(
      fixture,
      () => people.every((owner) => countPendingEffects(fixture, owner) === 0),
      limits.effectRetryMs,
    )
    for (const owner of people) {
      const { journal, counted } = await seenOf(fixture, owner)
      t.equal(counted, 1_000, `${owner} got back what was given away`)
      t.equal(new Set(journal).size, journal.length, 'and nothing twice')
    }
  })

  t.test('Tells that are refused or fail at the other owner hold up none behind them', async (t) => {
    const fixture = await openFixture(t, { handlers: testHandlers() })
    for (let n = 0; n < limits.effectsPerDestination + 2; n++) {
      await executeScript(
        fixture,
        'a',
        { tell: 'b', run: [{ throw: 'a bug' }] },
        { tell: 'b', run: [{ refuse: 'no' }] },
      )
    }
    await executeScript(fixture, 'a', { tell: 'b', run: [{ write: 'on' }] })
    await eventually(fixture, async () => (await seenOf(fixture, 'b')).journal.includes('on'))
    t.same((await seenOf(fixture, 'b')).journal, ['on'])
  })

  t.test('What comes in numbers is all told, by commits that are one or many, whatever dies on the way', async (t) => {
    interface Note {
      readonly of: string
      readonly text: string
    }
    const putNote = (tx: Tx, { of, text }: Note) => tx.put(notes, ['b', of], text)
    const noteAll: Command<readonly Note[], true> = {
      name: 'test.noteAll',
      idempotent: true,
      decide(tx, all) {
        for (const each of all) putNote(tx, each)
        return true
      },
    }
    const note: Command<Note, true> = {
      name: 'test.note',
      idempotent: true,
      batch: noteAll,
      decide(tx, each) {
        putNote(tx, each)
        return true
      },
    }
    /** Writes nothing of its own. */
    const sendNotes: Command<readonly Note[], true> = {
      name: 'test.sendNotes',
      decide(tx, all) {
        for (const { of, text } of all) tx.send('b', note, { of, text: text === 'odd' ? (new Map() as never) : text })
        return true
      },
    }
    const opening = { handlers: testHandlers(undefined, { commands: [note, noteAll, sendNotes] as never }) }
    let fixture = await openFixture(t, opening)
    const expectedTexts: Record<string, string> = {}
    for (let round = 0; round < 3; round++) {
      const sentNotes = Array.from({ length: limits.messagesPerBatch + 6 }, (_, nth): Note => {
        return { of: `${round}/${nth}`, text: nth === 9 ? 'odd' : `said ${nth}` }
      })
      for (const { of, text } of sentNotes) if (text !== 'odd') expectedTexts[of] = text
      const requests = await inOneCommit(
        fixture,
        () => sentNotes.map((each) => fixture.shards.execute('a', sendNotes, [each])),
        () => seenOf(fixture, 'a'),
      )
      t.ok((await Promise.all(requests)).every((answer) => answer === true))
      await fixture.shards.execute('a', sendNotes, [
        { of: `${round}/x`, text: 'first' },
        { of: `${round}/x`, text: 'last' },
      ])
      expectedTexts[`${round}/x`] = 'last'
      if (round === 1) await eventually(fixture, () => countPendingEffects(fixture, 'a') === 0, limits.effectRetryMs)
      t.ok(fixture.logged.some(({ event }) => event === 'shard.send.failed'))
      await fixture.crash()
      fixture = await openFixture(t, { ...opening, after: fixture })
    }
    await eventually(fixture, () => countPendingEffects(fixture, 'a') === 0, limits.effectRetryMs)
    t.same((await seenOf(fixture, 'b')).notes, expectedTexts)
  })

  t.test('What would change nothing at another owner is not owed to it, and anything else is', async (t) => {
    const isUncounted: Query<string, boolean> = {
      name: 'test.uncounted',
      read: (reader, owner) => reader.get(counters, [owner]) === undefined,
    }
    /** Counts on where anything was counted. */
    const countOn: Command<string, true> = {
      name: 'test.countOn',
      decide(tx, owner) {
        tx.put(counters, [owner], (tx.get(counters, [owner]) ?? 0) + 1)
        return true
      },
      skipIf: isUncounted,
    }
    const sendOn: Command<string, number> = {
      name: 'test.sendOn',
      decide(tx, to) {
        tx.send(to, countOn, to)
        tx.put(counters, ['told'], (tx.get(counters, ['told']) ?? 0) + 1)
        return 0
      },
    }
    const fixture = await openFixture(t, {
      handlers: testHandlers(undefined, { commands: [countOn, sendOn] as never, queries: [isUncounted] as never }),
    })
    await fixture.shards.execute('a', sendOn, 'b')
    t.equal(countPendingEffects(fixture, 'a'), 0)
    await executeScript(fixture, 'b', { count: 1 })
    await fixture.shards.execute('a', sendOn, 'b')
    await eventually(fixture, async () => (await seenOf(fixture, 'b')).counted > 1)
    await eventually(fixture, () => countPendingEffects(fixture, 'a') === 0)
    t.equal((await seenOf(fixture, 'b')).counted, 2)
  })

  t.test('An effect of a kind that nobody here performs is said once and kept for a version that does', async (t) => {
    const fixture = await openFixture(t, { handlers: testHandlers() })
    await executeScript(
      fixture,
      'a',
      { effect: 1, kind: 'future' },
      { effect: 2, kind: 'future' },
      { effect: 3, kind: 'future', to: 'x' },
    )
    await executeScript(fixture, 'a', { effect: 4, kind: 'future' }, { effect: 5 })
    await eventually(fixture, () => countPendingEffects(fixture, 'a') === 4)
    await fixture.time.advance(limits.effectRetryMaxMs)
    t.same(
      fixture.logged.filter(({ event }) => event === 'shard.effect.unknown').map(({ kind }) => kind),
      ['future'],
    )
    await fixture.stop()
    const received: unknown[] = []
    const next = await openFixture(t, {
      handlers: testHandlers(() => ({ future: async (payload) => void received.push(payload) })),
      after: fixture,
    })
    await eventually(next, () => countPendingEffects(next, 'a') === 0)
    t.same(received.sort(), [1, 2, 3, 4])
  })

  t.test('What a performer reports is a command like any other', async (t) => {
    const fixture = await openFixture(t, {
      handlers: testHandlers((shards) => ({
        async deliver(payload: string, { id, owner, reader }) {
          const before = reader.get(counters, [owner])
          const run = [{ write: `${payload} after ${before}` }]
          await shards.execute(owner, act, { owner, run }, { id: `report of ${id}` })
          await shards.execute('b', act, { owner: 'b', run }, { id: `report of ${id}` })
        },
      })),
    })
    await executeScript(fixture, 'a', { count: 3 }, { effect: 'sent' })
    await eventually(fixture, async () => (await seenOf(fixture, 'b')).journal.length > 0)
    t.same((await seenOf(fixture, 'a')).journal, ['sent after 3'])
    t.same((await seenOf(fixture, 'b')).journal, ['sent after 3'])
  })
}

/** Effects that a shard still has on its record. */
export function countPendingEffects(fixture: EngineFixture, owner: string): number {
  return [...readerFor(fixture, owner).range(outboxTable)].length
}
