/** A cluster view for tests: an engine reports the shards and nodes that a test set, and records moves. */
import type { Refusal } from '../../core/errors.js'
import type { Engine, Inspection, LocalShardStatus, ShardStatus, Shards } from '../../runtime/shard/contract.js'

export interface ShardMap {
  readonly nodes: Inspection['nodes'][number][]
  readonly status: ShardStatus[]
  readonly here: LocalShardStatus[]
  readonly moves: (readonly [shard: number, node: string | undefined])[]
  /** The error of a refused move. */
  refusal?: Refusal
  /** Called for every accepted move. */
  moved: (shard: number, node: string | undefined) => void
  /** How often the engine's state was read. */
  reads: number
  /** Wraps a node's engine and replaces its cluster view. */
  between<S extends Shards>(shards: S): S
}

export function shardMap(shards: number): ShardMap {
  const map: ShardMap = {
    nodes: ['n1', 'n2', 'n3'].map((id, at) => ({
      id,
      keepsShards: true,
      leaving: false,
      info: { host: `host-${at + 1}`, address: `host-${at + 1}:8081`, roles: 'gateway mgmt shards' },
    })),
    status: Array.from({ length: shards }, (_, shard) => ({
      shard,
      owner: 'n1',
      epoch: 1,
      last: 10,
      copies: { n1: 10, n2: 10, n3: 10 },
    })),
    here: Array.from({ length: shards }, (_, shard) => ({
      shard,
      role: 'owner',
      epoch: 1,
      number: 10,
      lagEntries: 0,
      waiting: 0,
    })),
    moves: [],
    moved: () => {},
    reads: 0,
    between(inner) {
      // Effect handlers get shards without the engine's extra members.
      if (!('inspect' in inner)) return inner
      const spoken: Pick<Engine, 'inspect' | 'status' | 'move'> = {
        inspect() {
          map.reads++
          return { nodes: map.nodes, shards: map.here }
        },
        status: async () => map.status,
        async move(shard, node) {
          if (map.refusal) return map.refusal
          map.moves.push([shard, node])
          map.moved(shard, node)
        },
      }
      return { ...inner, ...spoken }
    },
  }
  return map
}
