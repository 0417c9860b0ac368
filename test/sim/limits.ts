/** Smaller limits for a run, so that a few commands reach bounds that take thousands in production. */
import { cluster, shard } from '../../runtime/shard/limits.js'
import type { Rng } from './world/rng.js'

export interface Limits {
  readonly shard: Partial<Record<keyof typeof shard, number>>
  readonly cluster: Partial<Record<keyof typeof cluster, number>>
}

export function drawLimits(rng: Rng): Limits {
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

/** Sets them, with some replaced; the returned function restores the product's own. */
export function setLimits(limits: Limits, instead: Limits['shard'] = {}): () => void {
  const before = { shard: { ...shard }, cluster: { ...cluster } }
  // Derived from another limit, so that a seed draws the same values as before.
  const { loadedEffectsPerLane = shard.loadedEffectsPerLane } = limits.shard
  const isSmall = loadedEffectsPerLane < shard.loadedEffectsPerLane
  Object.assign(shard, isSmall && { loadedEffects: 2 * loadedEffectsPerLane }, limits.shard, instead)
  Object.assign(cluster, limits.cluster)
  return () => {
    Object.assign(shard, before.shard)
    Object.assign(cluster, before.cluster)
  }
}
