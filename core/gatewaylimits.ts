/** The numbers of conversations and their messages; everybody reads them through `limits.ts`. */
import { day, hour, minute, second } from './durations.js'

/** Calls to the webhook of an agent. */
export const agentWebhook = {
  connectMs: 5 * second,
  /** Within this it begins to answer; what it says line by line may take longer. */
  headersMs: 10 * second,
  totalMs: minute,
  /** Wait before each further try of an event that the webhook did not take. */
  retryAfterMs: [second, 5 * second, 25 * second, 125 * second],
  replyBytes: 1024 * 1024,
} as const

/** What emulated phones were sent, as far as this process keeps it. */
export const emulator = { shownKept: 10_000 } as const

/** What providers send in. */
export const ingress = { bodyBytes: 1024 * 1024 } as const

/** Messages in bulk leave for one binding at this pace. */
export const bulk = { perSecond: 100, everyMs: 100 } as const

/** What a conversation keeps, and for how long. */
export const conversation = {
  sessionIdleMs: 30 * minute,
  /** A caller's own id of a message is known again for this long. */
  messageIdMs: day,
  /** Receipts that come later are on record, and nobody is told. */
  statusMs: day,
  /** A message that waits for the window to open waits no longer. */
  heldMs: day,
  /** A typed answer is taken for one this long after the question; a tap always is. */
  askMs: day,
  /** Agent messages that wait for one person. */
  queuedMessages: 200,
  /** Events that wait for the webhook of one person. */
  waitingEvents: 1_000,
  /** Messages, and what providers call them, are remembered this long; a tap on an older one is only its label. */
  keptMs: 30 * day,
  /** What a provider told us is known by its id this long: some repeat themselves for a week. */
  seenMs: 8 * day,
  /** Wait before each further try to hand a message to a provider that said "later". */
  sendAgainMs: [second, 5 * second, 25 * second, 125 * second],
  /** A receipt for something that was never sent is kept this long, in case its send is only not known yet. */
  parkedMs: 10 * minute,
  parkedReceipts: 50,
  /** How often a conversation looks for what its time is over, and how many rows it takes at a time. */
  tidyEveryMs: day,
  tidyRows: 500,
} as const

/** Messages of the gateway: AMF/1. */
export const amf = {
  messagesPerCall: 10,
  callBytes: 64 * 1024,
  parts: 20,
  chips: 20,
  textChars: 4_000,
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
  zonesRemembered: 1_000,
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
  turnMs: minute,
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

/** An agent's way in and out of the gateway: its access token, its signing secret, its webhook. */
export const gatewayAccess = {
  tokenBytes: 32,
  secretBytes: 32,
  instanceIdChars: 200,
  /** Access tokens whose place, and agents whose routes, a process keeps at hand. */
  rememberedTokens: 10_000,
  heldAgents: 10_000,
} as const

export const channelBinding = {
  delayMinMs: 250,
  delayMaxMs: 3_000,
  disclaimerChars: 1_000,
  inputsMost: 100,
  bodyBytes: 64 * 1024,
  /** Changes of status that are kept, the newest. */
  eventsKept: 100,
  /** How long the built-in provisioner takes for each step. */
  provisionStepMs: 500,
  rememberedPlaces: 10_000,
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
