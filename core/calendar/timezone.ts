/** Time zones of calendars: by their IANA name, or by the definition that a calendar brings with it. */
import { Temporal } from 'temporal-polyfill'
import { day } from '../durations.js'
import { isTimeZone } from '../zones.js'
import { type Component, propertiesOf, textOf, valuesOf } from './content.js'
import { expandRule, type StepsLeft, type WallWindow } from './recurrence.js'
import { fieldsOf, readWritten } from './walltime.js'

/** The moment at which clocks there show a wall time, in milliseconds since 1970. */
export type Zone = (wall: number) => number

export const utc: Zone = (wall) => wall

/** A time that the clocks skip is as long after the change as it names; of a time that comes twice it is the first. */
export function zoneByName(name: string): Zone {
  return (wall) => {
    const [year, month, date, hour, minute, second] = fieldsOf(Math.min(Math.max(wall, firstWall), lastWall))
    return new Temporal.PlainDateTime(year, month, date, hour, minute, second).toZonedDateTime(name).epochMilliseconds
  }
}

/** ISO-8601 with the offset of a zone. */
export function isoIn(zone: string, at: number): string {
  const moment = Temporal.Instant.fromEpochMilliseconds(at).toZonedDateTimeISO(zone)
  return moment.toString({ timeZoneName: 'never', smallestUnit: 'second' })
}

/** Hostile durations lead to years that no clock shows. */
const firstWall = Date.UTC(1, 0, 1)
const lastWall = Date.UTC(9_999, 11, 31)

/** Some calendars write `/vendor.example/20260101/Europe/Berlin`. */
export function ianaNameIn(id: string | undefined): string | undefined {
  const parts = id?.split('/') ?? []
  const candidates = [0, -3, -2].map((from) => parts.slice(from).join('/'))
  return candidates.find((name) => name !== '' && name.length <= longestName && isTimeZone(name))
}

const longestName = 64

/** A name in a definition of a time zone; many definitions are of a zone that has one. */
export function ianaNameOf(definition: Component): string | undefined {
  return ianaNameIn(textOf(definition, 'tzid')) ?? ianaNameIn(textOf(definition, 'x-lic-location'))
}

/** The zone of a `TZID`; without one, of times that name no zone. */
export type ZoneOf = (id: string | undefined) => Zone

/** Finds the zones of calendars: names hold for all of them, and definitions for the calendar that they are in. */
export function createZoneLookup(ownZone: string) {
  const named = new Map<string, Zone>()

  function byName(name: string): Zone {
    const found = named.get(name) ?? zoneByName(name)
    named.set(name, found)
    return found
  }

  return (calendar: Component, window: WallWindow, steps: StepsLeft): ZoneOf => {
    const found = new Map<string, Zone>()

    function find(id: string): Zone {
      const definition = calendar.getAllSubcomponents('vtimezone').find((each) => textOf(each, 'tzid') === id)
      const name = ianaNameIn(id) ?? (definition && ianaNameOf(definition))
      if (name !== undefined) return byName(name)
      return (definition && zoneByDefinition(definition, window, steps)) ?? byName(ownZone)
    }

    return (id) => {
      if (id === undefined) return byName(ownZone)
      const zone = found.get(id) ?? find(id)
      found.set(id, zone)
      return zone
    }
  }
}

interface Change {
  /** By the clocks before the change. */
  readonly wall: number
  readonly offsetBefore: number
  readonly offsetAfter: number
}

/** Undefined for a definition without any offset. Rules of yearly changes begin long before the window. */
export function zoneByDefinition(definition: Component, window: WallWindow, steps: StepsLeft): Zone | undefined {
  const wide = { from: window.from - changesBeforeMs, to: window.to }
  const parts = [...definition.getAllSubcomponents('standard'), ...definition.getAllSubcomponents('daylight')]
  const changes = parts.flatMap((part) => changesOf(part, wide, steps)).sort((a, b) => a.wall - b.wall)
  const [first] = changes
  if (!first) return undefined
  return (wall) => {
    const last = changes.findLast((change) => change.wall <= wall)
    if (!last) return wall - first.offsetBefore
    const isSkipped = wall < last.wall + last.offsetAfter - last.offsetBefore
    return wall - (isSkipped ? last.offsetBefore : last.offsetAfter)
  }
}

/** A yearly change is found at least once in this time. */
const changesBeforeMs = 400 * day

function changesOf(part: Component, window: WallWindow, steps: StepsLeft): Change[] {
  const start = readWritten(textOf(part, 'dtstart'))
  const [offsetBefore, offsetAfter] = [offsetOf(part, 'tzoffsetfrom'), offsetOf(part, 'tzoffsetto')]
  if (!start || offsetBefore === undefined || offsetAfter === undefined) return []
  const walls = [start.wall]
  for (const property of propertiesOf(part, 'rdate'))
    for (const value of valuesOf(property)) walls.push(readWritten(value)?.wall ?? start.wall)
  for (const property of propertiesOf(part, 'rrule')) {
    const [rule] = valuesOf(property)
    const end = readWritten((rule as { readonly until?: unknown } | undefined)?.until)
    const { starts } = expandRule({ rule, start: start.wall, isDate: false }, window, steps)
    walls.push(...starts.filter((wall) => !end || wall - (end.isUtc ? offsetBefore : 0) <= end.wall))
  }
  return [...new Set(walls)].map((wall) => ({ wall, offsetBefore, offsetAfter }))
}

const offsetPattern = /^([+-])(\d{2}):(\d{2})(?::(\d{2}))?$/

/** In milliseconds; jCal has a colon between its parts. */
function offsetOf(part: Component, name: string): number | undefined {
  const [, sign, hours, minutes, seconds = '0'] = offsetPattern.exec(textOf(part, name) ?? '') ?? []
  if (sign === undefined) return undefined
  const ms = ((Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds)) * 1_000
  return sign === '-' ? -ms : ms
}
