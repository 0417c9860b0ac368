/** Zones, moments around changes of their clocks, weekly hours; local time by Intl, which the product does not use. */
import fc from 'fast-check'
import type { SchedulingWindow } from '../../../core/agent/resources/capabilities.js'
import { day, minute } from '../../../core/durations.js'
import type { Scheduling } from '../../../core/scheduling/windows.js'

/** Among them: daylight saving of half an hour, offsets of half hours, clocks that change at midnight. */
export const zones = [
  'America/New_York',
  'Europe/Lisbon',
  'Australia/Lord_Howe',
  'Asia/Kolkata',
  'America/Sao_Paulo',
  'America/Havana',
  'Africa/Casablanca',
  'UTC',
] as const

/** Days on which the clocks of some of the zones change, and others. */
const days = [
  ...['2018-02-17', '2018-11-03', '2026-03-07', '2026-03-28', '2026-04-04', '2026-10-03', '2026-10-24', '2026-10-31'],
  ...['2026-02-14', '2026-03-21', '2026-11-01', '2026-06-15', '2026-12-30'],
]

export const zone = fc.constantFrom(...zones)
export const moment = fc
  .tuple(fc.constantFrom(...days), fc.integer({ min: -3 * 1_440, max: 2 * 1_440 }))
  .map(([text, minutes]) => Date.parse(`${text}T00:00:00Z`) + minutes * minute)

const time = (minutes: number) =>
  [Math.floor(minutes / 60), minutes % 60].map((each) => String(each).padStart(2, '0')).join(':')

/** On half hours, from one half hour to the whole day. */
export const window: fc.Arbitrary<SchedulingWindow> = fc
  .tuple(fc.integer({ min: 0, max: 6 }), fc.integer({ min: 0, max: 47 }), fc.integer({ min: 1, max: 48 }))
  .map(([dayOfWeek, start, length]) => ({
    dayOfWeek,
    startTime: time(start * 30),
    endTime: time(Math.min(48, start + length) * 30),
  }))

export const windows = fc.array(window, { maxLength: 12 })

export interface LocalTime {
  readonly date: string
  readonly weekday: number
  readonly minutes: number
}

const formats = new Map<string, Intl.DateTimeFormat>()
const weekdays = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat']

export function localTime(zone: string, at: number): LocalTime {
  const format =
    formats.get(zone) ??
    new Intl.DateTimeFormat('en-US', {
      timeZone: zone,
      hourCycle: 'h23',
      ...{ year: 'numeric', month: '2-digit', day: '2-digit', hour: '2-digit', minute: '2-digit', weekday: 'short' },
    })
  formats.set(zone, format)
  const parts = Object.fromEntries(format.formatToParts(at).map(({ type, value }) => [type, value]))
  return {
    date: `${parts.year}-${parts.month}-${parts.day}`,
    weekday: weekdays.indexOf(parts.weekday!),
    minutes: Number(parts.hour) * 60 + Number(parts.minute),
  }
}

const minutesOf = (text: string) => Number(text.slice(0, 2)) * 60 + Number(text.slice(3))

/** Does the local time lie in one of the windows? */
export function isInWindows(all: readonly SchedulingWindow[], { weekday, minutes }: LocalTime): boolean {
  return all.some(
    ({ dayOfWeek, startTime, endTime }) =>
      dayOfWeek === weekday && minutes >= minutesOf(startTime) && minutes < minutesOf(endTime),
  )
}

export function dateAfter(at: number, count: number): string {
  return new Date(at + count * day).toISOString().slice(0, 10)
}

export const everyDay = (startTime: string, endTime: string): SchedulingWindow[] =>
  weekdays.map((_, dayOfWeek) => ({ dayOfWeek, startTime, endTime }))

export const schedulingOf = (more: Partial<Scheduling> = {}): Scheduling => ({ representatives: [], ...more })
