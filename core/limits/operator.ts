/** Limits of operations: the log, the command line, backups, and the doctor. */
import { minute, second } from '../durations.js'

/** The size of a log line, and the rate of lines. */
export const log = Object.freeze({
  retryMs: 10,
  flushMs: 500,
  fieldChars: 8 * 1024,
  lineChars: 32 * 1024,
  depthLevels: 6,
  entriesPerObject: 64,
  /** Bytes that stdout may buffer while unread; further lines are dropped, never kept in memory. */
  bufferBytes: 16 * 1024 ** 2,
  /** Warnings and errors of one name that are written within `atOnceMs`; further ones are only counted. */
  linesAtOnce: 50,
  atOnceMs: second,
} as const)

/** How the `parley` command waits for a node. */
export const commandLine = Object.freeze({
  requestMs: 10 * second,
  /** For a call that takes a node longer: staging a campaign. */
  stageMs: 5 * minute,
  probeMs: 2 * second,
  watchEveryMs: second,
  /** Records shown first, and how far back each poll looks for late ones. */
  tailLines: 10,
  tailOverlapMs: 10 * second,
  tailPageRows: 1_000,
  /** Polls after which the agents of an org are listed again. */
  tailListPolls: 30,
  /** Polls that the rate of a campaign is computed from. */
  ratePolls: 10,
  barChars: 30,
  sendRows: 20,
  backupPollMs: 250,
  /** How long a shard move is awaited, and how often it is checked. */
  moveSeconds: 30,
  movePollMs: 250,
} as const)

/** Backups of a node's data. */
export const backup = Object.freeze({
  pathChars: 200,
  /** Free disk required beside a second copy of the data. */
  spareBytes: 256 * 1024 ** 2,
  rowsAtOnce: 500,
  /** How long copies of shards may take to catch up with their owners, and how often that is checked. */
  catchUpMs: 10 * second,
  pollMs: 50,
} as const)

/** Thresholds of the doctor's findings. */
export const doctor = Object.freeze({
  answerMs: 2 * second,
  /** Less free disk is a warning; less than the store needs is a failure. */
  freeDiskBytes: 2 * 1024 ** 3,
  clockWarnMs: 2 * second,
  clockFailMs: 30 * second,
  natsServers: 3,
} as const)
