/** Limits of shards, and of the nodes of a cluster that serve them. */
import { day, minute, second } from '../../core/durations.js'

/** The defaults of each shard. */
export const shard = Object.freeze({
  /** Commands in the mailbox of one shard; one more is refused. */
  mailboxCommands: 5_000,
  commandsPerCommit: 2_000,
  /** The time that a shard decides in one turn of the event loop; remaining commands wait for the next turn. */
  decideMs: 4,
  /** A commit takes no further command once it holds this much. */
  commitBytes: 512 * 1024,
  /** How long the answer to a command with a caller's own id is stored. */
  rememberedCommandMs: day,
  /** The same for an id that was made only for retries after a missing answer. */
  rememberedRetryMs: 10 * minute,
  /** Recently written records that each shard caches. */
  cachedRecords: 2_048,
  /**
   * Cached ranges per frequently read table; a range of more rows is read each time. The row limit covers all webhooks
   * of an org.
   */
  cachedRanges: 256,
  cachedRangeRows: 128,
  effectsInFlight: 64,
  effectsPerDestination: 8,
  /** Commands of one kind that an owner receives at once. */
  messagesPerBatch: 64,
  /** Effects of one destination that have released their slot and wait to be recorded, or for another result. */
  releasedEffectsPerLane: 256,
  /** Destinations that one shard serves at a time, and effects loaded for each; the others wait in the outbox. */
  activeLanes: 256,
  /** The same including destinations whose every effect waits for a retry. */
  trackedLanes: 4_096,
  loadedEffectsPerLane: 16,
  /** A lane may load more than that while all lanes together hold fewer than these. */
  loadedEffects: 4_096,
  timersPerSweep: 500,
  /** The timer table is polled at least this often, while there are any timers. */
  timerPollMs: 30 * second,
  /** A clock that is behind by less than this was not set back. */
  clockStepMs: second,
  /** A shard records the time of day with a commit at most this often. */
  clockNotedMs: 30 * second,
  effectRetryMs: second,
  effectRetryMaxMs: minute,
  /** A cancelled effect has this long to notice it. */
  effectCutMs: 500,
  /** A shard that is handed over gives effects in flight this long to end. */
  handOverMs: 2 * second,
  /** How long a command or a query looks for the owner of its shard. */
  executeMs: 8 * second,
  /** A request without an answer is sent again, under the same id, after this long at first and at most. */
  requestFirstMs: 400,
  requestMs: 2 * second,
  requestRetryMs: 20,
  requestRetryMaxMs: 250,
} as const)

/** The defaults of cluster membership: heartbeats, leases, and copies of shards. */
export const cluster = Object.freeze({
  heartbeatEveryMs: 500,
  /** A node without a confirmed heartbeat for this long has lost its lease, and knows it. */
  leaseMs: 2 * second,
  /** Other nodes wait this much longer before they take over, to allow for clock skew. */
  graceMs: 500,
  /** Nodes that keep a copy of a shard, its owner included. */
  copies: 3,
  /** A snapshot is made when the log has grown by this much since the last one. */
  snapshotEntries: 10_000,
  snapshotBytes: 64 * 1024 ** 2,
  /** Least number of entries before the newest snapshot that stay in the log, for nodes that are slightly behind. */
  entriesKept: 2_000,
  rowsPerSnapshotPart: 500,
  /** How often a follower checks whether the log is still the one it follows. */
  pollEveryMs: 10 * second,
  /** A process without shards waits this long for an installation to join. */
  joinMs: 30 * second,
  /** A leaving node waits this long for others to take its shards; then it releases them. */
  leaveMs: 3 * second,
  /** The wait after a failure of a shard before the next attempt. */
  retryMs: 250,
} as const)

export type ShardLimits = { readonly [Name in keyof typeof shard]: number }
export type ClusterLimits = { readonly [Name in keyof typeof cluster]: number }

/** The limits of one engine. Its modules receive theirs when they are constructed, and never change them. */
export interface EngineLimits {
  readonly shard: ShardLimits
  readonly cluster: ClusterLimits
}

/** Limits in place of the defaults, for a single engine. */
export interface LimitOverrides {
  readonly shard?: Partial<ShardLimits>
  readonly cluster?: Partial<ClusterLimits>
}

/** An engine calls this once, when it opens. */
export function mergeLimits(overrides: LimitOverrides = {}): EngineLimits {
  return { shard: { ...shard, ...overrides.shard }, cluster: { ...cluster, ...overrides.cluster } }
}

/** The cluster that one command starts on one machine. */
export const localCluster = Object.freeze({
  startMs: 60 * second,
  pollEveryMs: 100,
  /** The time that a node may take to stop, and a little more. */
  endMs: 12 * second,
  /** Preferred ports, with this step per server; a port in use is replaced by a free one. */
  portStep: 100,
  gatewayPort: 8_080,
  mgmtPort: 8_081,
  natsPort: 4_222,
  natsRoutePort: 6_222,
  natsMonitorPort: 8_222,
  redisPort: 6_379,
  logTailLines: 15,
} as const)
