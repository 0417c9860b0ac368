/** Metrics of an engine: counters and histograms of its commits, gauges of its shards that are read at scrape time. */
import type { Clock } from '../clock.js'
import type { NameOf } from '../observe/catalog.js'
import { counterOf, histogramOf, registerGauge } from '../observe/meters.js'
import type { Metrics } from '../observe/metrics.js'
import type { Engine, Inspection, LocalShardStatus } from './contract.js'

/** The events that an engine reports as it works. */
export interface CommitMetrics {
  /** One commit: how many commands shared it, and how long it took from the first decision until it was durable. */
  recordCommit(commands: number, elapsedMs: number): void
  /** An effect completed without a command that reports it; it is one more entry of its commit. */
  recordCompletion(): void
}

export interface ShardMetrics {
  readonly commitMetrics: CommitMetrics
  /** Registers the gauges of that engine, with a series for each of `shards` shards: 0 in a process that keeps none. */
  register(engine: Pick<Engine, 'inspect'>, shards: number): void
}

type GaugeDefinition<N extends NameOf<'gauge'>, T> = readonly [name: N, read: (of: T, now: number) => number]

type NodeGaugeName = 'parley_cluster_nodes' | 'parley_shards_owned' | 'parley_shards_copied'
const nodeGauges: readonly GaugeDefinition<NodeGaugeName, Inspection>[] = [
  ['parley_cluster_nodes', ({ nodes }) => nodes.length],
  ['parley_shards_owned', ({ shards }) => countByRole(shards, 'owner')],
  ['parley_shards_copied', ({ shards }) => countByRole(shards, 'copy')],
]

const shardGauges: readonly GaugeDefinition<Extract<NameOf<'gauge'>, `parley_shard_${string}`>, LocalShardStatus>[] = [
  ['parley_shard_owner', ({ role }) => (role === 'owner' ? 1 : 0)],
  ['parley_shard_epoch', ({ epoch }) => epoch],
  ['parley_shard_mailbox_commands', ({ waiting }) => waiting],
  ['parley_shard_lag_entries', ({ lagEntries }) => lagEntries],
  ['parley_shard_outbox_age_seconds', ({ oldestPendingAt }, now) => secondsSince(oldestPendingAt, now)],
  ['parley_shard_timer_late_seconds', ({ timerDueAt }, now) => secondsSince(timerDueAt, now)],
]

function secondsSince(at: number | undefined, now: number): number {
  return at === undefined ? 0 : Math.max(0, now - at) / 1000
}

export function createShardMetrics(metrics: Metrics, clock: Pick<Clock, 'now'>): ShardMetrics {
  const commits = counterOf(metrics, 'parley_shard_commits_total')()
  const commands = counterOf(metrics, 'parley_shard_commands_total')()
  const completed = counterOf(metrics, 'parley_shard_effects_completed_total')()
  const sizes = histogramOf(metrics, 'parley_shard_commit_commands')()
  const durations = histogramOf(metrics, 'parley_shard_commit_duration_seconds')()
  return {
    commitMetrics: {
      recordCommit(commandCount, elapsedMs) {
        commits.add()
        commands.add(commandCount)
        sizes.observe(commandCount)
        durations.observe(elapsedMs / 1000)
      },
      recordCompletion: () => completed.add(),
    },
    register(engine, shards) {
      const inspection = cachePerScrape(engine)
      for (const [name, read] of nodeGauges)
        registerGauge(metrics, name, () => read(inspection().inspection, clock.now()))
      for (const [name, read] of shardGauges) {
        for (let shard = 0; shard < shards; shard++) {
          registerGauge(metrics, name, () => read(inspection().of(shard), clock.now()), String(shard))
        }
      }
    },
  }
}

interface InspectionView {
  readonly inspection: Inspection
  of(shard: number): LocalShardStatus
}

/** A scrape reads every gauge in one turn, so all of them show the inspection that the first one made. */
function cachePerScrape(engine: Pick<Engine, 'inspect'>): () => InspectionView {
  let cached: InspectionView | undefined
  return () => {
    if (cached) return cached
    const inspection = engine.inspect()
    const byShard = new Map(inspection.shards.map((each) => [each.shard, each]))
    queueMicrotask(() => {
      cached = undefined
    })
    cached = { inspection, of: (shard) => byShard.get(shard) ?? absentShard(shard) }
    return cached
  }
}

/** The status of a shard that this process has not opened yet. */
function absentShard(shard: number): LocalShardStatus {
  return { shard, role: 'none', epoch: 0, number: 0, lagEntries: 0, waiting: 0 }
}

function countByRole(shards: readonly LocalShardStatus[], role: LocalShardStatus['role']): number {
  return shards.filter((each) => each.role === role).length
}
