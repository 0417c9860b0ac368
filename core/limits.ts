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

export const http = {
  bodyBytes: 256 * 1024,
  jsonDepth: 32,
  headerBytes: 32 * 1024,
  pathChars: 2_048,
  inFlightRequests: 10_000,
  socketsPerAddress: 1_000,
  socketsTotal: 20_000,
  retryAfterSeconds: 1,
  tokenChars: 4_096,
} as const

export const shutdown = { drainMs: 10 * second } as const

export const org = { nameChars: 200, descriptionChars: 2_000 } as const

export const apiKey = {
  nameChars: 200,
  descriptionChars: 2_000,
  /** `lastUsedAt` is written at most this often for a key. */
  lastUsedEveryMs: minute,
} as const

export const session = { lifetimeMs: hour, rememberedTokens: 10_000 } as const
export const emulatorSitting = { lifetimeMs: hour } as const

export const orgWebhook = {
  urlChars: 2_048,
  descriptionChars: 2_000,
  perOrg: 100,
  /** Wait before each try, from the one before it; the first is at once. */
  retryAfterMs: [0, 5 * second, 5 * minute, 30 * minute, 2 * hour, 5 * hour, 10 * hour, 10 * hour],
  triesInFlightPerWebhook: 4,
  keptMs: 30 * day,
} as const

export const egress = {
  connectMs: 5 * second,
  headersMs: 15 * second,
  totalMs: 30 * second,
  answerBytes: 1024 * 1024,
} as const

export const signature = { acceptedAgeMs: 300 * second } as const

export const shard = {
  mailboxCommands: 20_000,
  commandsPerCommit: 2_000,
  rememberedCommandMs: day,
  effectsInFlight: 64,
  timersPerSweep: 500,
} as const

export const store = {
  mapBytes: 64 * 1024 ** 3,
  keyBytes: 1_900,
  /** Below this much free disk the node stops taking writes. */
  freeDiskBytes: 64 * 1024 ** 2,
} as const

export const page = { defaultRows: 50, maxRows: 200 } as const
