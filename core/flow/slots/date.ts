/**
 * Finds calendar days in a text: ISO first, then dates as people write them, then words such as tomorrow or next
 * Friday. Days without a year lie ahead.
 */
import { Chrono, configuration } from 'chrono-node/en'
import { Temporal } from 'temporal-polyfill'
import { isZone } from '../../amf/moments.js'
import { flow as limits } from '../../limits/index.js'
import { isMoment } from '../../moment.js'
import { dayWordsIn } from './daywords.js'
import type { Mention } from './mention.js'
import { defaultRegion, type Region } from './region.js'

/** When and where a text is read. */
export interface ReadingPlace {
  readonly now: number
  readonly zone: string
  readonly region: Region
}

const iso = /(?<![\d-])\d{4}-\d{2}-\d{2}(?![\d-])/g
/** Parsers that read these are left out: times of day, and distances, on which the library spends most of its time. */
const notCalendar = 'in 2 days, 2 days later, 2 days ago, 2 days, 10:00, at 3 pm, friday'
const monthFirst = calendarParser(false)
const dayFirst = calendarParser(true)
/** In numbers alone these are dates; 5/6 may be many things. */
const hasMonthOrYear = /\p{L}{3}|\d{4}/u
const dotted = /\d\.\d{1,2}\.\d/

function calendarParser(isDayFirst: boolean): Chrono {
  const { parsers, refiners } = configuration.createConfiguration(true, isDayFirst)
  const reference = new Date(2030, 0, 1)
  const readsDates = (parser: (typeof parsers)[number]) =>
    new Chrono({ parsers: [parser], refiners: [] }).parse(notCalendar, reference).length === 0
  return new Chrono({ parsers: parsers.filter(readsDates), refiners })
}

/** `isAnswer`: the text answers a question about a date, so shorter forms count too. Values are YYYY-MM-DD. */
export function datesIn(text: string, place: ReadingPlace, isAnswer: boolean): Mention<string>[] {
  const read = text.slice(0, limits.dateChars)
  const isoDates = [...read.matchAll(iso)]
    .filter(([date]) => isMoment(date))
    .map(({ 0: value, index: from }) => ({ value, from, to: from + value.length }))
  if (isoDates.length > 0) return isoDates
  const today = dayAt(place.now, place.zone)
  const written = writtenDates(read, today, place.region, isAnswer)
  return written.length > 0 ? written : dayWordsIn(read, today, isAnswer)
}

export function dayAt(now: number, zone: string): Temporal.PlainDate {
  return zonedTime(now, zone).toPlainDate()
}

export function zonedTime(at: number, zone: string): Temporal.ZonedDateTime {
  return Temporal.Instant.fromEpochMilliseconds(Math.trunc(at)).toZonedDateTimeISO(isZone(zone) ? zone : 'UTC')
}

function writtenDates(
  text: string,
  { year, month, day }: Temporal.PlainDate,
  region: Region,
  isAnswer: boolean,
): Mention<string>[] {
  // The midnight in the zone of the process stands for the day, so the result is the same in every zone.
  const reference = new Date(year, month - 1, day)
  const isMonthFirst = region === defaultRegion && !dotted.test(text)
  const results = (isMonthFirst ? monthFirst : dayFirst).parse(text, reference, { forwardDate: true })
  return results.flatMap(({ text: found, index: from, start, end }) => {
    const isDay = !end && start.isCertain('day') && start.isCertain('month')
    if (!isDay || !(isAnswer || hasMonthOrYear.test(found))) return []
    const value = [start.get('year'), start.get('month'), start.get('day')]
      .map((part, index) => String(part).padStart(index === 0 ? 4 : 2, '0'))
      .join('-')
    return isMoment(value) ? [{ value, from, to: from + found.length }] : []
  })
}
