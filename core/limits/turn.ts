/** Limits of managed turns, of the flows in them and of the tools that they call. */
import { day, hour, minute, second } from '../durations.js'
import { conversation } from './gateway.js'

export const turn = Object.freeze({
  /** A turn that has not ended by then ends with the stock sentence. A wait for others, so no time scale divides it. */
  deadlineMs: minute,
  /** Content that arrives while a turn is planned joins it so often, and not later than this after the first. */
  absorbs: 3,
  absorbWithinMs: 6 * second,
  /** Events that one turn takes. */
  eventsPerTurn: 20,
  /** Characters of one person's text that a turn reads; the rest is ignored. */
  textChars: 4_000,
  /** Of that text, what a search of sources reads. */
  queryChars: 500,
  toolCalls: 16,
  /** Reads (searches, free times) in one plan. */
  readsPerPlan: 8,
  messages: 10,
  planBytes: 64 * 1024,
  toolResultBytes: 16 * 1024,
  /** The emulator waits this long for a managed turn to end. */
  sandboxAnswerMs: minute,
  /** Records of turns expire with the other records of their conversation. */
  retentionMs: conversation.retentionMs,
  traceLines: 200,
  warnings: 50,
  /** Prepared agents (search indexes and values of their documents) that a process caches, and when one expires. */
  preparedAgents: 200,
  preparedMs: hour,
} as const)

/** Lists of turn records. */
export const turnLists = Object.freeze({
  defaultRows: 50,
  maxRows: 200,
  /** A record is larger than a record of traffic: it counts as so many of the rows that one read scans. */
  rowsPerRecord: 4,
  /** Added for each tool call and effect of the record, which may be long. */
  rowsPerCall: 4,
} as const)

/** Log lines of a turn. */
export const turnNotes = Object.freeze({
  /** Lines of one kind, and values in one list of a line. */
  perKind: 20,
  values: 10,
  valueChars: 200,
} as const)

export const flow = Object.freeze({
  /** Steps of all flows in one plan, after which the flow counts as stuck. */
  stepsPerTurn: 400,
  /** Flows that call each other. */
  depth: 8,
  /** Invalid answers to one slot. */
  invalidAnswers: 3,
  /** Results of actions that a frame keeps. */
  results: 20,
  /** Calls of one frame with different arguments, whose states it keeps; after that the flow counts as stuck. */
  calls: 200,
  conditionTokens: 200,
  conditionDepth: 20,
  /** Characters of a text in which a date is searched, and a correction: reading them costs most. */
  dateChars: 200,
  correctionChars: 300,
  /** Numbers of a text that are read as phone numbers, and words of one kind that are read as days. */
  phoneCandidates: 8,
  dayWords: 4,
  /** Characters of all values that one text, or the arguments of one call, are filled with. */
  filledChars: 16_000,
  /** Characters of a search for knowledge. */
  queryChars: 500,
} as const)

export const tools = Object.freeze({
  /** An outside tool has this long to answer. A wait for others, so no time scale divides it. */
  callMs: 10 * second,
  answerBytes: 256 * 1024,
  /** Attempts at a call whose tool says that a repeat is harmless. */
  idempotentAttempts: 3,
  /** Attempts at a call of which nothing was sent. */
  unsentAttempts: 3,
  /** The wait before the second attempt; each further wait is twice as long. */
  retryMs: 250,
  /** A tool that asks for a longer wait with Retry-After is not called again. */
  retryAfterMaxMs: 5 * second,
  connectMs: 5 * second,
  /** Of the arguments of one call as JSON, about. */
  argumentsChars: 32 * 1024,
  argumentsDepth: 32,
  /** Of the name of a field in a sentence. */
  fieldChars: 200,
  faultChars: 300,
  /** Steps of one check of arguments: keywords of the schema applied to values, and elements compared. */
  argumentsSteps: 20_000,
  /** Subschemas within each other, references included. */
  schemaDepth: 64,
  /** Characters that are read, and states of a pattern that are visited, in one step. */
  charsPerStep: 16,
  /** To begin a match counts like so many characters. */
  matchChars: 1_024,
  /** A longer text has no format. */
  formatChars: 4_096,
  /** Nesting and values of an answer that is read as JSON; beyond these it is read as text. */
  answerDepth: 32,
  answerTokens: 50_000,
  notifyChars: 2_000,
  mailSubjectChars: 150,
  /** A shorter part of a secret is too common to be removed from an answer. */
  secretMinChars: 6,
  /** Ports of mail servers that an operator may name while only public addresses are allowed. */
  mailPorts: [25, 465, 587, 2525],
  /** One reply of a mail server. */
  mailReplyBytes: 16 * 1024,
} as const)

export const scheduling = Object.freeze({
  /** Slots begin on the half hour, or more often when the duration is shorter. */
  gridMinutes: 30,
  gridMinMinutes: 5,
  /** Days of one search, from its first day on. */
  withinDays: 14,
  /** How far ahead an appointment may be. */
  bookingWithinDays: 366,
  /** No more than every channel with buttons or rows can show. */
  offered: 10,
  /** Slots that are offered of each day, while later days have some too. */
  offeredPerDay: 2,
  defaultDurationMinutes: 30,
  durationMaxMinutes: 1_440,
  notesChars: 2_000,
  reasonChars: 500,
  /** Appointments of one agent that a search reads, and that one person may have ahead. */
  busyRows: 5_000,
  upcomingPerPerson: 20,
  /** The booking of one appointment and its moves; it can be cancelled after any number. */
  changesPerAppointment: 50,
  /** Representatives of one search, and calendars that it asks. */
  representativesPerSearch: 50,
  /** A search waits so long for calendars. A wait for others, so no time scale divides it. */
  calendarWaitMs: 10 * second,
  /** Mail and calendar writes that do not succeed are given up after this long. */
  effectRetryMs: day,
  /** Rows of appointments that are over, or of a deleted agent, that one commit removes. */
  rowsPerSweep: 500,
  /** Zones with a cached format of their times. */
  cachedZones: 64,
} as const)
