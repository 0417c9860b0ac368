/** Limits of the calendar behind scheduling: calls to its server, and what is read of its answers. */
import { hour, minute, second } from '../durations.js'

export const calendar = Object.freeze({
  /** For the busy times of a window, with all calls that they take. A wait for others, so no time scale divides it. */
  busyMs: 10 * second,
  connectMs: 5 * second,
  headersMs: 8 * second,
  totalMs: 8 * second,
  answerBytes: 4 * 1024 * 1024,
  /** Of one text, what says when something is; and of an event that moves, all of it. */
  timesChars: 64 * 1024,
  movedEventChars: 32 * 1024,
  /** Of one property of an event, unfolded. */
  propertyChars: 16 * 1024,
  /** Values of one part of a recurrence rule. A year has 366 days. */
  ruleValues: 366,
  /** Days of the week in a rule, with and without a position. */
  ruleWeekdays: 80,
  /** Dates that the expansion of one rule, and of all rules in an answer, examines. */
  stepsPerRule: 5_000,
  stepsPerAnswer: 100_000,
  /** A rule whose period is longer repeats in no window; the library counts the days of a period one by one. */
  rulePeriodDays: 4_000,
  /** Busy times in one answer; what follows the last of them counts as taken. */
  intervals: 1_000,
  bufferMinutes: 240,
  /** Recurring events that began before have no occurrences that are read. */
  firstYear: 1900,
  /** Answers being read in worker threads; further ones wait. */
  answersBeingRead: 8,
  /** Busy times are cached this long, for this many calendars and windows, and the zone of a calendar for longer. */
  cachedMs: 15 * second,
  cachedWindows: 500,
  cachedZoneMs: hour,
  cachedZones: 1_000,
  /** The same trouble of a calendar is written to the agent's log at most this often. */
  noteEveryMs: 10 * minute,
  rememberedNotes: 1_000,
  titleChars: 200,
  notesChars: 2_000,
  /** A window that the tool reads, and the busy times in its result. */
  windowDays: 62,
  resultIntervals: 150,
  /** An event that the tool writes. */
  eventHours: 24,
} as const)
