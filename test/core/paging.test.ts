/** Pages of lists that are held whole, while others write to them. */
import fc from 'fast-check'
import t from 'tap'
import { type PageCursor, pageOf } from '../../core/paging.js'

interface Item {
  readonly id: string
}
const itemsOf = (count: number): Item[] => Array.from({ length: count }, (_, nth) => ({ id: `i${nth}` }))
const idOf = ({ id }: Item) => id

/** A change of the list between two pages. */
type Write = (list: readonly Item[]) => readonly Item[]

/**
 * The ids that pages of that size show, one write or none before each further page, and those that were there all the
 * time.
 */
function walkPages(
  count: number,
  limit: number,
  writes: readonly Write[],
): { returnedIds: string[]; stayed: string[] } {
  let list: readonly Item[] = itemsOf(count)
  let stayed = list.map(idOf)
  const returnedIds: string[] = []
  let after: PageCursor | undefined
  for (let page = 0; ; page++) {
    const { data, last } = pageOf(list, { limit, ...(after && { after }) }, idOf)
    returnedIds.push(...data.map(idOf))
    if (!last) return { returnedIds, stayed }
    after = last
    list = writes[page]?.(list) ?? list
    const remaining = new Set(list.map(idOf))
    stayed = stayed.filter((id) => remaining.has(id))
  }
}

const nat = fc.nat({ max: 1_000 })
const removal = fc.tuple(nat, fc.integer({ min: 1, max: 50 })).map(([at, many]): Write => {
  return (list) => list.filter((_, index) => index < at % (list.length + 1) || index >= (at % (list.length + 1)) + many)
})
let made = 0
const insertion = fc.tuple(nat, fc.boolean()).map(([at, isBehind]): Write => {
  return (list) => {
    const index = isBehind ? list.length : at % (list.length + 1)
    return [...list.slice(0, index), { id: `new${++made}` }, ...list.slice(index)]
  }
})
const together = (writes: fc.Arbitrary<Write>): fc.Arbitrary<Write> =>
  fc.array(writes, { maxLength: 4 }).map(
    (each): Write =>
      (list) =>
        each.reduce((before, write) => write(before), list),
  )

function showsAll(count: number, limit: number, writes: readonly Write[], returned: ReadonlySet<string>): boolean {
  const { returnedIds, stayed } = walkPages(count, limit, writes)
  const seen = new Set(returnedIds)
  return stayed.every((id) => seen.has(id) || returned.has(id))
}

t.test('An item that stays is listed, however others are added or removed between the pages', async () => {
  const pageArguments = [fc.integer({ min: 1, max: 120 }), fc.integer({ min: 1, max: 40 })] as const
  const writes = fc.array(together(fc.oneof(removal, insertion)), { maxLength: 12 })
  fc.assert(
    fc.property(...pageArguments, writes, (count, limit, each) => showsAll(count, limit, each, new Set())),
    { numRuns: 2_000 },
  )
})

t.test('An item that stays is listed, even if others are removed and added back behind it', async () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 80 }),
      fc.integer({ min: 1, max: 9 }),
      fc.array(fc.array(nat, { maxLength: 3 }), { maxLength: 10 }),
      (count, limit, each) => {
        const returned = new Set<string>()
        const writes = each.map((indexes): Write => {
          return (list) =>
            indexes.reduce<readonly Item[]>((before, at) => {
              const item = before[at % before.length]!
              returned.add(item.id)
              return [...before.filter((other) => other !== item), item]
            }, list)
        })
        return showsAll(count, limit, writes, returned)
      },
    ),
    { numRuns: 2_000 },
  )
})

t.test('No item is listed twice while none is inserted before those already listed', async () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 120 }),
      fc.integer({ min: 1, max: 40 }),
      fc.array(fc.array(nat, { maxLength: 3 }), { maxLength: 12 }),
      (count, limit, each) => {
        const writes = each.map((indexes): Write => {
          return (list) => [
            ...indexes.reduce<readonly Item[]>((remaining, at) => remaining.filter((_, index) => index !== at), list),
            { id: `late${++made}` },
          ]
        })
        const { returnedIds } = walkPages(count, limit, writes)
        return new Set(returnedIds).size === returnedIds.length
      },
    ),
    { numRuns: 1_000 },
  )
})

t.test('The next item is listed even if the last listed item and an earlier one are removed', async (t) => {
  const list = itemsOf(7)
  const { last } = pageOf(list, { limit: 3 }, idOf)
  const remaining = list.filter(({ id }) => id !== 'i0' && id !== 'i2')
  t.strictSame(pageOf(remaining, { limit: 2, after: last! }, idOf).data.map(idOf), ['i3', 'i4'])
})

t.test('A token is short, however long the ids are', async (t) => {
  const list = Array.from({ length: 300 }, (_, nth) => ({ id: `${nth}`.padStart(200, 'x') }))
  t.ok(JSON.stringify(pageOf(list, { limit: 200 }, idOf).last).length < 500)
})
