/** How fast a campaign goes: what its binding's queue lets through, and how far ahead of that it is worked on. */
import type { ChannelName } from '../channelnames.js'
import { second } from '../durations.js'
import { campaign as limits } from '../limits.js'

/** Who carries the messages, and how many a second; absent: as many as come. */
export interface Pace {
  readonly channel: ChannelName
  readonly provider: string
  readonly perSecond?: number
}

/** How much of a campaign may be on its way at a time. */
export interface Window {
  /** Recipients that are handed to their conversations together, all at once. */
  readonly batchRows: number
  /** Recipients of whom it is not known yet whether their conversation took the opening. */
  readonly unreportedRows: number
  /** Recipients whose opening is on its way, by a binding without a pace of its own. */
  readonly aheadUnpacedRows: number
  /** It is the turn of more of them no sooner than so long after it was that of the last ones. */
  readonly everyMs: number
}

/** Whoever calls meanwhile goes first: what is on its way before them is what they wait for. */
export function windowBeside(callsPerSecond: number): Window {
  return callsPerSecond < limits.callsPerSecond ? limits.alone : limits.besideCallers
}

/** Recipients that may be claimed at once: those who leave within the time that is drawn ahead, and one more. */
export function rowsAhead({ perSecond }: Pick<Pace, 'perSecond'>): number {
  return perSecond === undefined ? Number.POSITIVE_INFINITY : Math.ceil((perSecond * limits.aheadMs) / second) + 1
}

/** Openings that may be under way at a time. A provider with a pace that answers slowly has a few seconds of them. */
export function rowsUnderWay({ perSecond }: Pick<Pace, 'perSecond'>, { aheadUnpacedRows }: Window): number {
  if (perSecond === undefined) return aheadUnpacedRows
  const rows = Math.ceil((perSecond * limits.underWayMs) / second)
  return Math.min(limits.underWayMostRows, Math.max(limits.underWayLeastRows, rows))
}

/** A batch is half of what may be under way at most, so that the next one is ready before the last has left. */
export function windowFor(pace: Pick<Pace, 'perSecond'>, window: Window): Window {
  return { ...window, batchRows: Math.min(window.batchRows, Math.floor(rowsUnderWay(pace, window) / 2)) }
}

export interface Estimate extends Pace {
  readonly recipients: number
  /** Absent: as long as the provider takes. */
  readonly seconds?: number
}

export function estimateOf(pace: Pace, recipients: number): Estimate {
  const { perSecond } = pace
  return { ...pace, recipients, ...(perSecond !== undefined && { seconds: Math.ceil(recipients / perSecond) }) }
}
