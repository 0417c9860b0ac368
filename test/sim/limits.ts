/** Smaller limits for a run, so that a few commands reach bounds that take thousands in production. */
import {
  cluster,
  type EngineLimits,
  type LimitOverrides,
  mergeLimits,
  type ShardLimits,
  shard,
} from '../../runtime/shard/limits.js'
import type { Rng } from './world/rng.js'

export type DrawnLimits = Required<LimitOverrides>

export function drawLimits(rng: Rng): DrawnLimits {
  return {
    shard: {
      mailboxCommands: rng.pick([4, 8, 30, shard.mailboxCommands]),
      commandsPerCommit: rng.pick([1, 3, 10, shard.commandsPerCommit]),
      commitBytes: rng.pick([1_000, 8_000, shard.commitBytes]),
      effectsInFlight: rng.pick([1, 4, shard.effectsInFlight]),
      effectsPerDestination: rng.pick([1, 2, shard.effectsPerDestination]),
      activeLanes: rng.pick([1, 2, 4, shard.activeLanes]),
      loadedEffectsPerLane: rng.pick([1, 3, shard.loadedEffectsPerLane]),
      timersPerSweep: rng.pick([1, 4, shard.timersPerSweep]),
    },
    cluster: {
      snapshotEntries: rng.pick([5, 20, 100, cluster.snapshotEntries]),
      entriesKept: rng.pick([1, 3, 30]),
      rowsPerSnapshotPart: rng.pick([1, 10, cluster.rowsPerSnapshotPart]),
      copies: rng.pick([1, 2, 3]),
    },
  }
}

/** The limits of all engines of a run: the drawn ones, with some replaced. */
export function engineLimits(drawn: DrawnLimits, replaced: Partial<ShardLimits> = {}): EngineLimits {
  // Derived from another limit, so that a seed draws the same values as before.
  const { loadedEffectsPerLane = shard.loadedEffectsPerLane } = drawn.shard
  const isSmall = loadedEffectsPerLane < shard.loadedEffectsPerLane
  const derived = isSmall ? { loadedEffects: 2 * loadedEffectsPerLane } : {}
  return mergeLimits({ shard: { ...derived, ...drawn.shard, ...replaced }, cluster: drawn.cluster })
}
