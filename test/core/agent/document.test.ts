/** The document as a value: items are found where they stand, however long a list is and whatever was done to it. */
import fc from 'fast-check'
import t from 'tap'
import {
  type AgentDocument,
  changedItems,
  emptyDocument,
  find,
  type Item,
  idOf,
  withItem,
  withoutItem,
  withSection,
} from '../../../core/agent/index.js'

const fact = (nth: number, answer = 'Yes.'): Item<'facts'> => ({ id: `f${nth}`, question: 'Is it?', answer })
const ids = fc.integer({ min: 0, max: 45 })
const deed = fc.record({ kind: fc.constantFrom('put', 'put', 'remove', 'turn'), nth: ids, answer: fc.string() })

function done(document: AgentDocument, { kind, nth, answer }: { kind: string; nth: number; answer: string }) {
  if (kind === 'put') return withItem(document, 'facts', fact(nth, answer))
  if (kind === 'remove') return withoutItem(document, 'facts', `f${nth}`)
  return withSection(document, 'facts', document.facts.toReversed())
}

t.test('An item is found by its id after any changes, and every earlier document stays as it was', async () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 40 }), fc.array(deed, { maxLength: 20 }), (count, deeds) => {
      let document = withSection(
        emptyDocument,
        'facts',
        Array.from({ length: count }, (_, nth) => fact(nth)),
      )
      const kept = [{ document, text: JSON.stringify(document) }]
      for (const each of deeds) {
        document = done(document, each)
        kept.push({ document, text: JSON.stringify(document) })
        for (let nth = 0; nth <= 45; nth++) {
          const walked = document.facts.find(({ id }) => id === `f${nth}`)
          if (find(document, 'facts', `f${nth}`) !== walked) return false
        }
      }
      return kept.every(({ document, text }) => JSON.stringify(document) === text)
    }),
  )
})

const list = fc
  .uniqueArray(fc.tuple(fc.integer({ min: 0, max: 9 }), fc.boolean()), { selector: ([nth]) => nth })
  .map((pairs) => pairs.map(([nth, isNew]) => ({ nth, isNew })))

t.test('The items that two lists do not share are told once each, as they were and as they are', async () => {
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
        const told = byId.get(id)
        return before === after ? !told : told !== undefined && told.was === before && told.is === after
      })
    }),
  )
})
