/** The document as a value: items are found where they stand, however long a list is and whatever was done to it. */
import { isDeepStrictEqual } from 'node:util'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import fc from 'fast-check'
import t from 'tap'
import {
  type AgentDocument,
  changedItems,
  emptyDocument,
  findItem,
  type Item,
  idOf,
  isInOrder,
  withItem,
  withoutItem,
  withSection,
} from '../../../core/agent/index.js'
import { isSame, withoutUndefined } from '../../../core/agent/outcome.js'

const fact = (nth: number, answer = 'Yes.'): Item<'facts'> => ({ id: `f${nth}`, question: 'Is it?', answer })
const ids = fc.integer({ min: 0, max: 45 })
const edit = fc.record({ kind: fc.constantFrom('put', 'put', 'remove', 'turn'), nth: ids, answer: fc.string() })

function applyEdit(document: AgentDocument, { kind, nth, answer }: { kind: string; nth: number; answer: string }) {
  if (kind === 'put') return withItem(document, 'facts', fact(nth, answer))
  if (kind === 'remove') return withoutItem(document, 'facts', `f${nth}`)
  return withSection(document, 'facts', document.facts.toReversed())
}

t.test('An item is found by its id after any changes, and every earlier document stays unchanged', async () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 40 }), fc.array(edit, { maxLength: 20 }), (count, edits) => {
      let document = withSection(
        emptyDocument,
        'facts',
        Array.from({ length: count }, (_, nth) => fact(nth)),
      )
      const snapshots = [{ document, text: JSON.stringify(document) }]
      for (const each of edits) {
        document = applyEdit(document, each)
        snapshots.push({ document, text: JSON.stringify(document) })
        for (let nth = 0; nth <= 45; nth++) {
          const walked = document.facts.find(({ id }) => id === `f${nth}`)
          if (findItem(document, 'facts', `f${nth}`) !== walked) return false
        }
      }
      return snapshots.every(({ document, text }) => JSON.stringify(document) === text)
    }),
  )
})

const list = fc
  .uniqueArray(fc.tuple(fc.integer({ min: 0, max: 9 }), fc.boolean()), { selector: ([nth]) => nth })
  .map((pairs) => pairs.map(([nth, isNew]) => ({ nth, isNew })))

t.test('Items that two lists do not share are reported once each, as they were and as they are', async () => {
  fc.assert(
    fc.property(list, list, (one, other) => {
      const was = one.map(({ nth }) => fact(nth))
      // Where an item is not new it is the very same one.
      const is = other.map(
        ({ nth, isNew }) => (isNew ? undefined : was.find(({ id }) => id === `f${nth}`)) ?? fact(nth),
      )
      const changed = changedItems(was, is)
      const byId = new Map(changed.map((each) => [each.id, each]))
      if (byId.size !== changed.length) return false
      return Array.from({ length: 10 }, (_, nth) => `f${nth}`).every((id) => {
        const before = was.find((item) => idOf(item) === id)
        const after = is.find((item) => idOf(item) === id)
        const change = byId.get(id)
        return before === after
          ? !change
          : change !== undefined && change.previous === before && change.current === after
      })
    }),
  )
})

t.test('Two values are equal if they have equal members, in any order and with any names', async () => {
  const named = fc.constantFrom('a', 'b', 'toString', 'constructor', '__proto__', 'valueOf')
  const leaf = fc.oneof(fc.constantFrom(1, 'x', null, true), fc.constant(undefined))
  const value = fc.letrec((tie) => ({
    node: fc.oneof({ depthSize: 'small' }, leaf, fc.array(tie('node'), { maxLength: 2 }), tie('members')),
    members: fc.array(fc.tuple(named, tie('node')), { maxLength: 3 }).map((members) => Object.fromEntries(members)),
  })).node
  /** Lists keep their holes apart from nothing at all, as they are kept apart in a record. */
  const plain = (one: unknown): unknown => {
    if (Array.isArray(one)) return one.map(plain)
    if (typeof one !== 'object' || one === null) return one
    const members = Object.entries(one).filter(([, member]) => member !== undefined)
    return new Map(members.sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, member]) => [name, plain(member)]))
  }
  fc.assert(
    fc.property(value, value, (one, other) => {
      const reversed = (of: unknown): unknown =>
        typeof of === 'object' && of !== null && !Array.isArray(of)
          ? Object.fromEntries(Object.entries(of).reverse())
          : of
      return isSame(one, reversed(one)) && isSame(one, other) === isDeepStrictEqual(plain(one), plain(other))
    }),
    { numRuns: 2_000 },
  )
})

t.test('A compacted value has no undefined members, and is otherwise unchanged', async (t) => {
  const full = { a: 1, b: null, c: '' }
  t.equal(withoutUndefined(full), full)
  const named = JSON.parse('{"__proto__": 1, "a": 2}')
  t.strictSame(Object.entries(withoutUndefined({ ...named, b: undefined })), Object.entries(named))
})

t.test('Two lists have equal order when they have the same ids at the same positions', async () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 40 }), fc.array(edit, { maxLength: 6 }), (count, edits) => {
      const facts = Array.from({ length: count }, (_, nth) => fact(nth))
      const before = withSection(emptyDocument, 'facts', facts)
      let last = before
      let after = before
      for (const each of edits) {
        last = after
        after = applyEdit(after, each)
      }
      return [before, last].every((one) => {
        const reportsOrder = isInOrder(one.facts, after.facts)
        return reportsOrder === isDeepStrictEqual(one.facts.map(idOf), after.facts.map(idOf))
      })
    }),
  )
})

t.test('An item that replaces another is reported as the only change', async (t) => {
  const facts = Array.from({ length: 30 }, (_, nth) => fact(nth))
  const after = withItem(withSection(emptyDocument, 'facts', facts), 'facts', fact(7, 'No.'))
  t.strictSame(changedItems(facts, after.facts), [{ id: 'f7', previous: facts[7], current: fact(7, 'No.') }])
})

t.test('A list that was changed many times retains none of its earlier versions', async (t) => {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  const first = new WeakRef(Array.from({ length: 30 }, (_, nth) => fact(nth)))
  let document = withSection(emptyDocument, 'facts', first.deref()!)
  for (let nth = 0; nth < 3; nth++) {
    const after = withItem(document, 'facts', fact(nth, 'No.'))
    changedItems(document.facts, after.facts)
    document = after
  }
  // What was looked at in this turn stays until it ends.
  await new Promise((next) => setImmediate(next))
  collect()
  t.equal(first.deref(), undefined)
  t.equal(document.facts.length, 30)
})
