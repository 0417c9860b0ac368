/** The numbers of campaigns; everybody reads them through `limits.ts`. */
import { minute, second } from './durations.js'

/** What an agent may have of campaigns, and how much of one is staged, sent, read or let go of at a time. */
export const campaign = {
  nameChars: 200,
  /** That are not over. */
  open: 500,
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
  stageAloneMs: 5 * second,
  previews: 5,
  /** How much is on its way at a time: as much as a node can do, or as little as those hardly notice who call it meanwhile. */
  alone: { batchRows: 64, unreportedRows: 256, aheadUnpacedRows: 384, everyMs: 0 },
  besideCallers: { batchRows: 4, unreportedRows: 4, aheadUnpacedRows: 8, everyMs: 20 },
  /** From so many calls a second on, a campaign is not alone. */
  callsPerSecond: 10,
  /** Times are drawn so far ahead from the budget of a binding with a pace. */
  aheadMs: second,
  /** Openings under way over a binding with a pace: what it sends in this time, and so many at least and at most. */
  underWayMs: 5 * second,
  underWayLeastRows: 64,
  underWayMostRows: 2_048,
  /** Hours that are closed are looked at again after this long at the latest: somebody may have opened them. */
  hoursLookMs: 5 * minute,
  /** Rows that one decision walks past in search of somebody to send to. */
  rowsPerClaim: 1_000,
  rowsPerRead: 500,
  rowsPerSweep: 500,
  exportRowsPerRead: 200,
} as const
