/** Limits of adapters, of the providers that they call, and of the emulators of those. */
import { day, hour, minute, second } from '../durations.js'

/** What a node accepts from an adapter. An adapter that exceeds a limit is faulty, and only its binding fails. */
export const adapter = Object.freeze({
  sendMs: 30 * second,
  probeMs: 30 * second,
  revokeMs: 10 * second,
  openMs: 30 * second,
  closeMs: 5 * second,
  /** Bindings whose adapter did not answer in time, which the guard caches. */
  stuckBindings: 10_000,
  payloadsPerMessage: 500,
  payloadChars: 512 * 1024,
  payloadDepth: 32,
  itemsPerCall: 10_000,
  idChars: 400,
  addressChars: 200,
  /** Words by which a provider reports what a device can do. */
  deviceCapabilities: 50,
  deviceCapabilityChars: 60,
  textChars: 100_000,
  mediaPerItem: 100,
  /** The adapter's reference to provider media. It stands, encrypted, in the path of a URL. */
  mediaRefChars: 1_024,
  /** One header of a request that opens media, and how many there are. */
  headerChars: 8 * 1024,
  mediaHeaders: 10,
  urlChars: 4_096,
  reasonChars: 64,
  detailChars: 300,
  /** The answer to a provider's handshake. */
  answerChars: 64 * 1024,
  /** A shorter text of the credentials is too common to be redacted as a secret. */
  secretMinChars: 6,
} as const)

/** Messages to emulated phones that a process keeps. */
export const emulator = Object.freeze({ retainedMessages: 10_000 } as const)

/** Calls to providers, and the cache of adapters. */
export const provider = Object.freeze({
  /** Before an account counts as refused, it is called once more after this. */
  accountConfirmMs: second,
  connectMs: 5 * second,
  headersMs: 15 * second,
  totalMs: 20 * second,
  answerBytes: 1024 * 1024,
  /** Bindings with a cache; the oldest one is dropped when there are more. */
  cachedBindings: 10_000,
  /** How often missing provider connections are opened. */
  connectionCheckMs: 5 * second,
} as const)

/** Apple Messages for Business. */
export const appleMessages = Object.freeze({
  /** The reply to a larger interactive message is a reference instead of the answer. */
  interactiveBytes: 10_000,
  /** An offered time has only a start; the phone's calendar also needs an end. */
  slotSeconds: hour / second,
  /** A token without an expiry is accepted for this long, with this clock skew. */
  tokenMs: hour,
  skewMs: 5 * minute,
  /** A secret that decodes to less is no base64 key. */
  keyMinBytes: 16,
} as const)

export const slack = Object.freeze({
  /** A signature is accepted this long after, or before, its time. */
  skewMs: 5 * minute,
  blocksPerMessage: 50,
  altChars: 2_000,
} as const)

/** RCS Business Messaging: what it takes, and how long its access tokens are used. */
export const rbm = Object.freeze({
  /** The requested lifetime of an access token; it is renewed this long before it ends. */
  tokenMs: hour,
  tokenEarlyMs: minute,
  /** Phone numbers per reachability query: the lowest batch limit that RBM documents. */
  numbersPerBatch: 500,
  calendarTitleChars: 100,
  calendarDescriptionChars: 500,
  /** The label of a map pin; RBM documents no limit, and resellers name this one. */
  pinChars: 100,
} as const)

/** Twilio: reconciliation of unknown sends, and inbound media. */
export const twilio = Object.freeze({
  /** Messages to one number that one query of Twilio lists, and the assumed skew of its clock. */
  listedMessages: 50,
  clockSkewMs: 5 * minute,
  maxMedia: 10,
} as const)

/** One SMS on the radio network: octets of a segment, of which a multi-part segment uses some for its header. */
export const smsPart = Object.freeze({ octets: 140, headerOctets: 6 } as const)

/** Connections to SMS message centers. */
export const smpp = Object.freeze({
  connectMs: 10 * second,
  bindMs: 10 * second,
  /** Wait before a lost connection is reopened: first, and at most. Jitter shortens it by up to this share. */
  reconnectMs: 500,
  reconnectMaxMs: 30 * second,
  jitterShare: 0.5,
  /** A connection that lasted this long resets the reconnect wait. */
  stableMs: 10 * second,
  /** A silent connection is probed at this interval, and is lost if it does not answer in time. */
  enquireEveryMs: 30 * second,
  enquireMs: 10 * second,
  windowSubmits: 10,
  ratePerSecond: 10,
  /** How far ahead of an even pace submits may be, since timers are not exact. */
  burstMs: 5,
  /** Submits in the queue, and their longest wait there; one more is refused. */
  waitingSubmits: 10_000,
  waitMs: 10 * second,
  submitMs: 20 * second,
  /** How long submits pause when the message center throttles: first, and at most. */
  holdMs: second,
  holdMaxMs: 30 * second,
  /** Answers that arrive after their submit timed out are kept this long for a retry of the same submit. */
  lateMs: 5 * minute,
  retainedLateAnswers: 10_000,
  /** Recent message ids of the message center, to recognize them in receipts that spell them differently. */
  retainedIds: 50_000,
  unitBytes: 16 * 1024,
  /** A PDU length beyond this means that the stream is out of sync. */
  maxPduBytes: 1024 * 1024,
  /** Inbound deliveries that are not on record yet; one more is refused for now. */
  pendingDeliveries: 1_000,
  deliveriesPerReport: 100,
  /** Incomplete multi-part texts, and the wait for missing parts before the agent gets the parts there are. */
  partialTexts: 1_000,
  partialMs: 10 * minute,
  /** A delivery that was acknowledged this shortly before the connection was lost may be repeated within `repeatMs`. */
  unconfirmedMs: 5 * second,
  repeatMs: 10 * minute,
  retainedRepeats: 10_000,
  /** Closing waits this long for answers, and then for the unbind response. */
  closeMs: 2 * second,
  unbindMs: second,
  /** How long the other side has to close a connection that is ended. */
  lingerMs: second,
} as const)

/** The page on which people try an agent out with emulated phones. */
export const emulatorPage = Object.freeze({
  /** The lifetime of the link to it. */
  tokenMs: day,
  retainedActs: 1_000,
  retainedEvents: 2_000,
  /** Messages of a phone whose state the page receives, newest first, and records of one action. */
  messagesShown: 50,
  recordsShown: 50,
  /** How many records of a conversation one answer follows back. */
  recordsFollowed: 2_000,
  /** How many turns of a conversation the search for the turn of a message reads. */
  turnsFollowed: 200,
  amlChars: 16_000,
  /**
   * A picture that a person sends on the page, in base64; browsers shrink larger ones. Some protocols carry a file as a
   * URL that contains all of it, so this is less than the URL limit of an adapter. The newest pictures are stored for
   * viewing.
   */
  pictureChars: 96 * 1024,
  retainedPictures: 20,
  /** The longest name that a file system gives, and an extension. */
  pictureNameChars: 260,
  /** Text of a chat entry, beside its raw view. */
  shownTextChars: 120,
  /** How often an open page polls, and how long after the last key it compiles the input. */
  pollMs: 500,
  compileAfterMs: 250,
} as const)

/** The provider emulators: what they keep, and how they wait. */
export const providerEmulator = Object.freeze({
  accounts: 1_000,
  retainedMessages: 10_000,
  retainedPeople: 100_000,
  /** Files that people sent, and the longest URL of one; it may contain the file itself. */
  retainedFiles: 100,
  fileUrlChars: 128 * 1024,
  faults: 1_000,
  bodyBytes: 1024 * 1024,
  /** From one receipt of a message to the next. */
  receiptMs: 50,
  /** How long after a person last wrote a messenger may write to them. */
  windowMs: day,
  /** How long a provider waits for its webhook to answer, and before each retry of a refused call. */
  webhookTimeoutMs: { usual: 10 * second, slack: 3 * second },
  retryAfterMs: {
    rbm: [second, 2 * second, 4 * second, 8 * second, 16 * second, minute, 5 * minute, 10 * minute],
    graph: [second, 5 * second, 30 * second, 2 * minute, 10 * minute],
    apple: [second, 5 * second, 30 * second],
    slack: [0, minute, 5 * minute],
    smpp: [second, 5 * second, 30 * second, minute],
  },
  rbm: { tokenMs: hour, clockSkewMs: minute },
  apple: { tokenSkewMs: 5 * minute },
} as const)
