/** Checks that the copies of a shard at the end of its log hold the same bytes, and are reported as up to date. */

import { lineageIdOf } from '../../runtime/shard/cluster/entry.js'
import { shardOf } from '../../runtime/shard/placement.js'
import { type Change, table } from '../../runtime/store/contract.js'
import { keyBytes } from '../../runtime/store/key.js'
import { attempt } from './load/target.js'
import type { SimNode } from './node.js'
import { readerOver, rowsBeyond } from './world/space.js'
import type { World } from './world.js'

/** Each copy's notes about itself; they may differ, so the comparison leaves them out. */
const positions = table<[], { lineageId: string; owner: string; number: number }>('shard.copy')
const positionKey = keyBytes(positions, [])

const statusWithinMs = 5_000

/**
 * Differences as sentences; empty when all are alike. Undefined while a shard has no owner or lacks up-to-date copies.
 */
export async function differences(world: World): Promise<readonly string[] | undefined> {
  const { plan, bus, limits, nodes, targets, rng, timeline } = world
  const target = rng.pick(targets())
  const outcome = await attempt(target, timeline, statusWithinMs, () => target.engine.status())
  if (outcome.kind !== 'answered') return undefined
  const holdersOf = (owner: string) => targets().filter(({ engine }) => engine.ownershipEpoch(owner) !== undefined)
  const problems: string[] = []
  const replicaNodes = nodes.filter((node) => node.disk && !node.isRetired())
  for (let shard = 0; shard < plan.shards; shard++) {
    const log = bus.log(shard)
    const lastEntry = log.entries().at(-1)
    if (!lastEntry) return undefined
    const upToDate = replicaNodes.filter((node) => {
      const { number, lineageId } = positionOf(node, shard)
      return number === log.last() && lineageId === lineageIdOf(lastEntry.bytes)
    })
    const [first] = upToDate
    if (!first || upToDate.length < Math.min(limits.cluster.copies, replicaNodes.length)) return undefined
    const owner = positionOf(first, shard).owner.split('/')[0]
    if (outcome.answer[shard]?.owner !== owner) return undefined
    const holders = world.owners.filter((each) => shardOf(each, plan.shards) === shard).map(holdersOf)
    if (holders.some((each) => each.length !== 1)) return undefined
    problems.push(...upToDate.flatMap((node) => difference(first, node, shard) ?? []))
  }
  return problems
}

function positionOf({ disk }: SimNode, shard: number) {
  return readerOver(() => disk!.rows(shard)).get(positions, []) ?? { lineageId: '', owner: '', number: 0 }
}

function difference(one: SimNode, other: SimNode, shard: number): string | undefined {
  const [mine, theirs] = [rowsOf(one, shard), rowsOf(other, shard)]
  for (let at = 0; at < Math.max(mine.length, theirs.length); at++) {
    const [a, b] = [mine[at], theirs[at]]
    if (sameBytes(a?.key, b?.key) && sameBytes(a?.value, b?.value)) continue
    const where = JSON.stringify((a ?? b)!.key.toString('latin1'))
    return `${one.id} and ${other.id} hold different rows of shard ${shard}, first at ${where}`
  }
  return undefined
}

function rowsOf({ disk }: SimNode, shard: number): Change[] {
  return rowsBeyond(disk!.rows(shard), undefined).filter(({ key }) => !sameBytes(key, positionKey))
}

function sameBytes(a: Buffer | undefined, b: Buffer | undefined): boolean {
  return a === b || (a !== undefined && b !== undefined && Buffer.compare(a, b) === 0)
}
