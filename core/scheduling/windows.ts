/** When an agent and its representatives can be booked: weekly windows without closed days and without the past. */
import type { AgentDocument } from '../agent/index.js'
import { day, minute } from '../durations.js'
import { type Interval, mergeIntervals, subtractIntervals } from '../interval.js'
import { scheduling as limits } from '../limits/index.js'
import {
  boundsOfDay,
  formatDay,
  type LocalPeriod,
  type LocalPiece,
  localDayAt,
  localPeriodOf,
  piecesOfDay,
  weekdayOf,
} from './localtime.js'

export type Scheduling = NonNullable<AgentDocument['scheduling']>
export type Representative = Scheduling['representatives'][number]
type Window = NonNullable<Scheduling['availableHours']>[number]

/** What bookings of one agent and one person depend on, besides their times. */
export interface BookingRules {
  readonly scheduling: Scheduling
  /** Governs the agent's hours and closed days. */
  readonly agentZone: string
  /** The person's: today, for appointments that may not be on the same day. */
  readonly personZone: string
  readonly now: number
}

export interface OpenTimes {
  /** Merged intervals: an appointment lies within one of them. */
  readonly intervals: readonly Interval[]
  /** One for each window and day; slots are counted from their anchors. */
  readonly windows: readonly LocalPiece[]
}

/**
 * The open times of a period for each representative, and for the agent itself. A representative without own hours has
 * those of the agent, in the agent's zone. What representatives share is worked out once.
 */
export function createOpenTimes(rules: BookingRules, period: Interval): (representative?: Representative) => OpenTimes {
  const localPeriods = new Map<string, LocalPeriod>()
  const localPeriodIn = (zone: string) => {
    const known = localPeriods.get(zone) ?? localPeriodOf(zone, period)
    localPeriods.set(zone, known)
    return known
  }
  const closed = closedIntervals(rules, localPeriodIn(rules.agentZone))
  const openIn = (zone: string, windows: readonly Window[]): OpenTimes => {
    const pieces = windowsIn(windows, localPeriodIn(zone))
    return { intervals: subtractIntervals(mergeIntervals(pieces), closed), windows: pieces }
  }
  let ofAgent: OpenTimes | undefined
  return (representative) => {
    const { timezone, workingHours = [] } = representative?.availability ?? {}
    if (workingHours.length > 0) return openIn(timezone ?? rules.agentZone, workingHours)
    ofAgent ??= openIn(rules.agentZone, rules.scheduling.availableHours ?? [])
    return ofAgent
  }
}

/** The windows of every local day of the period, cut to it; in order of days. */
function windowsIn(windows: readonly Window[], { offsets, days }: LocalPeriod): LocalPiece[] {
  const times = windows.map(({ dayOfWeek, startTime, endTime }) => [dayOfWeek, msOf(startTime), msOf(endTime)] as const)
  const pieces: LocalPiece[] = []
  for (const localDay of days) {
    const weekday = weekdayOf(localDay)
    for (const [dayOfWeek, startMs, endMs] of times) {
      if (dayOfWeek === weekday) pieces.push(...piecesOfDay(offsets, localDay, startMs, endMs))
    }
  }
  return pieces
}

/** Milliseconds from midnight; 24:00 is the end of the day. */
function msOf(time: string): number {
  const [hours, minutes] = time.split(':').map(Number)
  return (hours! * 60 + minutes!) * minute
}

/** Merged: the past, what is too soon or too far ahead, and days on which the agent is closed. */
function closedIntervals(rules: BookingRules, { offsets, days }: LocalPeriod): Interval[] {
  const blackouts = new Set(rules.scheduling.blackoutDates)
  const closedDays = blackouts.size === 0 ? [] : days.filter((localDay) => blackouts.has(formatDay(localDay)))
  return mergeIntervals([
    { from: -Infinity, to: earliestStart(rules) },
    ...closedDays.flatMap((localDay) => piecesOfDay(offsets, localDay, 0, day)),
    { from: latestEnd(rules), to: Infinity },
  ])
}

/** Now, or the end of the person's day. */
export function earliestStart({ scheduling, personZone, now }: BookingRules): number {
  if (!scheduling.disallowSameDayBooking) return now
  return boundsOfDay(personZone, localDayAt(personZone, now))?.to ?? now
}

export function latestEnd({ now }: BookingRules): number {
  return now + limits.bookingWithinDays * day
}
