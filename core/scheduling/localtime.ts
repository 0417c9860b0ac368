/** Local time in a zone: its offsets over a period, its calendar days, and moments as text. */
import { LRUCache } from 'lru-cache'
import { Temporal } from 'temporal-polyfill'
import { day, hour, minute } from '../durations.js'
import type { Interval } from '../interval.js'
import { scheduling as limits } from '../limits/index.js'
import { isMoment } from '../moment.js'

/** A part of a period in which the offset does not change: local time is absolute time plus the offset. */
export interface OffsetPeriod extends Interval {
  readonly offsetMs: number
}

/** In order of time, and without a gap. The clocks change between two of them. */
export function offsetsOf(zone: string, { from, to }: Interval): OffsetPeriod[] {
  const periods: OffsetPeriod[] = []
  let start = zonedAt(zone, from)
  for (;;) {
    const next = start.getTimeZoneTransition('next')
    const end = next === null ? to : Math.min(to, next.epochMilliseconds)
    periods.push({ from: Math.max(from, start.epochMilliseconds), to: end, offsetMs: offsetMsOf(start) })
    if (next === null || end === to) return periods
    start = next
  }
}

/** A period with its offsets, and the local days that it touches in a zone. */
export interface LocalPeriod {
  readonly offsets: readonly OffsetPeriod[]
  readonly days: readonly number[]
}

export function localPeriodOf(zone: string, period: Interval): LocalPeriod {
  const offsets = offsetsOf(zone, period)
  // The last local day may end before the period does: clocks that go back over midnight repeat the day before.
  const ends = offsets.flatMap(({ from, to, offsetMs }) => [
    Math.floor((from + offsetMs) / day),
    Math.floor((to - 1 + offsetMs) / day),
  ])
  const first = Math.min(...ends)
  return { offsets, days: Array.from({ length: Math.max(...ends) - first + 1 }, (_, index) => first + index) }
}

/** Absolute time to local time, for moments within the period or a little off it. */
export function createLocalClock(zone: string, { from, to }: Interval): (at: number) => number {
  const offsets = offsetsOf(zone, { from: from - 2 * day, to: to + 2 * day })
  const last = offsets.at(-1)!
  return (at) => at + (offsets.find((each) => at < each.to) ?? last).offsetMs
}

export function offsetAt(zone: string, at: number): number {
  return offsetMsOf(zonedAt(zone, at))
}

function zonedAt(zone: string, at: number): Temporal.ZonedDateTime {
  return Temporal.Instant.fromEpochMilliseconds(at).toZonedDateTimeISO(zone)
}

function offsetMsOf({ offsetNanoseconds }: Temporal.ZonedDateTime): number {
  return offsetNanoseconds / 1e6
}

/** Calendar days are counted from 1970-01-01, which was a Thursday. */
export function localDayAt(zone: string, at: number): number {
  return Math.floor((at + offsetAt(zone, at)) / day)
}

/** Sunday is 0. */
export function weekdayOf(localDay: number): number {
  return (((localDay + 4) % 7) + 7) % 7
}

export function formatDay(localDay: number): string {
  return new Date(localDay * day).toISOString().slice(0, 10)
}

/** Undefined for text that is no calendar day as YYYY-MM-DD. */
export function parseDay(text: string): number | undefined {
  return text.length === 10 && isMoment(text) ? Date.parse(`${text}T00:00:00Z`) / day : undefined
}

/** A day may last longer than midnight to midnight does: these are its first moment and its last. */
export function boundsOfDay(zone: string, localDay: number): Interval | undefined {
  // Offsets are less than fifteen hours.
  const around = { from: localDay * day - 15 * hour, to: (localDay + 1) * day + 15 * hour }
  const pieces = piecesOfDay(offsetsOf(zone, around), localDay, 0, day)
  return pieces.length === 0 ? undefined : { from: pieces[0]!.from, to: pieces.at(-1)!.to }
}

/** A part of a stretch of local time that one offset covers. */
export interface LocalPiece extends Interval {
  /** When the stretch would begin if the clocks had never changed within it; possibly before the piece. */
  readonly anchor: number
}

/**
 * The moments whose local time is on that day and between two times of day, in milliseconds from midnight. A time that
 * the clocks skip is none of them, and one that they repeat is two.
 */
export function piecesOfDay(
  offsets: readonly OffsetPeriod[],
  localDay: number,
  startMs: number,
  endMs: number,
): LocalPiece[] {
  return offsets.flatMap(({ from, to, offsetMs }) => {
    const anchor = localDay * day + startMs - offsetMs
    const piece = { from: Math.max(from, anchor), to: Math.min(to, localDay * day + endMs - offsetMs), anchor }
    return piece.from < piece.to ? [piece] : []
  })
}

/** ISO-8601 with the offset of the zone. */
export function isoIn(zone: string, at: number): string {
  const offsetMs = offsetAt(zone, at)
  const [hours, minutes] = [Math.floor(Math.abs(offsetMs) / hour), Math.floor((Math.abs(offsetMs) % hour) / minute)]
  const sign = offsetMs < 0 ? '-' : '+'
  const pad = (value: number) => String(value).padStart(2, '0')
  return `${new Date(at + offsetMs).toISOString().slice(0, 19)}${sign}${pad(hours)}:${pad(minutes)}`
}

/** Undefined for text that is no time of a day in ISO-8601 with its offset. */
export function parseMoment(text: string): number | undefined {
  return /^.{10}T.{5,24}(Z|[+-]\d{2}:\d{2})$/.test(text) && isMoment(text) ? Date.parse(text) : undefined
}

const formats = new LRUCache<string, Intl.DateTimeFormat>({ max: limits.cachedZones })

/** For people: `Tuesday 3 March 2026 at 10:00 (Europe/Lisbon)`. */
export function describeMoment(zone: string, at: number): string {
  let format = formats.get(zone)
  if (!format) {
    format = new Intl.DateTimeFormat('en-GB', { timeZone: zone, dateStyle: 'full', timeStyle: 'short' })
    formats.set(zone, format)
  }
  return `${format.format(at)} (${zone})`
}
