/** Where keys belong and who should have a shard: the same for every node, for ever, and moving as little as it can. */
import fc from 'fast-check'
import t from 'tap'
import { rendezvousRank, shardOf } from '../../../runtime/shard/placement.js'

t.test('A key belongs to the shard it has always belonged to', async (t) => {
  // Worked out by another program from the definition: these never change, or installations lose their keys.
  const belongs: [owner: string, of1: number, of4: number, of16: number, of64: number, of4096: number][] = [
    ['', 0, 3, 11, 11, 3083],
    ['a', 0, 3, 3, 51, 435],
    ['b', 0, 2, 2, 50, 562],
    ['org_main', 0, 3, 3, 19, 1619],
    ['agent-7', 0, 2, 6, 38, 3174],
    ['asid_0123456789abcdef', 0, 3, 11, 59, 2491],
    ['Zoë', 0, 2, 2, 34, 1378],
    ['😀', 0, 2, 6, 38, 1062],
    ['x'.repeat(1_000), 0, 2, 2, 18, 594],
  ]
  for (const [owner, ...countsByRank] of belongs) {
    t.same(
      [1, 4, 16, 64, 4096].map((shards) => shardOf(owner, shards)),
      countsByRank,
      `"${owner.slice(0, 24)}"`,
    )
  }
})

t.test('Nodes have the places they have always had', async (t) => {
  const nodes = ['ann', 'ben', 'cyd', 'dan']
  t.same(
    [0, 1, 2, 3, 4, 5].map((shard) => rendezvousRank(shard, nodes).join(' ')),
    ['ann dan cyd ben', 'cyd ann ben dan', 'ann dan cyd ben', 'ben ann cyd dan', 'cyd ann ben dan', 'ben dan cyd ann'],
  )
})

t.test('Keys that differ only a little are spread over all shards alike', async (t) => {
  for (const [shards, name] of [
    [16, 'org-'],
    [64, '+4917'],
    [256, 'asid_000000000000'],
  ] as const) {
    const counts = new Array(shards).fill(0)
    const keys = shards * 200
    for (let n = 0; n < keys; n++) counts[shardOf(`${name}${n}`, shards)]++
    t.ok(
      Math.min(...counts) > 130 && Math.max(...counts) < 280,
      `${name}: from ${Math.min(...counts)} to ${Math.max(...counts)}, 200 if all were alike`,
    )
  }
})

const anyNode = fc.stringMatching(/^[a-z0-9-]{1,20}$/)
const anyNodes = fc.uniqueArray(anyNode, { minLength: 1, maxLength: 9 })
const anyShard = fc.nat({ max: 4_095 })

t.test('Everybody ranks the same nodes alike, in whatever order they heard of them', async (t) => {
  fc.assert(
    fc.property(
      anyShard,
      anyNodes,
      fc.option(anyNode, { nil: undefined }),
      fc.infiniteStream(fc.nat()),
      (shard, nodes, pinned, draws) => {
        const shuffled = nodes.map((node) => ({ node, by: draws.next().value as number })).sort((a, b) => a.by - b.by)
        const rank = rendezvousRank(shard, nodes, pinned)
        t.same(
          rendezvousRank(
            shard,
            shuffled.map(({ node }) => node),
            pinned,
          ),
          rank,
        )
        t.same(rank.toSorted(), nodes.toSorted(), 'every node has one place')
      },
    ),
    { numRuns: 200 },
  )
})

t.test('A node that comes or goes changes only the places it takes or leaves', async (t) => {
  fc.assert(
    fc.property(anyShard, anyNodes, anyNode, (shard, nodes, comes) => {
      fc.pre(!nodes.includes(comes))
      const before = rendezvousRank(shard, nodes)
      const after = rendezvousRank(shard, [...nodes, comes])
      t.same(
        after.filter((node) => node !== comes),
        before,
      )
      const pinned = rendezvousRank(shard, [...nodes, comes], comes)
      t.same(pinned, [comes, ...before], 'a pinned one comes first, the others stay in their order')
      t.same(rendezvousRank(shard, nodes, comes), before, 'and while it is away it changes nothing')
    }),
    { numRuns: 200 },
  )
})

t.test('Shards are spread over the nodes alike, and so are the copies', async (t) => {
  fc.assert(
    fc.property(fc.uniqueArray(fc.uuid(), { minLength: 2, maxLength: 8 }), (nodes) => {
      const shards = 1_024
      const countsByRank = nodes.map(() => new Map<string, number>())
      for (let shard = 0; shard < shards; shard++) {
        for (const [rankIndex, node] of rendezvousRank(shard, nodes).entries()) {
          countsByRank[rankIndex]!.set(node, (countsByRank[rankIndex]!.get(node) ?? 0) + 1)
        }
      }
      for (const counts of countsByRank) {
        const most = Math.max(...counts.values())
        if (counts.size < nodes.length || most > (shards / nodes.length) * 1.5)
          throw new Error(`${most} of ${shards} are at one of ${nodes.length} nodes`)
      }
    }),
    { numRuns: 30 },
  )
  t.pass('no node has half as much again as its share')
})
