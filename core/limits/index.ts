/**
 * Limits: every number of the contract and of Parley, each with its unit last. Code, tests and benchmarks read them
 * here.
 */
import { day, hour, minute, second } from '../durations.js'
import { linkBudgets } from './sandbox.js'

export * from './adapters.js'
export * from './agent.js'
export * from './automation.js'
export * from './calendar.js'
export * from './campaign.js'
export * from './gateway.js'
export * from './http.js'
export * from './ingress.js'
export * from './oauth.js'
export * from './operator.js'
export * from './people.js'
export * from './sandbox.js'
export * from './traffic.js'
export * from './turn.js'
export * from './webhook.js'
export * from './worker.js'

/** Token buckets: `send` and `journey` are per API key, the others per address or web chat visitor. */
export const budgets = Object.freeze({
  send: { burstCalls: 100, refillPerSecond: 10 },
  journey: { burstCalls: 1_000, refillPerSecond: 200 },
  /** Visitor tokens that one address asks for. */
  webchatVisitors: { burstCalls: 60, refillPerSecond: 1 },
  /** Chat pages and scripts that one address reads: bounds how fast it can discover agents. */
  webchatPages: { burstCalls: 300, refillPerSecond: 5 },
  /**
   * Sockets that one address opens with a bad token. Each process counts on its own, since it decides synchronously.
   */
  webchatBadTokens: { burstCalls: 60, refillPerSecond: 1 },
  /** Sockets that one address opens, and messages over all of them. */
  webchatAddress: { burstCalls: 400, refillPerSecond: 40 },
  /** Messages of one visitor. */
  webchatMessages: { burstCalls: 20, refillPerSecond: 2 },
  ...linkBudgets,
} as const)
export type BudgetName = keyof typeof budgets

/** Long work, such as rendering, searching and indexing of texts, runs in slices of about this length. */
export const longWork = Object.freeze({ sliceMs: 4 } as const)

export const org = Object.freeze({ nameChars: 200, descriptionChars: 2_000 } as const)

export const apiKey = Object.freeze({
  nameChars: 200,
  descriptionChars: 2_000,
  perOrg: 1_000,
  /** Keys that a process caches, and so recognizes without a query. */
  cachedKeys: 10_000,
  /** `lastUsedAt` is written at most this often for a key. */
  lastUsedEveryMs: minute,
} as const)

/** Decrypted data keys that a process caches. */
export const sealing = Object.freeze({ cachedDataKeys: 1_000 } as const)

/** How often a starting node queries shards that have no owner yet, each time for the duration of a query. */
export const firstStart = Object.freeze({ attempts: 8 } as const)

export const session = Object.freeze({ lifetimeMs: hour, cachedTokens: 10_000, discoveryMs: 5 * second } as const)
export const emulatorSitting = Object.freeze({ lifetimeMs: hour } as const)

export const orgWebhook = Object.freeze({
  urlChars: 2_048,
  descriptionChars: 2_000,
  perOrg: 100,
  /** Wait before each attempt, from the one before it; the first is immediate. */
  retryAfterMs: [0, 5 * second, 5 * minute, 30 * minute, 2 * hour, 5 * hour, 10 * hour, 10 * hour],
  /**
   * Retries are delayed by up to this share of their wait, so that endpoints which failed together do not return
   * together.
   */
  retryJitterShare: 0.2,
  triesInFlightPerWebhook: 4,
  /** The same for an endpoint whose last attempt failed: enough to notice that it is back. */
  triesInFlightWhileFailing: 1,
  retainedAttempts: 20,
  retentionMs: 30 * day,
  rowsPerSweep: 500,
  secretBytes: 32,
} as const)

export const egress = Object.freeze({
  connectMs: 5 * second,
  headersMs: 15 * second,
  totalMs: 30 * second,
  answerBytes: 1024 * 1024,
  /** An unread answer is drained up to this size to keep its connection, then cut. */
  drainBytes: 16 * 1024,
  drainMs: second,
  /** Ports that a user may name while only public addresses are allowed. */
  publicPorts: [443, 8443],
} as const)

export const signature = Object.freeze({ acceptedAgeMs: 300 * second } as const)

export const page = Object.freeze({ defaultRows: 50, maxRows: 200, tokenChars: 1_024 } as const)

export const catalog = Object.freeze({
  nameChars: 80,
  descriptionChars: 300,
  /** The longest chip label that rcs shows whole. */
  chipLabelChars: 25,
  cacheSeconds: 300,
} as const)

/** Knowledge sources of an agent, and search in their passages. */
export const knowledge = Object.freeze({
  /** Uploaded or fetched bytes, before their conversion to text. */
  bytes: 1024 ** 2,
  textChars: 256 * 1024,
  passageChars: 1_000,
  /** A heading begins another passage once the one before it has this much. */
  passageMinChars: 200,
  wordChars: 64,
  /** Each word is a row, and all are written in one commit. */
  wordsPerSource: 20_000,
  /** Word rows of a deleted source that one commit removes. */
  rowsPerSweep: 2_000,
  /** Passages of all sources of an agent, which bounds the work of a search. */
  passagesPerAgent: 20_000,
  queryChars: 500,
  queryWords: 16,
  hits: 10,
  maxHits: 50,
  /** Size of the documents, together, whose search indexes a process caches. */
  cachedIndexBytes: 64 * 1024 ** 2,
  connectMs: 5 * second,
  headersMs: 10 * second,
  totalMs: 20 * second,
  redirects: 3,
  /** The longest version validator (such as an ETag) that is returned to a page's server. */
  validatorChars: 500,
  /** An upload that has not become a media item by then is abandoned, and its bytes are removed. */
  unfinishedMs: hour,
} as const)

/** Geocoding of addresses, before they are stored. */
export const geocoder = Object.freeze({
  connectMs: 2 * second,
  headersMs: 4 * second,
  totalMs: 4 * second,
  answerBytes: 64 * 1024,
  callsInFlight: 4,
  /** For all addresses of one write together; the remaining ones count as not looked up. */
  wholeMs: 8 * second,
  /** After this many unanswered calls in a row the remaining ones are not tried. */
  failuresInRow: 4,
  cachedAddresses: 10_000,
  cachedMs: day,
} as const)

/** Calls to the language model of the installation. */
export const languageModel = Object.freeze({
  connectMs: 5 * second,
  headersMs: 45 * second,
  totalMs: 45 * second,
  answerBytes: 512 * 1024,
  answerTokens: 8_000,
  /** The first attempt and its repairs, together. */
  attempts: 3,
  wholeMs: 90 * second,
  briefChars: 4_000,
  /** Findings that one repair receives. */
  findings: 20,
  notesChars: 2_000,
  /** Steps of a simulation before it counts as stuck. */
  simulationSteps: 400,
} as const)

/** Sends of an outreach: what a caller may pass, attempts and waits, and retention. */
export const outreachSend = Object.freeze({
  /** Zones with a cached clock for sending hours. */
  cachedClocks: 64,
  inputs: 100,
  /** Slots without a value that one log line names. */
  missingSlotsLogged: 20,
  inputKeyChars: 128,
  inputValueChars: 4_000,
  keyChars: 200,
  sourceChars: 64,
  /** One field of a profile, and each text on consent. */
  profileChars: 500,
  evidenceChars: 4_000,
  /** How often a campaign and its sends check whether a binding has become ready. */
  bindingRetryMs: minute,
  /**
   * An accepted send is picked up this long after its acceptance; sends of one step share a pickup, so a long step
   * makes bursts.
   */
  pickupMs: minute,
  pickupStepMs: 100,
  rowsPerPickup: 200,
  /** Of the newest sends to a person, how many a STOP examines. */
  rowsPerStop: 100,
  /** Waits before the second, third and fourth attempt, each from the end of the one before it. */
  retryAfterMs: [2 * minute, 8 * minute, 20 * minute],
  capabilityMs: 7 * day,
  retentionMs: 180 * day,
  sweepEveryMs: day,
  rowsPerSweep: 500,
  rowsPerRead: 500,
  /** How long a caller waits for the result of a named send, and of a journey send. */
  answerMs: 30 * second,
  journeyAnswerMs: 10 * second,
  /** How often the end of a sandbox send is checked while its caller waits. */
  sandboxPollMs: 25,
  /** Automated outreach and campaigns do not write to a person this soon after the person wrote. */
  quietMs: 30 * minute,
  touchHours: 48,
  touchMaxHours: 8_760,
  /** How far ahead the next sending hours are searched: a window may be missing on the day of a clock change. */
  openingWithinDays: 4,
  /** Nesting depth of templates that name templates. */
  templateDepth: 5,
  /** Templates in one text; each mention counts. */
  templatesPerText: 50,
} as const)

export const metrics = Object.freeze({
  loopDelayEveryMs: 50,
  durationBucketsSeconds: [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
  /** Messages may wait for hours, for their bulk leave time or for a window. */
  waitBucketsSeconds: [0.01, 0.05, 0.1, 0.5, 1, 5, 15, 60, 300, 1_800, 7_200, 43_200],
  /** Commands per commit, up to the largest commit. */
  commitBucketsCommands: [1, 2, 5, 10, 25, 50, 100, 250, 500, 1_000, 2_000],
  /** Label combinations of one metric; further ones are counted together. */
  seriesPerMetric: 5_000,
} as const)

/** Bounds of the environment variables. */
export const settings = Object.freeze({
  portMax: 65_535,
  shardsMax: 4_096,
  bootstrapKeyMinChars: 24,
  secretKeyBytes: 32,
} as const)

/** Files of the docs pages are named after their content, so a browser may cache one for a year. */
export const docs = Object.freeze({ assetMaxAgeSeconds: (365 * day) / second } as const)
