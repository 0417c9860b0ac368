/** Limits of an agent's people. */
import { minute } from '../durations.js'

/** Data of a person, and rows of people that one step scans, imports or removes. */
export const person = Object.freeze({
  textChars: {
    fullName: 200,
    firstName: 100,
    lastName: 100,
    email: 300,
    phone: 50,
    company: 200,
    title: 200,
    notes: 5_000,
    timezone: 64,
    assignedRepresentativeId: 200,
  },
  sourceChars: 200,
  tags: 50,
  tagChars: 60,
  customFields: 200,
  customKeyChars: 128,
  customValueChars: 4_000,
  lockedFields: 200,
  filterChars: 200,
  filterTerms: 50,
  retainedJournalEntries: 200,
  shownJournalEntries: 50,
  journalChars: 2_000,
  appointmentsShown: 200,
  /** `lastSeenAt` of an identity is written at most this often. */
  seenEveryMs: minute,
  /** Rows that one query scans, and one call: then the call returns its results so far, and where to continue. */
  rowsPerScan: 1_000,
  rowsPerCall: 50_000,
  /** Text of people that ends one scan, however few they are. */
  charsPerScan: 1024 ** 2,
  importBytes: 32 * 1024 ** 2,
  /** Addresses of one row; each of them is a conversation to query. */
  importAddresses: 10,
  importColumns: 300,
  importRecordChars: 64 * 1024,
  /** Input that the import reader gets at a time; other work runs between two pieces. */
  importPieceBytes: 2 * 1024,
  importRowsPerCommand: 50,
  importCharsPerCommand: 256 * 1024,
  importRejectedShown: 1_000,
  /** Of a first line that cannot be used. */
  headersShown: 20,
  headerCharsShown: 60,
  /** Imports that a person came by, and ids of records merged into theirs: the newest. */
  importBatches: 50,
  formerIds: 100,
  exportRowsPerScan: 500,
  removedRowsPerStep: 1_000,
} as const)
