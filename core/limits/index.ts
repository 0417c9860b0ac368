/**
 * Limits: every number of the contract and of Parley, each with its unit last. Code, tests and benchmarks read them
 * here.
 */
import { day, hour, minute, second } from '../durations.js'
import { linkBudgets } from './sandbox.js'

export * from './agent.js'
export * from './automation.js'
export * from './campaign.js'
export * from './gateway.js'
export * from './http.js'
export * from './ingress.js'
export * from './oauth.js'
export * from './operator.js'
export * from './people.js'
export * from './sandbox.js'
export * from './traffic.js'
export * from './webhook.js'
export * from './worker.js'

/** Token buckets: `send` and `journey` are per API key, the others per address or web chat visitor. */
export const budgets = {
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
} as const
export type BudgetName = keyof typeof budgets

/** Long work, such as rendering, searching and indexing of texts, runs in slices of about this length. */
export const longWork = { sliceMs: 4 } as const

/** The shared token buckets in Redis. If Redis does not answer in time, the process decides alone. */
export const redis = { commandMs: 50, connectMs: second, retryMs: 50, retryMaxMs: 2 * second } as const

export const org = { nameChars: 200, descriptionChars: 2_000 } as const

export const apiKey = {
  nameChars: 200,
  descriptionChars: 2_000,
  perOrg: 1_000,
  /** Keys that a process caches, and so recognizes without a query. */
  cachedKeys: 10_000,
  /** `lastUsedAt` is written at most this often for a key. */
  lastUsedEveryMs: minute,
} as const

/** Decrypted data keys that a process caches. */
export const sealing = { dataKeysKept: 1_000 } as const

/** How often a starting node queries shards that have no owner yet, each time for the duration of a query. */
export const firstStart = { asks: 8 } as const

export const session = { lifetimeMs: hour, cachedTokens: 10_000, discoveryMs: 5 * second } as const
export const emulatorSitting = { lifetimeMs: hour } as const

export const orgWebhook = {
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
  /** An unread answer is drained up to this size to keep its connection, then cut. */
  drainBytes: 16 * 1024,
  drainMs: second,
  /** Ports that a user may name while only public addresses are allowed. */
  publicPorts: [443, 8443],
} as const

export const signature = { acceptedAgeMs: 300 * second } as const

export const shard = {
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
} as const

/** Cluster membership: heartbeats, leases, and copies of shards. */
export const cluster = {
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
} as const

export const bus = {
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
} as const

/** The cluster that one command starts on one machine. */
export const localCluster = {
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
} as const

export const store = {
  /**
   * Free pages of the file that are loaded, and the bound beyond which they are released. Every written page is
   * searched among them: with lmdb's default of tens of thousands, a commit to a large file takes a tenth of a second.
   */
  freePagesLoaded: 2_000,
  freePagesRetained: 4_000,
  /** Address space reserved for the data at the start, not memory; more is reserved when the data outgrows it. */
  mapBytes: 64 * 1024 ** 3,
  keyBytes: 1_900,
  /** Below this much free disk the node refuses writes. */
  freeDiskBytes: 64 * 1024 ** 2,
  /**
   * Commits join a group until it holds this many writes; a single larger commit still goes whole. Small groups let the
   * commits of one continue while the next is written: with one large group, callers would wait for the disk and then
   * the disk for callers.
   */
  writesPerGroup: 600,
  /** With `durability: 'async'`, the least time between the beginnings of two transactions. */
  writeBehindMs: 100,
  /** While this much is unwritten, a commit waits too. */
  unwrittenBytes: 8 * 1024 ** 2,
  /** Rows of a range that are read in one slice; between slices no read transaction is open. */
  rowsPerSlice: 64,
  /** Pages of the data file whose structure is checked before it is opened. */
  checkedPages: 16_384,
  recordDepth: 100,
  /** The time that the owner of the data directory has to identify its process. */
  ownerAnswerMs: 250,
} as const

export const page = { defaultRows: 50, maxRows: 200, tokenChars: 1_024 } as const

export const catalog = {
  nameChars: 80,
  descriptionChars: 300,
  /** The longest chip label that rcs shows whole. */
  chipLabelChars: 25,
  cacheSeconds: 300,
} as const

/** Knowledge sources of an agent, and search in their passages. */
export const knowledge = {
  /** Uploaded or fetched bytes, before their conversion to text. */
  bytes: 1024 ** 2,
  textChars: 256 * 1024,
  passageChars: 1_000,
  /** A heading begins another passage once the one before it has this much. */
  passageLeastChars: 200,
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
  /** Facts that one turn of the event loop indexes. */
  factsPerTurn: 100,
  connectMs: 5 * second,
  headersMs: 10 * second,
  totalMs: 20 * second,
  redirects: 3,
  /** The longest version validator (such as an ETag) that is returned to a page's server. */
  validatorChars: 500,
  /** An upload that has not become a media item by then is abandoned, and its bytes are removed. */
  unfinishedMs: hour,
} as const

/** Geocoding of addresses, before they are stored. */
export const geocoder = {
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
} as const

/** Calls to the language model of the installation. */
export const languageModel = {
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
} as const

/** Sends of an outreach: what a caller may pass, attempts and waits, and retention. */
export const outreachSend = {
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
  capabilityKeptMs: 7 * day,
  keptMs: 180 * day,
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
  touchMostHours: 8_760,
  /** How far ahead the next sending hours are searched: a window may be missing on the day of a clock change. */
  openingWithinDays: 4,
  /** Nesting depth of templates that name templates. */
  templateDepth: 5,
  /** Templates in one text; each mention counts. */
  templatesPerText: 50,
} as const

export const metrics = {
  loopDelayEveryMs: 50,
  durationBucketsSeconds: [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
  /** Messages may wait for hours, for their bulk leave time or for a window. */
  waitBucketsSeconds: [0.01, 0.05, 0.1, 0.5, 1, 5, 15, 60, 300, 1_800, 7_200, 43_200],
  /** Commands per commit, up to the largest commit. */
  commitBucketsCommands: [1, 2, 5, 10, 25, 50, 100, 250, 500, 1_000, shard.commandsPerCommit],
  /** Label combinations of one metric; further ones are counted together. */
  seriesPerMetric: 5_000,
} as const

/** Bounds of the environment variables. */
export const settings = { portMax: 65_535, shardsMax: 4_096, bootstrapKeyMinChars: 24, secretKeyBytes: 32 } as const

/** Files of the docs pages are named after their content, so a browser may cache one for a year. */
export const docs = { assetMaxAgeSeconds: (365 * day) / second } as const
