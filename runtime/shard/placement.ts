/**
 * Placement: the shard of a key and the ranking of nodes for a shard. Pure functions, the same on every node and in
 * every version.
 */

/** A change here moves every key of every installation: it must stay as it is. */
export function shardOf(owner: string, shards: number): number {
  return hashOf(owner) % shards
}

export function isShard(number: number, shards: number): boolean {
  return Number.isInteger(number) && number >= 0 && number < shards
}

/**
 * Ranks the nodes for a shard: the first should own it, the next ones keep copies. A node that joins or leaves changes
 * only the ranks that it takes or leaves. A pinned node comes first while it is live.
 */
export function rendezvousRank(shard: number, nodes: readonly string[], pinned?: string): string[] {
  const weight = new Map(
    nodes.map((node) => [node, node === pinned ? Number.POSITIVE_INFINITY : hashOf(`${shard}/${node}`)]),
  )
  return [...nodes].sort((a, b) => weight.get(b)! - weight.get(a)! || (a < b ? -1 : 1))
}

/** FNV-1a over UTF-16 units, then mixed so that keys which differ only at their end still differ in every bit. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193)
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
  return (hash ^ (hash >>> 16)) >>> 0
}
