/**
 * Wall times: what a clock shows somewhere, as milliseconds since 1970 as if the clock showed UTC. So calendar days are
 * whole multiples of a day, and arithmetic needs no time zone.
 */
import ICAL from 'ical.js'

/** A date, or a date with a time, in jCal: `2026-03-29`, `2026-03-29T02:30:00`, with `Z` where it is UTC. */
export interface Written {
  readonly wall: number
  readonly isDate: boolean
  readonly isUtc: boolean
}

const writtenPattern = /^(\d{4})-(\d{2})-(\d{2})(?:T(\d{2}):(\d{2}):(\d{2})(Z?))?$/

export function readWritten(value: unknown): Written | undefined {
  const [, year, month, day, hours, minutes, seconds, zulu] =
    (typeof value === 'string' && writtenPattern.exec(value)) || []
  if (year === undefined) return undefined
  const isDate = hours === undefined
  const date = Date.UTC(Number(year), Number(month) - 1, Number(day))
  // A day that the month does not have, and a year below 100, would become another date.
  if (new Date(date).toISOString().slice(0, 10) !== `${year}-${month}-${day}`) return undefined
  if (isDate) return { wall: date, isDate, isUtc: false }
  const wall = date + ((Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds)) * 1_000
  return { wall, isDate, isUtc: zulu === 'Z' }
}

/** A time of ical.js without a zone. */
export function timeOf(wall: number, isDate: boolean): InstanceType<typeof ICAL.Time> {
  const [year, month, day, hour, minute, second] = fieldsOf(wall)
  const time = isDate ? { year, month, day, isDate } : { year, month, day, hour, minute, second }
  return new ICAL.Time(time, ICAL.Timezone.localTimezone)
}

export function wallOf(time: InstanceType<typeof ICAL.Time>): number {
  const { year, month, day, hour, minute, second } = time
  return Date.UTC(year, month - 1, day, hour, minute, second)
}

/** Year, month from 1, day, hour, minute, second. */
export function fieldsOf(wall: number): [number, number, number, number, number, number] {
  const date = new Date(wall)
  return [
    date.getUTCFullYear(),
    date.getUTCMonth() + 1,
    date.getUTCDate(),
    date.getUTCHours(),
    date.getUTCMinutes(),
    date.getUTCSeconds(),
  ]
}
