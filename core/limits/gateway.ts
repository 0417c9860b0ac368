/** The numbers of conversations and their messages; everybody reads them through `limits.ts`. */
import { day, hour, minute, second } from '../durations.js'

/** What a node takes from an adapter. Whatever is more, or takes longer, is the adapter's mistake, and its binding's trouble. */
export const adapter = {
  sendMs: 30 * second,
  probeMs: 30 * second,
  revokeMs: 10 * second,
  openMs: 30 * second,
  closeMs: 5 * second,
  /** Bindings that are known to have no outcome in time. */
  stuckBindings: 10_000,
  payloadsPerMessage: 500,
  payloadChars: 512 * 1024,
  payloadDepth: 32,
  itemsPerCall: 10_000,
  idChars: 400,
  addressChars: 200,
  /** Words by which a provider tells what a device can do. */
  deviceCapabilities: 50,
  deviceCapabilityChars: 60,
  textChars: 100_000,
  mediaPerItem: 100,
  /** What an adapter knows media by that its provider holds. Sealed it stands in the path of an address. */
  mediaRefChars: 1_024,
  /** One header of a request by which media opens, and how many there are. */
  headerChars: 8 * 1024,
  mediaHeaders: 10,
  urlChars: 4_096,
  reasonChars: 64,
  detailChars: 300,
  /** The answer to a greeting. */
  answerChars: 64 * 1024,
  /** A shorter text of the credentials is too common to be taken for a secret wherever it stands. */
  secretMinChars: 6,
} as const

/** What emulated phones were sent, as far as this process keeps it. */
export const emulator = { messagesKept: 10_000 } as const

/** Calls to providers, and what adapters keep for a binding. */
export const provider = {
  /** Before an account counts as refused, it is called once more after this. */
  accountConfirmMs: second,
  connectMs: 5 * second,
  headersMs: 15 * second,
  totalMs: 20 * second,
  answerBytes: 1024 * 1024,
  /** Bindings whose memory is held; the one that was made first is forgotten when there are more. */
  cachedBindings: 10_000,
  /** Whether lines are open to all that need one is looked at this often. */
  connectionCheckMs: 5 * second,
} as const

/** Apple Messages for Business. */
export const appleMessages = {
  /** A larger interactive message is answered by a reference instead of an answer. */
  interactiveBytes: 10_000,
  /** A time that is offered says when it begins; the calendar of the phone needs to know when it ends. */
  slotSeconds: hour / second,
  /** A token that does not say when it ends is taken for this long, by clocks that are this far apart. */
  tokenMs: hour,
  skewMs: 5 * minute,
  /** A secret that decodes to less is no key in base64. */
  keyLeastBytes: 16,
} as const

export const slack = {
  /** A signature is not taken any longer after, or before, its time. */
  skewMs: 5 * minute,
  blocksPerMessage: 50,
  altChars: 2_000,
} as const

/** RCS Business Messaging: what it takes, and how long its access tokens are used. */
export const rbm = {
  /** How long an access token is asked for; it is made anew this long before it ends. */
  tokenMs: hour,
  tokenEarlyMs: minute,
  /** Phone numbers of one reachability question: the least that its documents say may be asked at once. */
  numbersPerBatch: 500,
  calendarTitleChars: 100,
  calendarDescriptionChars: 500,
  /** Of the pin on a map; its documents name no limit, and others that pass on to it name this one. */
  pinChars: 100,
} as const

/** Files of one message that comes in by Twilio. */
export const twilio = {
  /** Messages to one number that Twilio is asked for at a time, and how far its clock may be from ours. */
  listedMessages: 50,
  clockSkewMs: 5 * minute,
  mediaMost: 10,
} as const

/** One SMS as the radio network carries it: octets of a part, of which a part of several gives some to say which it is. */
export const smsPart = { octets: 140, headerOctets: 6 } as const

/** Lines to message centers. */
export const smpp = {
  connectMs: 10 * second,
  bindMs: 10 * second,
  /** Wait before a lost line is opened again: at first, and at most. It is up to this share shorter, by chance. */
  reconnectMs: 500,
  reconnectMaxMs: 30 * second,
  jitterShare: 0.5,
  /** A line that held this long was a good one: after it the wait begins anew. */
  stableMs: 10 * second,
  /** A silent line is asked whether it is still there, and is lost when it does not answer in time. */
  enquireEveryMs: 30 * second,
  enquireMs: 10 * second,
  windowSubmits: 10,
  ratePerSecond: 10,
  /** How far ahead of an even pace submits may be, since timers are not exact. */
  burstMs: 5,
  /** Submits that wait for their turn, and for how long; one more is refused. */
  waitingSubmits: 10_000,
  waitMs: 10 * second,
  submitMs: 20 * second,
  /** Nothing is submitted for this long when the message center asks for less: at first, and at most. */
  holdMs: second,
  holdMaxMs: 30 * second,
  /** Answers that come after nobody waits for them any more, for so long, are kept for whoever tries the same again. */
  lateMs: 5 * minute,
  lateAnswersKept: 10_000,
  /** What the message center called the newest messages, so that it is understood when it writes that otherwise. */
  idsKept: 50_000,
  unitBytes: 16 * 1024,
  /** A length beyond this is no length: the two sides have lost each other. */
  maxPduBytes: 1024 * 1024,
  /** What came in and is not on record yet; one more is refused for now. */
  pendingDeliveries: 1_000,
  deliveriesPerReport: 100,
  /** Texts of which parts are missing, and how long one waits for them before the agent gets what there is. */
  partialTexts: 1_000,
  partialMs: 10 * minute,
  /** What was acknowledged so shortly before a line was lost may come again, within this long. */
  unconfirmedMs: 5 * second,
  repeatMs: 10 * minute,
  repeatsKept: 10_000,
  /** A line that is closed waits this long for answers, and then for its goodbye to be returned. */
  closeMs: 2 * second,
  unbindMs: second,
  /** How long the other side has to let go of a connection that is ended. */
  lingerMs: second,
} as const

/** The page on which people try an agent out with emulated phones. */
export const emulatorPage = {
  /** How long the link to it is good. */
  tokenMs: day,
  actsKept: 1_000,
  eventsKept: 2_000,
  /** Messages of a phone whose state the page is told, newest first, and records of one thing that happened. */
  messagesShown: 50,
  recordsShown: 50,
  /** How far back the records of a conversation are followed for one answer. */
  recordsFollowed: 2_000,
  amlChars: 16_000,
  /**
   * A picture that somebody sends on the page, in base64; browsers make larger ones fit. Wires that tell a file as an address
   * put all of it there, so it is less than what an adapter may tell. The newest that many are there to be looked at.
   */
  pictureChars: 96 * 1024,
  picturesKept: 20,
  /** The longest name that a file system gives, and an ending. */
  pictureNameChars: 260,
  /** Of a line of the chat, where it stands beside its raw view. */
  wordsShown: 120,
  /** How often an open page asks for news, and how long after the last key it compiles what was written. */
  pollMs: 500,
  compileAfterMs: 250,
} as const

/** The servers that stand in for providers: what they keep, and how they wait. */
export const providerEmulator = {
  accounts: 1_000,
  messagesKept: 10_000,
  peopleKept: 100_000,
  /** Files that people sent, and the longest address of one; it may hold the file itself. */
  filesKept: 100,
  fileUrlChars: 128 * 1024,
  faults: 1_000,
  bodyBytes: 1024 * 1024,
  /** From one receipt of a message to the next. */
  receiptMs: 50,
  /** How long after a person last wrote a messenger may write to them. */
  windowMs: day,
  /** How long a provider waits for its webhook to answer, and before each further try when it was not taken. */
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
} as const

/** What providers send in. */
export const ingress = {
  bodyBytes: 1024 * 1024,
  /** How long a STOP waits for what was with the provider when it came, and how often that is looked at. */
  stopWaitMs: 8_000,
  stopPollMs: 10,
  /** Accounts of providers whose binding is remembered, for calls to the address of another one. */
  cachedAccounts: 10_000,
} as const

/** What a conversation keeps, and for how long. */
export const conversation = {
  /** Names of people that a process has at hand, since the next of them is likely one of the last. */
  cachedAsids: 32_768,
  /** A message that its sender wants elsewhere when it does not arrive has this long. */
  deliveryTimeoutMs: hour,
  trackedDeliveries: 100,
  /** Off: that it has not arrived is only on record. */
  failsOverUndelivered: false as boolean,
  sessionIdleMs: 30 * minute,
  /** A caller's own id of a message is known again for this long. */
  messageIdMs: day,
  /** Receipts that come later are on record, and nobody is told. */
  statusMs: day,
  /** A message that waits for the window to open waits no longer. */
  deferredMs: day,
  /** A typed answer is taken for one this long after the question; a tap always is. */
  questionMs: day,
  /** Messages of one person that ask something and are not answered yet; of more the oldest are answered by taps alone. */
  openQuestions: 10,
  /** A longer reply is no answer, unless it is a label word for word. */
  answerChars: 1_000,
  /** Status events of its own messages that an agent may answer in a row. */
  statusRepliesInRow: 3,
  /** Agent messages that wait for one person. */
  queuedMessages: 200,
  /** Events that wait for the webhook of one person. */
  waitingEvents: 1_000,
  /** Messages, and what providers call them, are remembered this long; a tap on an older one is only its label. */
  keptMs: 30 * day,
  /** What a provider told us is known by its id this long: some repeat themselves for a week. */
  dedupeMs: 8 * day,
  /** Wait before each further try to hand a message to a provider that said "later". */
  sendRetryMs: [second, 5 * second, 25 * second, 125 * second],
  /** A provider that asks to wait is given no more than this. */
  retryAfterMostMs: 10 * minute,
  /** A receipt for something that was never sent is kept this long, in case its send is only not known yet. */
  parkedMs: 10 * minute,
  parkedReceipts: 50,
  /** How often a conversation looks for what its time is over, and how many rows it takes at a time. */
  retentionEveryMs: day,
  retentionRows: 500,
} as const

/** Messages of the gateway: AMF/1. */
export const amf = {
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
  /** What is wrong with one message is listed this far. */
  problems: 20,
  /** Time zones that a process remembers to exist; asking for one is slow. */
  cachedZones: 1_000,
} as const

/** Media that messages name by URL: how it is fetched, how long and where it is kept, how it is served. */
export const media = {
  /** What any channel takes at most; a channel that takes less says so with each request. */
  maxBytes: 100 * 1024 ** 2,
  connectMs: 5 * second,
  headersMs: 15 * second,
  totalMs: minute,
  redirects: 5,
  /** Fetches of one process at a time, and of those from one host. */
  fetchesInFlight: 64,
  fetchesPerHost: 8,
  /** How long one more waits for its turn. */
  slotWaitMs: minute,
  /** What is looked at to tell the type. */
  headBytes: 512,
  /** From its last use, which is written down at most once in `usedEveryMs`. */
  keptMs: 30 * day,
  usedEveryMs: day,
  /** What was begun and not kept by then was left by a process that ended. */
  unfinishedMs: hour,
  /** Nothing more is kept below this much free disk: well before the store itself stops. */
  freeDiskBytes: 256 * 1024 ** 2,
  /** The disk is asked again whenever this much has been written. */
  diskCheckBytes: 8 * 1024 ** 2,
  /** Up to this size it is served in one piece, which tells its length; larger is streamed. */
  wholeBytes: 2 * 1024 ** 2,
  maxAgeSeconds: (365 * day) / second,
} as const

/** Agents, and the identity they show. */
export const agent = {
  nameChars: 200,
  descriptionChars: 2_000,
  perOrg: 1_000,
  contactPhoneChars: 40,
  contactAvailabilityChars: 500,
  identityPreambleChars: 1_000,
} as const

export const channelBinding = {
  delayMinMs: 250,
  delayMaxMs: 3_000,
  /** Agent messages to one person within so many seconds without anything from that person, and the most that may be set. */
  loopGuard: { messages: 30, seconds: 30 },
  loopGuardMost: { messages: 1_000, seconds: 3_600 },
  disclaimerChars: 1_000,
  inputsMost: 100,
  bodyBytes: 64 * 1024,
  /** Changes of status that are kept, the newest. */
  eventsKept: 100,
  /** Of what a provider said about it, what operators read. */
  statusDetailChars: 400,
  /** How long the built-in provisioner takes for each step. */
  provisionStepMs: 500,
  cachedBindingAgents: 10_000,
} as const

/** Time zones whose offsets are at hand while AML is compiled; a formatter is large. */
export const aml = { zoneFormatsKept: 32 } as const

/** What people see of a message. */
export const rendering = {
  /** A title, an address or a description inside a calendar or map link, once encoded. */
  linkMemberChars: 240,
  /** A label is not cut any shorter than this: the options are numbered instead. */
  labelLeastChars: 4,
  formattersKept: 500,
  /** Dates that were written lately, each in one style, zone and language. */
  datesKept: 2_000,
} as const

/** Web chat: sockets of visitors, what is told over them, and what is taken. */
export const webchat = {
  /** A token that is not used again for this long is none any more: as long as the record is kept. */
  tokenMs: 30 * day,
  tokenChars: 1_000,
  /** The newest lines of the record that a page without a cursor is told. */
  historyLines: 100,
  /** Lines that are fetched at a time. */
  linesPerRead: 20,
  /** A notice of new lines may be lost, so the record is looked at by itself: soon after the start, then this often. */
  firstPollMs: second,
  pollEveryMs: 20 * second,
  noticeMs: 2 * second,
  /** A record that could not be read is tried again after this long. */
  retryMs: second,
  /** While this much waits to be read by the page nothing more is fetched for it; at the second it is let go. */
  bufferedBytes: 64 * 1024,
  bufferedMostBytes: 1024 * 1024,
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
  /** Looks of chats whose page and script are kept ready to send. */
  pagesKept: 200,
  scriptMaxAgeSeconds: 300,
} as const
