/** Records of older versions: read as the newest, and written as it by the next command that touches them. */
import type { Test } from 'tap'
import type { Command, Handlers, Query } from '../../../runtime/shard/contract.js'
import { type Table, table } from '../../../runtime/store/contract.js'
import { type OpenEngineFixture, readerFor } from './fixture.js'
import { testHandlers } from './handlers.js'

interface First {
  readonly name: string
}
interface Second {
  readonly first: string
  readonly last: string
}
interface Third extends Second {
  readonly initials: string
}
type People<V> = Table<[owner: string, id: string], V>

const name = 'test.people'
const toSecond = ({ name: fullName }: First): Second => ({
  first: fullName.split(' ')[0]!,
  last: fullName.split(' ')[1]!,
})
const toThird = ({ first, last }: Second): Third => ({ first, last, initials: first[0]! + last[0]! })
const firsts: People<First> = table(name)
const seconds: People<Second> = table(name, 2, { 1: toSecond })
const thirds: People<Third> = table(name, 3, { 1: toSecond, 2: toThird })

/** Reads only what stands there in its own version. */
function strictly<V>(version: number): People<V> {
  const refuseUpgrade = () => {
    throw new Error('an older record')
  }
  return table(name, version, { 1: refuseUpgrade, 2: refuseUpgrade })
}

/** A version of the program: it knows the table as it was then, and commands that write and change people. */
function versionOf<V>(people: People<V>): {
  opening: Handlers
  put: Command<Put<V>, true>
  touch: Command<Put<V>, V>
  all: Query<string, V[]>
} {
  const put: Command<Put<V>, true> = {
    name: 'test.put',
    decide(tx, { owner, id, value }) {
      tx.put(people, [owner, id], value!)
      return true
    },
  }
  const touch: Command<Put<V>, V> = {
    name: 'test.touch',
    decide(tx, { owner, id }) {
      const person = tx.get(people, [owner, id])!
      tx.put(people, [owner, id], person)
      return person
    },
  }
  const all: Query<string, V[]> = {
    name: 'test.people',
    read: (reader, owner) => [...reader.range(people, { prefix: [owner] })].map(({ value }) => value),
  }
  return {
    put,
    touch,
    all,
    opening: testHandlers(undefined, { commands: [put, touch] as never[], queries: [all] as never[] }),
  }
}

interface Put<V> {
  readonly owner: string
  readonly id: string
  readonly value?: V
}

export function recordsSuite(t: Test, openFixture: OpenEngineFixture): void {
  t.test(
    'Records of older versions are read as the newest, and rewritten by the commands that touch them',
    async (t) => {
      const one = versionOf(firsts)
      const first = await openFixture(t, { handlers: one.opening })
      for (const id of ['1', '2', '3'])
        await first.shards.execute('a', one.put, { owner: 'a', id, value: { name: `Ada ${id}ovelace` } })
      t.same(
        await first.shards.query('a', one.all, 'a'),
        ['1', '2', '3'].map((id) => ({ name: `Ada ${id}ovelace` })),
      )
      await first.stop()

      const two = versionOf(seconds)
      const second = await openFixture(t, { handlers: two.opening, after: first })
      t.same(await second.shards.execute('a', two.touch, { owner: 'a', id: '2' }), { first: 'Ada', last: '2ovelace' })
      await second.shards.execute('a', two.put, { owner: 'a', id: '4', value: { first: 'Alan', last: 'Turing' } })
      t.same(readerFor(second, 'a').get(strictly<Second>(2), ['a', '2']), { first: 'Ada', last: '2ovelace' })
      t.throws(() => readerFor(second, 'a').get(strictly(2), ['a', '1']), 'what was only read stays as it is')
      await second.stop()

      const three = versionOf(thirds)
      const third = await openFixture(t, { handlers: three.opening, after: second })
      const everybody = [
        { first: 'Ada', last: '1ovelace', initials: 'A1' },
        { first: 'Ada', last: '2ovelace', initials: 'A2' },
        { first: 'Ada', last: '3ovelace', initials: 'A3' },
        { first: 'Alan', last: 'Turing', initials: 'AT' },
      ]
      t.same(await third.shards.query('a', three.all, 'a'), everybody)
      for (const [at, id] of ['1', '2', '3', '4'].entries()) {
        t.same(await third.shards.execute('a', three.touch, { owner: 'a', id }), everybody[at])
        t.same(readerFor(third, 'a').get(strictly<Third>(3), ['a', id]), everybody[at])
      }
      await third.stop()

      const old = await openFixture(t, { handlers: two.opening, after: third })
      await t.rejects(
        old.shards.query('a', two.all, 'a'),
        /newer Parley/,
        'an older version says why it cannot read them',
      )
      await t.rejects(old.shards.execute('a', two.touch, { owner: 'a', id: '1' }), /newer Parley/)
      t.same(await old.shards.query('b', two.all, 'b'), [])
    },
  )
}
