/** The numbers of campaigns; everybody reads them through `limits.ts`. */
import { minute, second } from '../durations.js'

/** What an agent may have of campaigns, and how much of one is staged, sent, read or let go of at a time. */
export const campaign = {
  nameChars: 200,
  /** That are not over. */
  unfinished: 500,
  personIds: 50_000,
  personIdChars: 200,
  personaIds: 200,
  batchIdChars: 200,
  bodyBytes: 3 * 1024 ** 2,
  /** Of a list of people, so many ids are one record. */
  idsPerRecord: 250,
  /** People that are looked at in one commit while a campaign is staged. */
  peoplePerStep: 250,
  /** A stage whose caller is gone is carried on by itself after this long. */
  stageTakeoverMs: 5 * second,
  previews: 5,
  /** How much is on its way at a time: as much as a node can do, or as little as those hardly notice who call it meanwhile. */
  idle: { batchRows: 64, awaitingReportRows: 256, unthrottledInFlightRows: 384, intervalMs: 0 },
  underLoad: { batchRows: 4, awaitingReportRows: 4, unthrottledInFlightRows: 8, intervalMs: 20 },
  /** From so many calls a second on, a campaign is not alone. */
  callsPerSecond: 10,
  /** Times are drawn so far ahead from the budget of a binding with a pace. */
  claimAheadMs: second,
  /** Openings under way over a binding with a pace: what it sends in this time, and so many at least and at most. */
  inFlightMs: 5 * second,
  inFlightMinRows: 64,
  inFlightMaxRows: 2_048,
  /** Hours that are closed are looked at again after this long at the latest: somebody may have opened them. */
  hoursRecheckMs: 5 * minute,
  /** Rows that one decision walks past in search of somebody to send to. */
  rowsPerClaim: 1_000,
  rowsPerRead: 500,
  rowsPerSweep: 500,
  exportRowsPerRead: 200,
} as const
