/** How fast a campaign goes: what its binding's queue lets through, and how far ahead of that it is worked on. */
import type { ChannelName } from '../channelnames.js'
import { second } from '../durations.js'
import { campaign as limits } from '../limits/index.js'

/** Who carries the messages, and how many a second; absent: as many as come. */
export interface Throughput {
  readonly channel: ChannelName
  readonly provider: string
  readonly perSecond?: number
}

/** How much of a campaign may be on its way at a time. */
export interface DispatchWindow {
  /** Recipients that are handed to their conversations together, all at once. */
  readonly batchRows: number
  /** Recipients of whom it is not known yet whether their conversation took the opening. */
  readonly awaitingReportRows: number
  /** Recipients whose opening is on its way, by a binding without a pace of its own. */
  readonly unthrottledInFlightRows: number
  /** It is the turn of more of them no sooner than so long after it was that of the last ones. */
  readonly intervalMs: number
}

/** Whoever calls meanwhile goes first: what is on its way before them is what they wait for. */
export function windowUnderLoad(callsPerSecond: number): DispatchWindow {
  return callsPerSecond < limits.callsPerSecond ? limits.idle : limits.underLoad
}

/** Recipients that may be claimed at once: those who leave within the time that is drawn ahead, and one more. */
export function maxClaimRows({ perSecond }: Pick<Throughput, 'perSecond'>): number {
  return perSecond === undefined ? Number.POSITIVE_INFINITY : Math.ceil((perSecond * limits.claimAheadMs) / second) + 1
}

/** Openings that may be under way at a time. A provider with a pace that answers slowly has a few seconds of them. */
export function maxInFlightRows(
  { perSecond }: Pick<Throughput, 'perSecond'>,
  { unthrottledInFlightRows }: DispatchWindow,
): number {
  if (perSecond === undefined) return unthrottledInFlightRows
  const rows = Math.ceil((perSecond * limits.inFlightMs) / second)
  return Math.min(limits.inFlightMaxRows, Math.max(limits.inFlightMinRows, rows))
}

/** A batch is half of what may be under way at most, so that the next one is ready before the last has left. */
export function windowFor(throughput: Pick<Throughput, 'perSecond'>, window: DispatchWindow): DispatchWindow {
  return { ...window, batchRows: Math.min(window.batchRows, Math.floor(maxInFlightRows(throughput, window) / 2)) }
}

export interface Estimate extends Throughput {
  readonly recipients: number
  /** Absent: as long as the provider takes. */
  readonly seconds?: number
}

export function estimateOf(throughput: Throughput, recipients: number): Estimate {
  const { perSecond } = throughput
  return { ...throughput, recipients, ...(perSecond !== undefined && { seconds: Math.ceil(recipients / perSecond) }) }
}
