/** Throughput of a campaign: the rate of its binding, and how far ahead of it the campaign works. */
import type { ChannelName } from '../channelnames.js'
import { second } from '../durations.js'
import { campaign as limits } from '../limits/index.js'

/** The provider of the binding, and its messages for each second; absent: unlimited. */
export interface Throughput {
  readonly channel: ChannelName
  readonly provider: string
  readonly perSecond?: number
}

/** How much of a campaign may be in flight. */
export interface DispatchWindow {
  /** Recipients that are dispatched to their conversations in one batch. */
  readonly batchRows: number
  /** Recipients whose conversation has not yet reported whether it accepted the opener. */
  readonly awaitingReportRows: number
  /** Recipients whose opener is in flight, over a binding without a rate. */
  readonly unthrottledInFlightRows: number
  /** The least time between two batches. */
  readonly intervalMs: number
}

/** API calls take precedence: they wait behind whatever is in flight, so load makes the window smaller. */
export function windowUnderLoad(callsPerSecond: number): DispatchWindow {
  return callsPerSecond < limits.callsPerSecond ? limits.idle : limits.underLoad
}

/** The most recipients to claim at once: those who leave within the time that is claimed ahead, and one more. */
export function maxClaimRows({ perSecond }: Pick<Throughput, 'perSecond'>): number {
  return perSecond === undefined ? Number.POSITIVE_INFINITY : Math.ceil((perSecond * limits.claimAheadMs) / second) + 1
}

/** The most openers in flight. A provider with a rate that answers slowly gets a few seconds of them. */
export function maxInFlightRows(
  { perSecond }: Pick<Throughput, 'perSecond'>,
  { unthrottledInFlightRows }: DispatchWindow,
): number {
  if (perSecond === undefined) return unthrottledInFlightRows
  const rows = Math.ceil((perSecond * limits.inFlightMs) / second)
  return Math.min(limits.inFlightMaxRows, Math.max(limits.inFlightMinRows, rows))
}

/** A batch is at most half of what may be in flight, so that the next one is ready before the last has left. */
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
