/** Limits of the connection to NATS and of what is stored there. */
import { hour, second } from '../../core/durations.js'

export const bus = Object.freeze({
  connectMs: 5 * second,
  requestMs: 5 * second,
  /** A leader that has not acknowledged by then may be gone: the caller asks again, since another node may lead. */
  publishMs: 2 * second,
  /** An idempotent request is repeated after this long. */
  requestRetryMs: 500,
  reconnectMs: 250,
  /** A server that accepted the connection and stays silent is abandoned after this long for the next one. */
  dialMs: 2 * second,
  /** A server that leaves this many pings unanswered counts as down. */
  pingEveryMs: second,
  pingsUnanswered: 2,
  /** The longest message between nodes; it travels in frames that fit the servers' own limit. */
  messageBytes: 16 * 1024 ** 2,
  frameBytes: 512 * 1024,
  /** Incomplete messages; one more evicts the oldest. */
  partialMessages: 32,
  partialMs: 10 * second,
  /** The part of the servers' message limit that is reserved for headers. */
  headerBytes: 1024,
  /** Entries that a log follower fetches at a time; it fetches the next when it has applied them. */
  entriesAhead: 32,
  pullMs: 30 * second,
  /** A new stream or consumer is not known to all servers at once: the wait before the next attempt. */
  unknownRetryMs: 25,
  heartbeatMs: 750,
  /** A follower that misses this many heartbeats restarts. The NATS client allows no other number. */
  heartbeatsMissed: 2,
  /** The servers drop a silent follower after this long. */
  followerKeptMs: 30 * second,
  memberKeptMs: hour,
  /** Removal markers stay this long, for watchers that were disconnected. */
  removalKeptMs: hour,
  /** Recent removals that a watcher deduplicates when the servers repeat them. */
  removalsRemembered: 1_024,
  objectChunkBytes: 128 * 1024,
  objectChunksInFlight: 8,
  /** Replicas of every log in a cluster. */
  replicas: 3,
  /** Below this version an acknowledged append may be lost on power failure. */
  safeServer: [2, 10, 27],
} as const)
