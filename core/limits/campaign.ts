/** Limits of campaigns. */
import { minute, second } from '../durations.js'

/** Campaigns per agent, and rows of one that a step stages, sends, reads or removes. */
export const campaign = Object.freeze({
  nameChars: 200,
  /** Campaigns that have not ended. */
  unfinished: 500,
  personIds: 50_000,
  personIdChars: 200,
  personaIds: 200,
  batchIdChars: 200,
  bodyBytes: 3 * 1024 ** 2,
  /** Person ids per record of a campaign's list of people. */
  idsPerRecord: 250,
  /** People that staging examines in one commit. */
  peoplePerStep: 250,
  /** A stage whose caller disconnected continues by itself after this long. */
  stageTakeoverMs: 5 * second,
  previews: 5,
  /**
   * Campaign work in flight: the node's full capacity when idle, and so little under load that other callers hardly
   * notice.
   */
  idle: { batchRows: 64, awaitingReportRows: 256, unthrottledInFlightRows: 384, intervalMs: 0 },
  underLoad: { batchRows: 4, awaitingReportRows: 4, unthrottledInFlightRows: 8, intervalMs: 20 },
  /** From this rate of calls on, the node counts as under load. */
  callsPerSecond: 10,
  /** How far ahead leave times are drawn from a throttled binding's budget. */
  claimAheadMs: second,
  /** Openers in flight over a throttled binding: what it sends in this time, within this minimum and maximum. */
  inFlightMs: 5 * second,
  inFlightMinRows: 64,
  inFlightMaxRows: 2_048,
  /** Closed sending hours are checked again after this long at the latest, since an operator may have opened them. */
  hoursRecheckMs: 5 * minute,
  /** Rows that one decision scans for a recipient that may be sent to. */
  rowsPerClaim: 1_000,
  rowsPerRead: 500,
  rowsPerSweep: 500,
  exportRowsPerRead: 200,
} as const)
