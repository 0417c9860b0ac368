/** What an engine counts of its commits, and shows of its shards when somebody scrapes. */
import type { Clock } from '../clock.js'
import type { NameOf } from '../observe/catalog.js'
import type { Metrics } from '../observe/metrics.js'
import { counterOf, gaugeOf, histogramOf } from '../observe/named.js'
import type { Engine, Inspection, ShardHere } from './contract.js'

/** What an engine reports of itself as it works. */
export interface ShardMeters {
  /** One commit: how many commands shared it, and how long it took from the first decision until it was durable. */
  committed(shard: number, commands: number, elapsedMs: number): void
  /** An effect went off the record by itself; it counts as one of its commit. */
  settled(): void
}

export interface ShardFigures {
  readonly meters: ShardMeters
  /** Shows that engine from now on, with a series for each of so many shards: 0 in a process that keeps none. */
  watch(engine: Pick<Engine, 'inspect'>, shards: number): void
}

type Figure<N extends NameOf<'gauge'>, T> = readonly [name: N, read: (of: T, now: number) => number]

type OfNode = 'parley_cluster_nodes' | 'parley_shards_owned' | 'parley_shards_copied'
const ofNode: readonly Figure<OfNode, Inspection>[] = [
  ['parley_cluster_nodes', ({ nodes }) => nodes.length],
  ['parley_shards_owned', ({ shards }) => countOf(shards, 'owner')],
  ['parley_shards_copied', ({ shards }) => countOf(shards, 'copy')],
]

const ofShard: readonly Figure<Extract<NameOf<'gauge'>, `parley_shard_${string}`>, ShardHere>[] = [
  ['parley_shard_owner', ({ part }) => (part === 'owner' ? 1 : 0)],
  ['parley_shard_epoch', ({ epoch }) => epoch],
  ['parley_shard_mailbox_commands', ({ waiting }) => waiting],
  ['parley_shard_behind_entries', ({ behind }) => behind],
  ['parley_shard_outbox_age_seconds', ({ owedSince }, now) => secondsSince(owedSince, now)],
  ['parley_shard_timer_late_seconds', ({ timerDueAt }, now) => secondsSince(timerDueAt, now)],
]

function secondsSince(at: number | undefined, now: number): number {
  return at === undefined ? 0 : Math.max(0, now - at) / 1000
}

export function shardFigures(metrics: Metrics, clock: Pick<Clock, 'now'>): ShardFigures {
  const commits = counterOf(metrics, 'parley_shard_commits_total')()
  const commands = counterOf(metrics, 'parley_shard_commands_total')()
  const settled = counterOf(metrics, 'parley_shard_effects_settled_total')()
  const sizes = histogramOf(metrics, 'parley_shard_commit_commands')()
  const durations = histogramOf(metrics, 'parley_shard_commit_duration_seconds')()
  return {
    meters: {
      committed(_shard, joined, elapsedMs) {
        commits.add()
        commands.add(joined)
        sizes.observe(joined)
        durations.observe(elapsedMs / 1000)
      },
      settled: () => settled.add(),
    },
    watch(engine, shards) {
      const look = oncePerScrape(engine)
      for (const [name, read] of ofNode) gaugeOf(metrics, name, () => read(look().whole, clock.now()))
      for (const [name, read] of ofShard) {
        for (let shard = 0; shard < shards; shard++) {
          gaugeOf(metrics, name, () => read(look().of(shard), clock.now()), String(shard))
        }
      }
    },
  }
}

interface Look {
  readonly whole: Inspection
  of(shard: number): ShardHere
}

/** A scrape reads every gauge in one turn, so what the first of them saw is what all of them show. */
function oncePerScrape(engine: Pick<Engine, 'inspect'>): () => Look {
  let seen: Look | undefined
  return () => {
    if (seen) return seen
    const whole = engine.inspect()
    const here = new Map(whole.shards.map((each) => [each.shard, each]))
    queueMicrotask(() => {
      seen = undefined
    })
    seen = { whole, of: (shard) => here.get(shard) ?? absent(shard) }
    return seen
  }
}

/** Of a shard that was not taken up yet there is nothing here. */
function absent(shard: number): ShardHere {
  return { shard, part: 'none', epoch: 0, number: 0, behind: 0, waiting: 0 }
}

function countOf(shards: readonly ShardHere[], part: ShardHere['part']): number {
  return shards.filter((each) => each.part === part).length
}
