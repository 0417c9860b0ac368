/** Limits of conversations and their messages. */
import { day, hour, minute, second } from '../durations.js'

/** Inbound calls of providers. */
export const ingress = Object.freeze({
  bodyBytes: 1024 * 1024,
  /** How long a STOP waits for messages that are with the provider, and how often it checks. */
  stopWaitMs: 8_000,
  stopPollMs: 10,
  /** Provider accounts whose binding is cached, for calls to the address of another binding. */
  cachedAccounts: 10_000,
} as const)

/** What a conversation stores, and for how long. */
export const conversation = Object.freeze({
  /** Asids that a process caches. */
  cachedAsids: 32_768,
  /** How long a message has to arrive if its sender wants it on another channel otherwise. */
  deliveryTimeoutMs: hour,
  trackedDeliveries: 100,
  /** Off: a message that has not arrived is only logged. */
  failsOverUndelivered: false as boolean,
  sessionIdleMs: 30 * minute,
  /** A caller's own id of a message is recognized for this long. */
  messageIdMs: day,
  /** Later receipts are recorded and not reported. */
  statusMs: day,
  /** How long a message waits for the window to open. */
  deferredMs: day,
  /** A typed answer counts as one this long after the question; a tap always does. */
  questionMs: day,
  /** Unanswered questions of one person; if there are more, only taps answer the oldest. */
  openQuestions: 10,
  /** A longer reply is no answer, unless it is a label word for word. */
  answerChars: 1_000,
  /** Status events of its own messages that an agent may answer in a row. */
  statusRepliesInRow: 3,
  /** Agent messages that wait for one person. */
  queuedMessages: 200,
  /** Events that wait for the webhook of one person. */
  waitingEvents: 1_000,
  /** Messages and their provider ids are stored this long; a tap on an older one is only its label. */
  retentionMs: 30 * day,
  /** Ids of provider items are recognized this long: some providers repeat items for a week. */
  dedupeMs: 8 * day,
  /** Waits before each retry of a message whose provider answered "later". */
  sendRetryMs: [second, 5 * second, 25 * second, 125 * second],
  /** The longest wait that a provider may ask for. */
  retryAfterMaxMs: 10 * minute,
  /** A receipt for an unknown message is parked this long, in case its send is not known yet. */
  parkedMs: 10 * minute,
  parkedReceipts: 50,
  /** How often a conversation removes expired rows, and how many at a time. */
  retentionEveryMs: day,
  retentionRows: 500,
} as const)

/** AMF/1, the message format of the gateway. */
export const amf = Object.freeze({
  messagesPerCall: 10,
  callBytes: 64 * 1024,
  parts: 20,
  chips: 20,
  textChars: 4_000,
  /** AML as a whole: as much as `parts` texts of `textChars` hold. */
  amlChars: 80_000,
  /** Options of a choice, slots, items of a showcase. */
  options: 50,
  cards: 10,
  details: 50,
  idChars: 200,
  urlChars: 2_048,
  phoneChars: 40,
  localeChars: 35,
  nativeBytes: 48 * 1024,
  /** Faults of one message that are listed. */
  problems: 20,
  /** Valid time zones that a process caches; checking one is slow. */
  cachedZones: 1_000,
} as const)

/** Media that messages name by URL: fetching, storage and serving. */
export const media = Object.freeze({
  /** The largest size that any channel takes; a channel that takes less sets its limit per request. */
  maxBytes: 100 * 1024 ** 2,
  connectMs: 5 * second,
  headersMs: 15 * second,
  totalMs: minute,
  redirects: 5,
  /** Concurrent fetches of one process, and from one host. */
  fetchesInFlight: 64,
  fetchesPerHost: 8,
  /** How long a further fetch waits for a slot. */
  slotWaitMs: minute,
  /** Bytes that are examined to detect the type. */
  headBytes: 512,
  /** Counted from the last use, which is recorded at most once per `usedEveryMs`. */
  retentionMs: 30 * day,
  usedEveryMs: day,
  /** An unfinished download of this age was left by a process that ended. */
  unfinishedMs: hour,
  /** Below this much free disk no media is stored: well above the limit of the store itself. */
  freeDiskBytes: 256 * 1024 ** 2,
  /** Free disk is checked again after this many written bytes. */
  diskCheckBytes: 8 * 1024 ** 2,
  /** Up to this size media is served in one piece, with its length; larger media is streamed. */
  wholeBytes: 2 * 1024 ** 2,
  maxAgeSeconds: (365 * day) / second,
} as const)

/** Agents, and the identity they show. */
export const agent = Object.freeze({
  nameChars: 200,
  descriptionChars: 2_000,
  perOrg: 1_000,
  contactPhoneChars: 40,
  contactAvailabilityChars: 500,
  identityPreambleChars: 1_000,
} as const)

export const channelBinding = Object.freeze({
  delayMinMs: 250,
  delayMaxMs: 3_000,
  /**
   * Agent messages to one person within so many seconds without an action of that person, and the largest settable
   * values.
   */
  loopGuard: { messages: 30, seconds: 30 },
  loopGuardMax: { messages: 1_000, seconds: 3_600 },
  disclaimerChars: 1_000,
  maxInputs: 100,
  bodyBytes: 64 * 1024,
  /** Status changes that are stored, the newest. */
  retainedEvents: 100,
  /** The part of a provider's status detail that operators read. */
  statusDetailChars: 400,
  /** How long the built-in provisioner takes for each step. */
  provisionStepMs: 500,
  cachedBindingAgents: 10_000,
} as const)

/** Zone formatters that are cached while AML is compiled; a formatter is large. */
export const aml = Object.freeze({ cachedZoneFormats: 32 } as const)

/** Rendering of messages. */
export const rendering = Object.freeze({
  /** A title, an address or a description inside a calendar or map link, once encoded. */
  linkMemberChars: 240,
  /** A label is not cut any shorter than this: the options are numbered instead. */
  labelMinChars: 4,
  cachedFormatters: 500,
  /** Cached date texts, each in one style, zone and language. */
  cachedDates: 2_000,
} as const)

/** Web chat: sockets of visitors, what they receive and what they may send. */
export const webchat = Object.freeze({
  /** A token that is unused for this long expires: as long as the transcript is stored. */
  tokenMs: 30 * day,
  tokenChars: 1_000,
  /** The newest transcript entries that a page without a cursor gets. */
  historyLines: 100,
  /** Transcript entries that one read fetches. */
  linesPerRead: 20,
  /**
   * A notice of new entries may be lost, so the transcript is polled: once soon after the start, then at this interval.
   */
  firstPollMs: second,
  pollEveryMs: 20 * second,
  noticeMs: 2 * second,
  /** A failed transcript read is repeated after this long. */
  retryMs: second,
  /**
   * While this much is unread by the page, nothing more is fetched for it; at the second bound the socket is closed.
   */
  bufferedBytes: 64 * 1024,
  bufferedMaxBytes: 1024 * 1024,
  frameBytes: 64 * 1024,
  /** Whole seconds without a sign of life; the server pings by itself within this. */
  idleSeconds: 60,
  lifetimeMinutes: 120,
  socketsPerAddress: 200,
  /** Frames of one socket. */
  frames: { burstCalls: 60, refillPerSecond: 20 },
  waitingFrames: 64,
  unreadableFrames: 10,
  typingEveryMs: 5 * second,
  /** How long a page shows that the agent is writing. */
  typingForMs: 20 * second,
  textChars: 10_000,
  labelChars: 500,
  frameIdChars: 64,
  marksPerFrame: 100,
  mediaPerFrame: 10,
  mediaTypeChars: 100,
  mediaNameChars: 200,
  urlChars: 2_048,
  /** Chat designs whose page and script are cached. */
  cachedPages: 200,
  scriptMaxAgeSeconds: 300,
} as const)
