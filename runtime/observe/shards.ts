/** What the engine of a node counts as it works, and shows of its shards when somebody scrapes. */
import { metrics as limits } from '../../core/limits.js'
import type { Clock } from '../clock.js'
import type { Engine, Inspection, ShardHere } from '../shard/contract.js'
import type { ShardMeters } from '../shard/meters.js'
import type { Metrics } from './metrics.js'

export interface ShardFigures {
  readonly meters: ShardMeters
  /** Shows that engine from now on, with a series for each of so many shards: 0 in a process that keeps none. */
  watch(engine: Pick<Engine, 'inspect'>, shards: number): void
}

type Figure<T> = readonly [name: string, help: string, read: (of: T, now: number) => number]

const ofNode: readonly Figure<Inspection>[] = [
  ['parley_cluster_nodes', 'Processes of the installation heard of lately', ({ nodes }) => nodes.length],
  ['parley_shards_owned', 'Shards that this node owns', ({ shards }) => countOf(shards, 'owner')],
  [
    'parley_shards_copied',
    'Shards of which this node keeps a copy for their owner',
    ({ shards }) => countOf(shards, 'copy'),
  ],
]

const ofShard: readonly Figure<ShardHere>[] = [
  ['parley_shard_owner', 'Whether this node owns the shard', ({ part }) => (part === 'owner' ? 1 : 0)],
  ['parley_shard_epoch', 'Changes of owner that this node knows of', ({ epoch }) => epoch],
  ['parley_shard_mailbox_commands', 'Commands that wait', ({ waiting }) => waiting],
  ['parley_shard_behind_entries', 'Entries of the log not yet applied here', ({ behind }) => behind],
  [
    'parley_shard_outbox_age_seconds',
    'How long ago the oldest effect was committed that is not done',
    ({ owedSince }, now) => (owedSince === undefined ? 0 : Math.max(0, now - owedSince) / 1000),
  ],
]

export function shardFigures(metrics: Metrics, clock: Pick<Clock, 'now'>): ShardFigures {
  const commits = metrics.counter('parley_shard_commits_total', 'Commits made by the shards that this node owns')
  const commands = metrics.counter(
    'parley_shard_commands_total',
    'Commands, timers and settled effects in those commits',
  )
  const sizes = metrics.histogram(
    'parley_shard_commit_commands',
    'How many shared one commit',
    {},
    limits.commitBucketsCommands,
  )
  const durations = metrics.histogram(
    'parley_shard_commit_duration_seconds',
    'From the first decision of a commit until it was durable',
  )
  return {
    meters: {
      committed(_shard, joined, elapsedMs) {
        commits.add()
        commands.add(joined)
        sizes.observe(joined)
        durations.observe(elapsedMs / 1000)
      },
    },
    watch(engine, shards) {
      const look = oncePerScrape(engine)
      for (const [name, help, read] of ofNode) metrics.gauge(name, help, () => read(look().whole, clock.now()))
      for (const [name, help, read] of ofShard) {
        for (let shard = 0; shard < shards; shard++) {
          metrics.gauge(name, help, () => read(look().of(shard), clock.now()), { shard: String(shard) })
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
