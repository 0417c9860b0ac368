/** Every number of the contract and of the house, each with its unit last. Code, tests and bench read them here. */

const second = 1000
const minute = 60 * second
const hour = 60 * minute
const day = 24 * hour

/** Token buckets of the management API, each API key having its own. */
export const budgets = {
  send: { burstCalls: 100, refillPerSecond: 10 },
  journey: { burstCalls: 1_000, refillPerSecond: 200 },
} as const
export type BudgetName = keyof typeof budgets

/** The shared home of the token buckets. A call it does not judge in time is judged by this process alone. */
export const redis = { commandMs: 50, connectMs: second, retryMs: 50, retryMaxMs: 2 * second } as const

export const http = {
  bodyBytes: 256 * 1024,
  jsonDepth: 32,
  headerBytes: 32 * 1024,
  pathChars: 2_048,
  inFlightRequests: 10_000,
  socketsTotal: 20_000,
  retryAfterSeconds: 1,
  tokenChars: 4_096,
} as const

/** A stop has ten seconds in all: requests in flight get the first part, effects under way the second. */
export const shutdown = { requestsMs: 5 * second, effectsMs: 3 * second, wholeMs: 9.5 * second } as const

export const org = { nameChars: 200, descriptionChars: 2_000 } as const

export const apiKey = {
  nameChars: 200,
  descriptionChars: 2_000,
  perOrg: 1_000,
  recentKeys: 1_000,
  /** `lastUsedAt` is written at most this often for a key. */
  lastUsedEveryMs: minute,
} as const

export const session = { lifetimeMs: hour, rememberedTokens: 10_000, discoveryMs: 5 * second } as const
export const emulatorSitting = { lifetimeMs: hour } as const

export const orgWebhook = {
  urlChars: 2_048,
  descriptionChars: 2_000,
  perOrg: 100,
  /** Wait before each try, from the one before it; the first is at once. */
  retryAfterMs: [0, 5 * second, 5 * minute, 30 * minute, 2 * hour, 5 * hour, 10 * hour, 10 * hour],
  /** A retry is late by up to this share of its wait, so that endpoints which failed together do not come back together. */
  retryJitterShare: 0.2,
  triesInFlightPerWebhook: 4,
  /** The same for an endpoint whose last try failed: enough to notice that it is back. */
  triesInFlightWhileFailing: 1,
  attemptsKept: 20,
  keptMs: 30 * day,
  rowsPerSweep: 500,
  secretBytes: 32,
} as const

export const egress = {
  connectMs: 5 * second,
  headersMs: 15 * second,
  totalMs: 30 * second,
  answerBytes: 1024 * 1024,
  /** An answer that nobody reads is drained this far to keep its connection, then cut. */
  drainBytes: 16 * 1024,
  drainMs: second,
  /** Ports a user may name while only public addresses are allowed. */
  publicPorts: [443, 8443],
} as const

export const signature = { acceptedAgeMs: 300 * second } as const

export const shard = {
  mailboxCommands: 20_000,
  commandsPerCommit: 2_000,
  rememberedCommandMs: day,
  effectsInFlight: 64,
  timersPerSweep: 500,
  effectRetryMs: second,
  effectRetryMaxMs: minute,
} as const

export const store = {
  /** Addresses reserved for the data at the start, not memory; more are taken when it outgrows them. */
  mapBytes: 64 * 1024 ** 3,
  keyBytes: 1_900,
  /** Below this much free disk the node stops taking writes. */
  freeDiskBytes: 64 * 1024 ** 2,
  /** Commits are added to a group until it holds this many writes; a single larger commit still goes whole. */
  writesPerGroup: 20_000,
  /** Rows of a range that are read at one sitting; between sittings nothing of the database is held. */
  rowsPerSlice: 64,
  /** Pages of the data file whose structure is checked before it is opened. */
  checkedPages: 16_384,
  recordDepth: 100,
  /** How long an owner of the data directory is given to say which process it is. */
  ownerAnswerMs: 250,
} as const

export const page = { defaultRows: 50, maxRows: 200 } as const

export const catalog = {
  nameChars: 80,
  descriptionChars: 300,
  /** The longest chip label that rcs shows whole. */
  chipLabelChars: 25,
  cacheSeconds: 300,
} as const

/** What one log line may hold. */
export const log = {
  retryMs: 10,
  flushMs: 500,
  fieldChars: 8 * 1024,
  lineChars: 32 * 1024,
  depthLevels: 6,
  entriesPerObject: 64,
  /** What stdout may hold back while nobody reads it; lines beyond are dropped, never kept in memory. */
  bufferBytes: 16 * 1024 ** 2,
} as const

export const metrics = {
  loopDelayEveryMs: 50,
  durationBucketsSeconds: [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
  /** Label combinations of one metric; what comes after them is counted together. */
  seriesPerMetric: 5_000,
} as const

/** Bounds of the environment variables. */
export const settings = { portMax: 65_535, shardsMax: 4_096, bootstrapKeyMinChars: 24, secretKeyBytes: 32 } as const

/** Files of the docs pages are named after their content, so a browser may keep one for a year. */
export const docs = { assetMaxAgeSeconds: (365 * day) / second } as const
