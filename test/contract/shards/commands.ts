/** Order, atomicity, answers and reads: what a caller may count on. */
import { isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import type { Test } from 'tap'
import { type Refusal, refuse } from '../../../core/errors.js'
import type { Query } from '../../../runtime/shard/contract.js'
import { shardOf } from '../../../runtime/shard/placement.js'
import { outboxTable, timerTable } from '../../../runtime/shard/tables.js'
import { anyRecord } from '../../runtime/store/generated.js'
import { eventually, fixtureShards, inOneCommit, type OpenEngineFixture, readerFor } from './fixture.js'
import {
  type Acted,
  act,
  counted,
  echo,
  executeScript,
  notes,
  odd,
  seen,
  seenOf,
  testHandlers,
  unregistered,
  unstorableWays,
} from './handlers.js'

/** Owners so many that every shard has one. */
export const owners = Array.from({ length: 3 * fixtureShards }, (_, n) => `owner-${n}`)

export function commandsSuite(t: Test, openFixture: OpenEngineFixture): void {
  t.test('Commands of an owner are decided one after another in the order of asking', async (t) => {
    const fixture = await openFixture(t, { handlers: testHandlers() })
    const inputs = Array.from({ length: 600 }, (_, n) => ({ owner: owners[n % owners.length]!, word: `word ${n}` }))
    const answers = await Promise.all(
      inputs.map(({ owner, word }) => executeScript(fixture, owner, { write: word }, { count: 1 })),
    )
    for (const owner of owners) {
      const words = inputs.filter((each) => each.owner === owner).map(({ word }) => word)
      const current = await seenOf(fixture, owner)
      t.same(current.journal, words, `${owner} has all that was asked, in order`)
      t.equal(current.counted, words.length)
      t.same(
        answers.filter((_, at) => inputs[at]!.owner === owner).map((answer) => (answer as Acted).counted),
        words.map((_, at) => at + 1),
        'and every command saw those before it',
      )
    }
    t.ok(
      fixture.commits.some((commands) => commands > 1),
      'commands that came together shared a commit',
    )
  })

  t.test('What is answered can be read by everybody, and is there after the process has died', async (t) => {
    const fixture = await openFixture(t, { handlers: testHandlers() })
    const executed: string[] = []
    const answered: string[] = []
    let unseen = 0
    let over = false
    async function executeForever(): Promise<void> {
      while (!over) {
        const word = `word ${executed.length}`
        executed.push(word)
        await executeScript(fixture, 'a', { write: word }, { note: word, text: word }, { count: 1 })
        answered.push(word)
        if (!over && readerFor(fixture, 'a').get(notes, ['a', word]) !== word) unseen++
      }
    }
    for (let caller = 0; caller < 16; caller++) executeForever().catch(() => {})
    await eventually(fixture, () => answered.length >= 100)
    const some = [...answered]
    const current = await seenOf(fixture, 'a')
    t.ok(
      some.every((word) => current.journal.includes(word)),
      'a read sees what was answered before it',
    )
    over = true
    await fixture.crash()
    t.equal(unseen, 0, 'nothing was answered before the store had it')

    const next = await openFixture(t, { handlers: testHandlers(), after: fixture })
    const after = await seenOf(next, 'a')
    t.same(after.journal, executed.slice(0, after.journal.length), 'what is there is there in the order of asking')
    t.ok(after.journal.length >= answered.length, `${answered.length} were answered, ${after.journal.length} are there`)
    t.equal(after.counted, after.journal.length, 'whole commands only')
    t.same(Object.keys(after.notes).sort(), [...after.journal].sort())
  })

  t.test('A command that throws or refuses leaves no trace, and its neighbours are not touched', async (t) => {
    const performed: unknown[] = []
    const fixture = await openFixture(t, {
      handlers: testHandlers(() => ({ deliver: async (payload) => void performed.push(payload) })),
    })
    const traces = [
      { write: 'never' },
      { note: 'never', text: 'never' },
      { count: 100 },
      { effect: 'never' },
      { tell: 'b', run: [{ write: 'never' }] },
      { later: 'never', inMs: 0, run: [{ write: 'never' }] },
      { unschedule: 'kept' },
    ] as const
    await executeScript(fixture, 'a', { later: 'kept', inMs: hour, run: [{ write: 'kept' }] })
    const results = await inOneCommit(
      fixture,
      () =>
        Promise.allSettled([
          executeScript(fixture, 'a', { write: 'one' }, { count: 1 }, { effect: 'one' }),
          executeScript(fixture, 'a', ...traces, { throw: 'a bug' }),
          executeScript(fixture, 'a', { write: 'two' }, { count: 1 }, { effect: 'two' }),
          executeScript(fixture, 'a', ...traces, { refuse: 'not today' }),
          executeScript(fixture, 'a', { write: 'three' }, { count: 1 }, { effect: 'three' }),
        ]),
      () => seenOf(fixture, 'a'),
    )
    const [one, thrown, two, refused, three] = await results
    t.match([one, two, three], [{ value: { counted: 1 } }, { value: { counted: 2 } }, { value: { counted: 3 } }])
    t.match(thrown, { status: 'rejected', reason: { message: 'a bug' } })
    t.same(refused, { status: 'fulfilled', value: refuse('resource.not_found', { detail: 'not today' }) })
    t.ok(fixture.logged.some(({ event, command }) => event === 'shard.command.failed' && command === act.name))
    await eventually(fixture, () => performed.length >= 3)
    await fixture.time.advance(hour - 1_000)
    t.same(await seenOf(fixture, 'a'), { journal: ['one', 'two', 'three'], notes: {}, counted: 3 })
    t.same((await seenOf(fixture, 'b')).journal, [])
    t.same(performed, ['one', 'two', 'three'])
    await eventually(fixture, async () => (await seenOf(fixture, 'a')).journal.includes('kept'), 1_000)
  })

  t.test('A command that writes what cannot be stored fails alone', async (t) => {
    const performed: unknown[] = []
    const fixture = await openFixture(t, {
      handlers: testHandlers(() => ({ deliver: async (payload) => void performed.push(payload) })),
    })
    const results = await inOneCommit(
      fixture,
      () =>
        Promise.allSettled([
          executeScript(fixture, 'a', { write: 'first' }),
          ...unstorableWays.map((way) =>
            executeScript(fixture, 'a', { write: way }, { effect: 'never' }, { unstorable: way }, { count: 1 }),
          ),
          executeScript(fixture, 'a', { write: 'last' }, { effect: 'last' }),
        ]),
      () => seenOf(fixture, 'a'),
    )
    const all = await results
    t.equal(all[0]?.status, 'fulfilled')
    t.equal(all.at(-1)?.status, 'fulfilled')
    for (const [at, way] of unstorableWays.entries()) t.equal(all[at + 1]?.status, 'rejected', way)
    t.same(await seenOf(fixture, 'a'), { journal: ['first', 'last'], notes: {}, counted: 0 })
    await eventually(fixture, () => performed.length > 0)
    await fixture.time.advance(hour)
    t.same(performed, ['last'])
    t.same([...readerFor(fixture, 'a').range(timerTable)], [])
    t.equal(fixture.store.failure(), undefined)
    t.match(await executeScript(fixture, 'a', { write: 'on' }), { place: 3 }, 'and it goes on')
  })

  t.test('An answer that is not plain data fails its command, which leaves no trace', async (t) => {
    const answering = {
      ...act,
      name: 'test.answering',
      decide: (...all: Parameters<typeof act.decide>) => ({ ...act.decide(...all), at: new Map() }) as never,
    }
    const fixture = await openFixture(t, { handlers: testHandlers(undefined, { commands: [answering] }) })
    await t.rejects(
      fixture.shards.execute('a', answering, { owner: 'a', run: [{ write: 'never' }] }, { id: 'odd' }),
      /plain data/,
    )
    t.same((await seenOf(fixture, 'a')).journal, [])
  })

  t.test('Plain data of any shape is asked, answered, remembered and read as it was', async (t) => {
    const fixture = await openFixture(t, { handlers: testHandlers() })
    let ids = 0
    await fc.assert(
      fc.asyncProperty(anyRecord, async (value) => {
        const id = `echo-${++ids}`
        const answers = [
          await fixture.shards.execute('a', echo, { value }),
          await fixture.shards.execute('a', echo, { value }, { id }),
          await fixture.shards.execute('a', echo, { value: 'another' }, { id }),
          await fixture.shards.query('a', odd, { value }),
        ]
        for (const answer of answers) {
          // A clone has bytes as bytes, whether they were a Buffer before or not.
          if (!isDeepStrictEqual(structuredClone(answer), structuredClone({ value }))) {
            throw new Error(`it came back as ${JSON.stringify(answer)}`)
          }
        }
      }),
      { numRuns: 60 },
    )
    t.ok(ids >= 60)
  })

  t.test('A command of several megabytes travels, is stored, and does not hold up those beside it', async (t) => {
    const fixture = await openFixture(t, { handlers: testHandlers() })
    const text = Array.from({ length: 5_000 }, (_, at) => `${at} `.padEnd(1_000, letters)).join('')
    const answers = await Promise.all([
      executeScript(fixture, 'a', { write: 'before' }),
      executeScript(fixture, 'a', { note: 'large', text }, { write: 'large' }),
      executeScript(fixture, 'a', { write: 'behind' }),
    ])
    t.match(answers, [{ place: 1 }, { place: 2 }, { place: 3 }])
    const current = await seenOf(fixture, 'a')
    t.same(current.journal, ['before', 'large', 'behind'])
    t.ok(current.notes.large === text, 'it is there as it was asked')
    await fixture.crash()
    const next = await openFixture(t, { handlers: testHandlers(), after: fixture })
    t.ok((await seenOf(next, 'a')).notes.large === text, 'and still after the process has died')
  })

  t.test(
    'A command is told who asked, under which id and when, and mints ids that no other command does',
    async (t) => {
      const fixture = await openFixture(t, { handlers: testHandlers() })
      const by = { type: 'apiKey', id: 'key_1' } as never
      const began = fixture.time.now()
      const one = (await fixture.shards.execute('a', act, { owner: 'a', run: [] }, { id: 'mine', by })) as Acted
      t.match(one, { commandId: 'mine', by })
      t.ok(one.at >= began && one.at <= fixture.time.now())
      const two = (await executeScript(fixture, 'a')) as Acted
      t.equal(two.by, undefined)
      t.not(two.commandId, one.commandId)
      const minted = [...one.minted, ...two.minted]
      t.equal(new Set(minted).size, minted.length)
      for (const id of minted) t.match(id, /^(one|two)_[0-9a-z]{26}$/)
    },
  )

  t.test(
    'A query sees the committed state of its owner, and answers, refuses or throws for itself alone',
    async (t) => {
      const fixture = await openFixture(t, { handlers: testHandlers() })
      await executeScript(fixture, 'a', { count: 5 })
      t.equal((await seenOf(fixture, 'a')).counted, 5)
      t.equal((await seenOf(fixture, 'never heard of')).counted, 0)
      t.same(await fixture.shards.query('a', odd, { refuse: 'no' }), refuse('resource.not_found', { detail: 'no' }))
      await t.rejects(fixture.shards.query('a', odd, { throw: 'a bug' }), { message: 'a bug' })
      t.equal((await seenOf(fixture, 'a')).counted, 5)
    },
  )

  t.test('Reads never go back while commands are decided', async (t) => {
    const fixture = await openFixture(t, { handlers: testHandlers() })
    let [answered, back, behind] = [0, 0, 0]
    const executed = Promise.all(
      Array.from({ length: 300 }, async () => {
        await executeScript(fixture, 'a', { count: 1 })
        answered++
      }),
    )
    for (let last = 0; last < 300; ) {
      const atLeast = answered
      const { counted: now } = await seenOf(fixture, 'a')
      if (now < last) back++
      if (now < atLeast) behind++
      last = now
      await new Promise((resolve) => setImmediate(resolve))
    }
    await executed
    t.same([back, behind], [0, 0])
  })

  t.test('A question to all shards is answered by each once, in their order; one refusal refuses it', async (t) => {
    const fixture = await openFixture(t, { handlers: testHandlers() })
    for (const [at, owner] of owners.entries()) await executeScript(fixture, owner, { count: at + 1 })
    const answers = (await fixture.shards.queryAll(counted, null)) as Record<string, number>[]
    t.equal(answers.length, fixtureShards)
    for (const [at, owner] of owners.entries()) {
      t.same(
        answers.map((answer) => answer[owner]),
        answers.map((_, shard) => (shard === shardOf(owner, fixtureShards) ? at + 1 : undefined)),
      )
    }
    t.same(await fixture.shards.queryAll(odd, { refuse: 'no' }), refuse('resource.not_found', { detail: 'no' }))
    await t.rejects(fixture.shards.queryAll(odd, { throw: 'a bug' }), { message: 'a bug' })
  })

  t.test('What is not registered is refused with a clear error', async (t) => {
    const fixture = await openFixture(t, { handlers: testHandlers() })
    const query: Query<string, unknown> = { ...seen, name: 'test.unasked' }
    await t.rejects(fixture.shards.execute('a', unregistered, { owner: 'a', run: [] }), {
      message: 'the command test.unregistered is not registered',
    })
    await t.rejects(fixture.shards.query('a', query, 'a'), { message: 'the query test.unasked is not registered' })
    await t.rejects(fixture.shards.queryAll(query, 'a'), { message: 'the query test.unasked is not registered' })
    await t.rejects(openFixture(t, { handlers: testHandlers(undefined, { commands: [act as never] }) }), {
      message: 'two command definitions are called test.act',
    })
  })

  t.test('Nothing that a command needed for itself stays behind when all is done', async (t) => {
    const fixture = await openFixture(t, { handlers: testHandlers() })
    await Promise.all(
      owners.map((owner) =>
        executeScript(
          fixture,
          owner,
          { effect: 1 },
          { later: 'x', inMs: 0, run: [] },
          { tell: 'a', run: [{ count: 1 }] },
        ),
      ),
    )
    await eventually(fixture, async () => (await seenOf(fixture, 'a')).counted === owners.length)
    const remaining = () =>
      owners.flatMap((owner) => [
        ...readerFor(fixture, owner).range(outboxTable),
        ...readerFor(fixture, owner).range(timerTable),
      ])
    await eventually(fixture, () => remaining().length === 0)
    t.same(remaining(), [])
  })
}

export function isAnswer(answer: Acted | Refusal): answer is Acted {
  return 'commandId' in answer
}

const hour = 3_600_000
const letters = 'abcdefghijklmnopqrstuvwxyz '
