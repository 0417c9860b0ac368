/** Every number of the contract and of the house, each with its unit last. Code, tests and bench read them here. */
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

/** Token buckets: each API key has its own of the first two, each address or visitor of web chat of the others. */
export const budgets = {
  send: { burstCalls: 100, refillPerSecond: 10 },
  journey: { burstCalls: 1_000, refillPerSecond: 200 },
  /** Tokens for visitors that one address asks for. */
  webchatVisitors: { burstCalls: 60, refillPerSecond: 1 },
  /** Pages and scripts of chats that one address reads: it learns which agents there are no faster than this. */
  webchatPages: { burstCalls: 300, refillPerSecond: 5 },
  /** Sockets that one address asks for with a token that is not good. Each process counts by itself, since it decides at once. */
  webchatBadTokens: { burstCalls: 60, refillPerSecond: 1 },
  /** Sockets that one address opens, and what is said over all of them. */
  webchatAddress: { burstCalls: 400, refillPerSecond: 40 },
  /** What one visitor says. */
  webchatMessages: { burstCalls: 20, refillPerSecond: 2 },
  ...linkBudgets,
} as const
export type BudgetName = keyof typeof budgets

/** Work that may take long, like rendering, searching and indexing of texts, is done in slices of about this length. */
export const longWork = { sliceMs: 4 } as const

/** The shared home of the token buckets. A call it does not judge in time is judged by this process alone. */
export const redis = { commandMs: 50, connectMs: second, retryMs: 50, retryMaxMs: 2 * second } as const

export const org = { nameChars: 200, descriptionChars: 2_000 } as const

export const apiKey = {
  nameChars: 200,
  descriptionChars: 2_000,
  perOrg: 1_000,
  /** Keys that a process remembers, and so recognises without asking around. */
  cachedKeys: 10_000,
  /** `lastUsedAt` is written at most this often for a key. */
  lastUsedEveryMs: minute,
} as const

/** Opened data keys that a process keeps at hand. */
export const sealing = { dataKeysKept: 1_000 } as const

/** How often a node that starts asks shards which nobody serves yet, each time for as long as an ask takes. */
export const firstStart = { asks: 8 } as const

export const session = { lifetimeMs: hour, cachedTokens: 10_000, discoveryMs: 5 * second } as const
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
  /** Commands that wait in one shard; one more is refused. */
  mailboxCommands: 5_000,
  commandsPerCommit: 2_000,
  /** A shard decides for so long in one turn of the loop; those who are left wait for the next turn. */
  decideMs: 4,
  /** A commit takes no further command once it holds this much. */
  commitBytes: 512 * 1024,
  /** How long the answer to a command with an id of its caller's is kept. */
  rememberedCommandMs: day,
  /** The same for one whose id was made only to ask again when no answer came. */
  rememberedRetryMs: 10 * minute,
  /** Records that were just written and are kept at hand, in each shard. */
  cachedRecords: 2_048,
  /** The same of whole ranges, in each table that is read often; longer than all webhooks of an org they are read each time. */
  cachedRanges: 256,
  cachedRangeRows: 128,
  effectsInFlight: 64,
  effectsPerDestination: 8,
  /** Commands of one kind that an owner is told at once. */
  messagesPerBatch: 64,
  /** Effects of one destination that are done with it and wait to be noted, or for somebody else. */
  releasedEffectsPerLane: 256,
  /** Destinations of one shard that are served at a time, and effects held for each; the others wait on the record. */
  activeLanes: 256,
  /** The same with those added whose every effect waits to be tried again. */
  trackedLanes: 4_096,
  loadedEffectsPerLane: 16,
  /** A lane may hold more than that as long as all of them hold fewer than these. */
  loadedEffects: 4_096,
  timersPerSweep: 500,
  /** The record of timers is looked at this often at least, while there are any. */
  timerPollMs: 30 * second,
  /** A clock that is behind by less than this was not set back. */
  clockStepMs: second,
  /** A shard notes the time of day with a commit this often at most. */
  clockNotedMs: 30 * second,
  effectRetryMs: second,
  effectRetryMaxMs: minute,
  /** An effect that was cut has this long to notice it. */
  effectCutMs: 500,
  /** A shard that is handed over gives effects under way this long to end. */
  handOverMs: 2 * second,
  /** How long a command or a query looks for whoever serves its shard. */
  executeMs: 8 * second,
  /** A request without an answer is sent again, under the same id, after this long at first and at most. */
  requestFirstMs: 400,
  requestMs: 2 * second,
  requestRetryMs: 20,
  requestRetryMaxMs: 250,
} as const

/** How nodes of a cluster know of each other, and when a silent one has lost what it owned. */
export const cluster = {
  heartbeatEveryMs: 500,
  /** A node that could not make itself heard for this long owns nothing any more, and knows it. */
  leaseMs: 2 * second,
  /** The others wait this much longer before they take over, for clocks that do not run alike. */
  graceMs: 500,
  /** Nodes that keep a copy of a shard, its owner included. */
  copies: 3,
  /** A snapshot is made when the log has grown by this much since the last one. */
  snapshotEntries: 10_000,
  snapshotBytes: 64 * 1024 ** 2,
  /** Entries before the newest snapshot that stay in the log at least, for nodes that are only a little behind. */
  entriesKept: 2_000,
  rowsPerSnapshotPart: 500,
  /** How often a node that keeps a copy looks by itself whether the log is still the one it follows. */
  pollEveryMs: 10 * second,
  /** A process that keeps no shards waits this long for an installation to join. */
  joinMs: 30 * second,
  /** Leaving, a node waits this long for others to take its shards; then it lets go of them. */
  leaveMs: 3 * second,
  /** After something went wrong with a shard, how long until it is tried again. */
  retryMs: 250,
} as const

export const bus = {
  connectMs: 5 * second,
  requestMs: 5 * second,
  /** A leader that has not taken a message by then may have gone: whoever sent it asks again, another may lead. */
  publishMs: 2 * second,
  /** What may be asked twice is asked again after this long. */
  requestRetryMs: 500,
  reconnectMs: 250,
  /** A server that took the connection and says nothing is left after this long for the next one. */
  dialMs: 2 * second,
  /** A server that leaves this many pings without an answer counts as away. */
  pingEveryMs: second,
  pingsUnanswered: 2,
  /** The longest message between nodes; it travels in frames that fit the servers' own limit. */
  messageBytes: 16 * 1024 ** 2,
  frameBytes: 512 * 1024,
  /** Messages of which some frames are missing; the oldest gives way to one more. */
  partialMessages: 32,
  partialMs: 10 * second,
  /** Of the servers' limit for a message, what is left to headers. */
  headerBytes: 1024,
  /** A follower of a log fetches this many entries at a time, the next when it has taken them. */
  entriesAhead: 32,
  pullMs: 30 * second,
  /** What the servers have just made is not known to all of them yet: how long until it is tried again. */
  unknownRetryMs: 25,
  heartbeatMs: 750,
  /** A follower that misses so many heartbeats begins again. The NATS client knows no other number. */
  heartbeatsMissed: 2,
  /** The servers forget a follower that has gone without a word after this long. */
  followerKeptMs: 30 * second,
  memberKeptMs: hour,
  /** That something was removed is told for this long to whoever was away. */
  removalKeptMs: hour,
  /** Removals that a watcher knows it was told of, however often the servers begin again. */
  removalsRemembered: 1_024,
  objectChunkBytes: 128 * 1024,
  objectChunksInFlight: 8,
  /** A cluster keeps every log this many times. */
  replicas: 3,
  /** Below this version an acknowledged append may be lost when the power fails. */
  safeServer: [2, 10, 27],
} as const

/** The cluster that one command starts on one machine. */
export const localCluster = {
  startMs: 60 * second,
  pollEveryMs: 100,
  /** What a node may take to stop, and a little more. */
  endMs: 12 * second,
  /** Ports that are asked for first, each next server that much further; one that is taken is replaced by a free one. */
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
   * Free pages of the file that are held at hand, and beyond which what is held is let go of. Every page that is written is
   * looked for among them: with the tens of thousands that lmdb would hold, a commit to a large file takes a tenth of a second.
   */
  freePagesLoaded: 2_000,
  freePagesRetained: 4_000,
  /** Addresses reserved for the data at the start, not memory; more are taken when it outgrows them. */
  mapBytes: 64 * 1024 ** 3,
  keyBytes: 1_900,
  /** Below this much free disk the node stops taking writes. */
  freeDiskBytes: 64 * 1024 ** 2,
  /**
   * Commits are added to a group until it holds this many writes; a single larger commit still goes whole. Small enough
   * that those of one group go on while the next is written: were all in one, everybody would wait for the disk and then
   * the disk for everybody.
   */
  writesPerGroup: 600,
  /** With `durability: 'async'`, the least time between the beginnings of two transactions. */
  writeBehindMs: 100,
  /** While this much is unwritten, a commit waits too. */
  unwrittenBytes: 8 * 1024 ** 2,
  /** Rows of a range that are read at one sitting; between sittings nothing of the database is held. */
  rowsPerSlice: 64,
  /** Pages of the data file whose structure is checked before it is opened. */
  checkedPages: 16_384,
  recordDepth: 100,
  /** How long an owner of the data directory is given to say which process it is. */
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

/** Sources of an agent and search among their passages. */
export const knowledge = {
  /** Of what is uploaded or fetched, before it becomes text. */
  bytes: 1024 ** 2,
  textChars: 256 * 1024,
  passageChars: 1_000,
  /** A heading begins another passage once the one before it has this much. */
  passageLeastChars: 200,
  wordChars: 64,
  /** Each is a row that is written in one commit. */
  wordsPerSource: 20_000,
  /** Of a source that goes, words whose rows are removed in one commit. */
  rowsPerSweep: 2_000,
  /** Of all sources of an agent, which bounds what a search has to look at. */
  passagesPerAgent: 20_000,
  queryChars: 500,
  queryWords: 16,
  hits: 10,
  maxHits: 50,
  /** Facts that one turn of the event loop puts into an index. */
  factsPerTurn: 100,
  connectMs: 5 * second,
  headersMs: 10 * second,
  totalMs: 20 * second,
  redirects: 3,
  /** What a page says of its own version is handed back to it, if it is not longer. */
  validatorChars: 500,
  /** An upload that has not become a media item by then is given up, and its bytes are removed. */
  unfinishedMs: hour,
} as const

/** Places of addresses, asked of a geocoder before the addresses are kept. */
export const geocoder = {
  connectMs: 2 * second,
  headersMs: 4 * second,
  totalMs: 4 * second,
  answerBytes: 64 * 1024,
  callsInFlight: 4,
  /** Together for all addresses of one write; those that are left count as not looked up. */
  wholeMs: 8 * second,
  /** After so many calls in a row without an answer the others are not tried. */
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
  /** The first try and the repairs after it, together. */
  attempts: 3,
  wholeMs: 90 * second,
  briefChars: 4_000,
  /** Findings that one repair is told of. */
  findings: 20,
  notesChars: 2_000,
  /** Steps that a rehearsal walks before it counts as stuck. */
  simulationSteps: 400,
} as const

/** Sends of an outreach: what a caller may say, how often and when they are tried, and how long they are kept. */
export const outreachSend = {
  /** Zones whose hours are told at a time without making a clock anew. */
  cachedClocks: 64,
  inputs: 100,
  /** Slots without a value that one line of the log names. */
  missingSlotsLogged: 20,
  inputKeyChars: 128,
  inputValueChars: 4_000,
  keyChars: 200,
  sourceChars: 64,
  /** Of one field of a profile, and of each word on consent. */
  profileChars: 500,
  evidenceChars: 4_000,
  /** A campaign and its sends look this often whether a binding is ready that was not. */
  bindingRetryMs: minute,
  /** An accepted send is picked up this long after; those of one step are picked up together, so a long step makes bursts. */
  pickupMs: minute,
  pickupStepMs: 100,
  rowsPerPickup: 200,
  /** Of the newest sends to a person, how many a STOP looks at. */
  rowsPerStop: 100,
  /** Waits before the second, third and fourth attempt, each from the end of the one before it. */
  retryAfterMs: [2 * minute, 8 * minute, 20 * minute],
  capabilityKeptMs: 7 * day,
  keptMs: 180 * day,
  sweepEveryMs: day,
  rowsPerSweep: 500,
  rowsPerRead: 500,
  /** How long a caller waits for word on a named send, and on one of a journey. */
  answerMs: 30 * second,
  journeyAnswerMs: 10 * second,
  /** How often the end of a rehearsal is looked for while its caller waits. */
  sandboxPollMs: 25,
  /** Nobody is written to by automated outreach or a campaign this soon after they wrote themselves. */
  quietMs: 30 * minute,
  touchHours: 48,
  touchMostHours: 8_760,
  /** How far ahead an opening of safe hours is looked for: a window may be missing on the day the clocks change. */
  openingWithinDays: 4,
  /** Templates that name templates, one within the other. */
  templateDepth: 5,
  /** Templates in one text, each time one is named counted. */
  templatesPerText: 50,
} as const

export const metrics = {
  loopDelayEveryMs: 50,
  durationBucketsSeconds: [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
  /** Messages may wait for hours, for a turn in bulk or for a window. */
  waitBucketsSeconds: [0.01, 0.05, 0.1, 0.5, 1, 5, 15, 60, 300, 1_800, 7_200, 43_200],
  /** Steps in which the commands that share a commit are counted, up to as many as may. */
  commitBucketsCommands: [1, 2, 5, 10, 25, 50, 100, 250, 500, 1_000, shard.commandsPerCommit],
  /** Label combinations of one metric; what comes after them is counted together. */
  seriesPerMetric: 5_000,
} as const

/** Bounds of the environment variables. */
export const settings = { portMax: 65_535, shardsMax: 4_096, bootstrapKeyMinChars: 24, secretKeyBytes: 32 } as const

/** Files of the docs pages are named after their content, so a browser may keep one for a year. */
export const docs = { assetMaxAgeSeconds: (365 * day) / second } as const
