/** When the events of a calendar take place: their own times, recurrences, exceptions, and changed occurrences. */
import ICAL from 'ical.js'
import { day } from '../durations.js'
import type { Interval } from '../interval.js'
import { calendar as limits } from '../limits/index.js'
import { type Component, type Property, parameterOf, propertiesOf, textOf, valuesOf } from './content.js'
import { expandRule, type StepsLeft } from './recurrence.js'
import { utc, type Zone, type ZoneOf } from './timezone.js'
import { readWritten, type Written } from './walltime.js'

export interface EventContext {
  readonly zoneOf: ZoneOf
  /** The window, in milliseconds since 1970. */
  readonly from: number
  readonly to: number
  readonly steps: StepsLeft
}

/** A time as an event has it. */
interface Moment extends Written {
  readonly zone: Zone
}

/** Wall times differ from UTC by less than a day, and the times of one day may be out of order. */
const marginMs = 2 * day

/** Undefined for an event whose times cannot be read. `changed` are its single occurrences with times of their own. */
export function timesOf(
  event: Component,
  changed: readonly Component[],
  context: EventContext,
): Interval[] | undefined {
  const start = momentOf(event.getFirstProperty('dtstart'), context)
  if (!start) return undefined
  const endOf = endReader(event, start, context)
  if (!endOf) return undefined
  const exceptions = exceptionsOf(event, changed, context)
  const intervals: Interval[] = []
  const add = (wall: number, at: number) => {
    if (exceptions.moments.has(at) || exceptions.days.has(dayOf(wall))) return
    intervals.push({ from: at, to: endOf(wall, at) })
  }
  const startsAt = start.zone(start.wall)
  const span = Math.max(0, endOf(start.wall, startsAt) - startsAt)
  const window = { from: Math.max(context.from - span - marginMs, firstWall), to: context.to + marginMs }
  const walls = new Set([start.wall])
  for (const property of propertiesOf(event, 'rrule')) {
    const [rule] = valuesOf(property)
    const { starts, unknownFrom } = expandRule({ rule, start: start.wall, isDate: start.isDate }, window, context.steps)
    const isPast = untilOf(rule, start)
    for (const wall of starts) if (!isPast(wall)) walls.add(wall)
    // More often than is counted: all the rest of the window is taken.
    if (unknownFrom !== undefined && !isPast(unknownFrom))
      intervals.push({ from: start.zone(unknownFrom), to: context.to })
  }
  for (const wall of walls) add(wall, start.zone(wall))
  for (const property of propertiesOf(event, 'rdate')) intervals.push(...extraTimes(property, add, context))
  return intervals
}

const firstWall = Date.UTC(limits.firstYear, 0, 1)

function momentOf(property: Property | null, context: EventContext, index = 0): Moment | undefined {
  if (!property) return undefined
  const written = readWritten(valuesOf(property)[index])
  return written && { ...written, zone: written.isUtc ? utc : context.zoneOf(parameterOf(property, 'tzid')) }
}

/**
 * The end of an occurrence that starts at a wall time. All-day events last whole days, which a change of clocks makes
 * shorter or longer; others last as long as their first occurrence does.
 */
function endReader(
  event: Component,
  start: Moment,
  context: EventContext,
): ((wall: number, at: number) => number) | undefined {
  const [end, duration] = [event.getFirstProperty('dtend'), textOf(event, 'duration')]
  const endMoment = momentOf(end, context)
  const durationMs = duration === undefined ? undefined : durationOf(duration)
  if ((end && !endMoment) || (duration !== undefined && durationMs === undefined)) return undefined
  if (start.isDate) {
    const wholeMs = endMoment ? endMoment.wall - start.wall : (durationMs ?? day)
    return (wall) => start.zone(wall + Math.max(wholeMs, day))
  }
  const ms = endMoment ? endMoment.zone(endMoment.wall) - start.zone(start.wall) : (durationMs ?? 0)
  return (_wall, at) => at + ms
}

function durationOf(text: unknown): number | undefined {
  try {
    const ms = ICAL.Duration.fromString(String(text)).toSeconds() * 1_000
    return Number.isSafeInteger(ms) ? ms : undefined
  } catch {
    return undefined
  }
}

/** Whether a wall time is after the end of a rule, which is a moment, or a day that still counts. */
function untilOf(rule: unknown, { isDate, zone }: Moment): (wall: number) => boolean {
  const until = readWritten((rule as { readonly until?: unknown } | undefined)?.until)
  if (!until) return () => false
  if (until.isDate) return (wall) => dayOf(wall) > until.wall
  return until.isUtc && !isDate ? (wall) => zone(wall) > until.wall : (wall) => wall > until.wall
}

interface Exceptions {
  readonly moments: ReadonlySet<number>
  /** Days, in wall time, all of whose occurrences are left out. */
  readonly days: ReadonlySet<number>
}

function exceptionsOf(event: Component, changed: readonly Component[], context: EventContext): Exceptions {
  const [moments, days] = [new Set<number>(), new Set<number>()]
  const properties = [
    ...propertiesOf(event, 'exdate'),
    ...changed.flatMap((each) => propertiesOf(each, 'recurrence-id')),
  ]
  for (const property of properties) {
    for (const index of valuesOf(property).keys()) {
      const moment = momentOf(property, context, index)
      if (moment?.isDate) days.add(moment.wall)
      else if (moment) moments.add(moment.zone(moment.wall))
    }
  }
  return { moments, days }
}

/** Further occurrences: starts go to `add`, and periods, which have ends of their own, are returned. */
function extraTimes(property: Property, add: (wall: number, at: number) => void, context: EventContext): Interval[] {
  const zone = context.zoneOf(parameterOf(property, 'tzid'))
  return valuesOf(property).flatMap((value) => {
    if (Array.isArray(value)) return periodOf(value, zone) ?? []
    const written = readWritten(value)
    if (written) add(written.wall, momentAt(written, zone))
    return []
  })
}

/** A start, and an end or a duration. */
export function periodOf([from, to]: readonly unknown[], zone: Zone): Interval | undefined {
  const [start, end] = [readWritten(from), readWritten(to)]
  if (!start) return undefined
  const at = momentAt(start, zone)
  if (end) return { from: at, to: momentAt(end, zone) }
  const ms = durationOf(to)
  return ms === undefined ? undefined : { from: at, to: at + ms }
}

function momentAt({ wall, isUtc }: Written, zone: Zone): number {
  return isUtc ? wall : zone(wall)
}

function dayOf(wall: number): number {
  return Math.floor(wall / day) * day
}
