/** Whether the copies of a shard that have come as far as its owner hold the same bytes as the owner's. */
import { cluster as limits } from '../../core/limits.js'
import type { Change } from '../../runtime/store/contract.js'
import { keyBytes } from '../../runtime/store/key.js'
import type { SimNode } from './node.js'
import type { World } from './world.js'
import { rowsBeyond } from './world/space.js'

/** Sentences; empty when all are alike. Undefined while nobody owns some shard, or a copy has yet to catch up. */
export async function differences(world: World): Promise<readonly string[] | undefined> {
  const { nodes, homes, rng } = world
  const there = homes()
  if (there.length === 0) return undefined
  const statuses = await rng.pick(there).engine.status()
  const found: string[] = []
  for (const { shard, owner, last, copies } of statuses) {
    const keepers = nodes.filter((node) => node.disk)
    const kept = keepers.filter((node) => copies[node.disk!.id()] === last)
    const owning = kept.find((node) => node.disk!.id() === owner)
    // A node whose turn it no longer is may keep an old copy; those whose turn it is must come to the end.
    if (!owning || kept.length < Math.min(limits.copies, keepers.length)) return undefined
    const right = rowsOf(owning, shard)
    for (const node of kept) {
      const rows = rowsOf(node, shard)
      const place = right.findIndex(({ key, value }, at) => !sameBytes(key, rows[at]?.key) || !sameBytes(value, rows[at]?.value))
      if (place < 0 && rows.length === right.length) continue
      const row = right[place] ?? rows[right.length]
      found.push(`${node.id} and ${owning.id} hold different rows of shard ${shard}, first at ${row?.key.toString('latin1')}`)
    }
  }
  return found
}

/** Where a copy stands it notes for itself, and how it came there may differ. */
const ownRecord = keyBytes('shard.copy', [])

function rowsOf({ disk }: SimNode, shard: number): Change[] {
  return rowsBeyond(disk!.rows(shard), undefined).filter(({ key }) => !sameBytes(key, ownRecord))
}

function sameBytes(a: Buffer | undefined, b: Buffer | undefined): boolean {
  return a === b || (a !== undefined && b !== undefined && Buffer.compare(a, b) === 0)
}
