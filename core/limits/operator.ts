/** Numbers of those who run an installation: the log, the command line, backups, and what the doctor looks for. */
import { minute, second } from '../durations.js'

/** What one log line may hold, and how many there may be. */
export const log = {
  retryMs: 10,
  flushMs: 500,
  fieldChars: 8 * 1024,
  lineChars: 32 * 1024,
  depthLevels: 6,
  entriesPerObject: 64,
  /** What stdout may hold back while nobody reads it; lines beyond are dropped, never kept in memory. */
  bufferBytes: 16 * 1024 ** 2,
  /** Warnings and errors of one name that are written within so long; more are counted. */
  linesAtOnce: 50,
  atOnceMs: second,
} as const

/** How `parley` on the command line waits for a node. */
export const commandLine = {
  requestMs: 10 * second,
  /** For what a node is known to take longer for: staging a campaign. */
  stageMs: 5 * minute,
  probeMs: 2 * second,
  watchEveryMs: second,
  /** Records shown before those that come, and how far back each look goes for those that came late. */
  tailLines: 10,
  tailOverlapMs: 10 * second,
  tailPageRows: 1_000,
  /** Looks after which the agents of an org are listed anew. */
  tailListPolls: 30,
  /** Looks that the rate of a campaign is taken from. */
  ratePolls: 10,
  barChars: 30,
  sendRows: 20,
  backupPollMs: 250,
  /** How long a shard that was moved is waited for by itself, and how often it is looked at. */
  moveSeconds: 30,
  movePollMs: 250,
} as const

/** Backups of a node's data. */
export const backup = {
  pathChars: 200,
  /** What a disk must have free beside a second copy of the data. */
  spareBytes: 256 * 1024 ** 2,
  rowsAtOnce: 500,
  /** How long copies of shards may take to come up with their owners, and how often that is looked at. */
  catchUpMs: 10 * second,
  pollMs: 50,
} as const

/** What the doctor finds worth a word. */
export const doctor = {
  answerMs: 2 * second,
  /** Less free disk than this is told; less than the store needs is a failure. */
  freeDiskBytes: 2 * 1024 ** 3,
  clockWarnMs: 2 * second,
  clockFailMs: 30 * second,
  natsServers: 3,
} as const
