/** The times at which a calendar is taken, read from the answer to a calendar query. */
import { minute } from '../durations.js'
import { clipIntervals, type Interval, mergeIntervals } from '../interval.js'
import { calendar as limits } from '../limits/index.js'
import {
  type Component,
  parameterOf,
  propertiesOf,
  readCalendars,
  representativeProperty,
  textOf,
  valuesOf,
} from './content.js'
import { type EventContext, periodOf, timesOf } from './events.js'
import { createZoneLookup, ianaNameIn, ianaNameOf, utc } from './timezone.js'
import { readCalendarData, readZoneProperties } from './webdav.js'

export interface BusyRequest {
  /** The multistatus that a server answered, in UTF-8. */
  readonly xml: Uint8Array
  readonly from: number
  readonly to: number
  /** Kept free before and after each event. */
  readonly bufferMinutes: number
  /** The answer about the calendar's own zone, and the zone of a calendar that names none. */
  readonly zoneXml?: Uint8Array
  readonly zone: string
}

export interface BusyInterval extends Interval {
  /** An appointment with this representative: it leaves the others free. */
  readonly representativeId?: string
}

export interface BusyTimes {
  /** Ascending, within the window, without overlaps for one representative. */
  readonly busy: readonly BusyInterval[]
  /** The calendar's zone: all-day events, and times without a zone, are in it. */
  readonly zone: string
  /** Events whose times could not be read. */
  readonly unreadable: number
}

/**
 * Undefined for an answer that is no multistatus. Events that are cancelled or transparent do not count. Work and
 * result are bounded whatever the answer says; it is too much work for an event loop all the same.
 */
export function busyIntervals(request: BusyRequest): BusyTimes | undefined {
  const texts = readCalendarData(new TextDecoder().decode(request.xml))
  if (!texts) return undefined
  const zone = (request.zoneXml && zoneNameIn(new TextDecoder().decode(request.zoneXml))) ?? request.zone
  const bufferMs = request.bufferMinutes * minute
  const window = { from: request.from - bufferMs, to: request.to + bufferMs }
  const steps = { count: limits.stepsPerAnswer }
  const zonesOf = createZoneLookup(zone)
  const taken = new Map<string | undefined, Interval[]>()
  let unreadable = 0
  const add = (component: Component, intervals: readonly Interval[] | undefined) => {
    if (intervals) collect(taken, textOf(component, representativeProperty.toLowerCase()), intervals)
    else unreadable++
  }
  for (const text of texts) {
    const calendars = readCalendars(text)
    if (!calendars) unreadable++
    for (const calendar of calendars ?? [])
      readCalendar(calendar, { ...window, steps, zoneOf: zonesOf(calendar, window, steps) }, add)
  }
  const busy = [...taken].flatMap(([representativeId, intervals]) => {
    const wide = intervals.map(({ from, to }) => ({ from: from - bufferMs, to: to + bufferMs }))
    const merged = mergeIntervals(clipIntervals(wide, request.from, request.to))
    return merged.map((each) => (representativeId === undefined ? each : { ...each, representativeId }))
  })
  busy.sort((a, b) => a.from - b.from)
  return { busy: cut(busy, request.to), zone, unreadable }
}

/** A list that is cut ends with the rest of the window. */
function cut(busy: readonly BusyInterval[], to: number): readonly BusyInterval[] {
  const next = busy[limits.intervals]
  return next ? [...busy.slice(0, limits.intervals), { from: next.from, to }] : busy
}

function collect(
  taken: Map<string | undefined, Interval[]>,
  representativeId: string | undefined,
  intervals: readonly Interval[],
): void {
  const own = taken.get(representativeId) ?? []
  // Events without a length take no time, even with a buffer.
  for (const each of intervals) if (each.from < each.to) own.push(each)
  taken.set(representativeId, own)
}

type Add = (component: Component, intervals: readonly Interval[] | undefined) => void

function readCalendar(calendar: Component, context: EventContext, add: Add): void {
  const events = calendar.getAllSubcomponents('vevent')
  const changedByUid = new Map<string | undefined, Component[]>()
  for (const event of events) {
    if (!event.hasProperty('recurrence-id')) continue
    const uid = textOf(event, 'uid')
    changedByUid.set(uid, [...(changedByUid.get(uid) ?? []), event])
  }
  for (const event of events.filter(isTaking)) {
    const changed = event.hasProperty('recurrence-id') ? [] : (changedByUid.get(textOf(event, 'uid')) ?? [])
    add(event, timesOf(event, changed, context))
  }
  for (const freeBusy of calendar.getAllSubcomponents('vfreebusy')) {
    const taken = propertiesOf(freeBusy, 'freebusy').filter((each) => parameterOf(each, 'fbtype') !== 'FREE')
    const periods = taken.flatMap(valuesOf).filter((value) => Array.isArray(value))
    const intervals = periods.flatMap((period) => periodOf(period, utc) ?? [])
    add(freeBusy, intervals)
  }
}

function isTaking(component: Component): boolean {
  const [transparency, status] = [textOf(component, 'transp'), textOf(component, 'status')]
  return transparency?.toUpperCase() !== 'TRANSPARENT' && status?.toUpperCase() !== 'CANCELLED'
}

function zoneNameIn(xml: string): string | undefined {
  const { id, definition } = readZoneProperties(xml)
  const named = ianaNameIn(id)
  if (named !== undefined || definition === undefined) return named
  const definitions = readCalendars(definition)?.flatMap((calendar) => calendar.getAllSubcomponents('vtimezone')) ?? []
  return definitions.map(ianaNameOf).find((name) => name !== undefined)
}
