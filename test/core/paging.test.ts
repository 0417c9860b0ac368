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

/** The ids that pages of that size show, one write or none before each further page, and those that were there all the time. */
function walked(count: number, limit: number, writes: readonly Write[]): { shown: string[]; stayed: string[] } {
  let list: readonly Item[] = itemsOf(count)
  let stayed = list.map(idOf)
  const shown: string[] = []
  let after: PageCursor | undefined
  for (let page = 0; ; page++) {
    const { data, last } = pageOf(list, { limit, ...(after && { after }) }, idOf)
    shown.push(...data.map(idOf))
    if (!last) return { shown, stayed }
    after = last
    list = writes[page]?.(list) ?? list
    const left = new Set(list.map(idOf))
    stayed = stayed.filter((id) => left.has(id))
  }
}

const nat = fc.nat({ max: 1_000 })
const going = fc.tuple(nat, fc.integer({ min: 1, max: 50 })).map(([at, many]): Write => {
  return (list) => list.filter((_, place) => place < at % (list.length + 1) || place >= (at % (list.length + 1)) + many)
})
let made = 0
const coming = fc.tuple(nat, fc.boolean()).map(([at, isBehind]): Write => {
  return (list) => {
    const place = isBehind ? list.length : at % (list.length + 1)
    return [...list.slice(0, place), { id: `new${++made}` }, ...list.slice(place)]
  }
})
const together = (writes: fc.Arbitrary<Write>): fc.Arbitrary<Write> =>
  fc.array(writes, { maxLength: 4 }).map(
    (each): Write =>
      (list) =>
        each.reduce((before, write) => write(before), list),
  )

function showsAll(count: number, limit: number, writes: readonly Write[], returned: ReadonlySet<string>): boolean {
  const { shown, stayed } = walked(count, limit, writes)
  const seen = new Set(shown)
  return stayed.every((id) => seen.has(id) || returned.has(id))
}

t.test('Whoever stays is shown, however others come and go between the pages', async () => {
  const asked = [fc.integer({ min: 1, max: 120 }), fc.integer({ min: 1, max: 40 })] as const
  const writes = fc.array(together(fc.oneof(going, coming)), { maxLength: 12 })
  fc.assert(
    fc.property(...asked, writes, (count, limit, each) => showsAll(count, limit, each, new Set())),
    { numRuns: 2_000 },
  )
})

t.test('Whoever stays is shown, though others go and come back behind it', async () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 80 }),
      fc.integer({ min: 1, max: 9 }),
      fc.array(fc.array(nat, { maxLength: 3 }), { maxLength: 10 }),
      (count, limit, each) => {
        const returned = new Set<string>()
        const writes = each.map((places): Write => {
          return (list) =>
            places.reduce<readonly Item[]>((before, at) => {
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

t.test('Nothing is shown twice while nothing comes before what was shown', async () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 120 }),
      fc.integer({ min: 1, max: 40 }),
      fc.array(fc.array(nat, { maxLength: 3 }), { maxLength: 12 }),
      (count, limit, each) => {
        const writes = each.map((places): Write => {
          return (list) => [
            ...places.reduce<readonly Item[]>((left, at) => left.filter((_, place) => place !== at), list),
            { id: `late${++made}` },
          ]
        })
        const { shown } = walked(count, limit, writes)
        return new Set(shown).size === shown.length
      },
    ),
    { numRuns: 1_000 },
  )
})

t.test('The last item that was shown and an earlier one may go, and the next one is shown', async (t) => {
  const list = itemsOf(7)
  const { last } = pageOf(list, { limit: 3 }, idOf)
  const left = list.filter(({ id }) => id !== 'i0' && id !== 'i2')
  t.strictSame(pageOf(left, { limit: 2, after: last! }, idOf).data.map(idOf), ['i3', 'i4'])
})

t.test('A token is short, however long the ids are', async (t) => {
  const list = Array.from({ length: 300 }, (_, nth) => ({ id: `${nth}`.padStart(200, 'x') }))
  t.ok(JSON.stringify(pageOf(list, { limit: 200 }, idOf).last).length < 500)
})
