/** Recurrence rules: the same occurrences as a count of days finds, and a bound on the work for any rule. */
import fc from 'fast-check'
import t from 'tap'
import { Temporal } from 'temporal-polyfill'
import { busyIntervals } from '../../../core/calendar/busytimes.js'
import { expandRule } from '../../../core/calendar/recurrence.js'
import { day, hour } from '../../../core/durations.js'
import type { Interval } from '../../../core/interval.js'
import { calendar as limits } from '../../../core/limits/index.js'
import { eventOf, multistatusOf } from './texts.js'

const from = Date.parse('2026-03-16T00:00:00Z')
const to = Date.parse('2026-04-13T00:00:00Z')
const weekdays = ['SU', 'MO', 'TU', 'WE', 'TH', 'FR', 'SA'] as const
const zones = ['UTC', 'Europe/Berlin', 'America/New_York', 'Australia/Lord_Howe', 'Asia/Kathmandu', 'Pacific/Apia']

interface Sample {
  readonly zone: string
  /** Days before the window, and the minute of that day. */
  readonly daysBefore: number
  readonly minute: number
  readonly lastsMinutes: number
  readonly freq: 'DAILY' | 'WEEKLY' | 'MONTHLY'
  readonly interval: number
  readonly days: readonly number[]
  readonly end: { readonly count: number } | { readonly untilDays: number } | undefined
  readonly skipped: readonly number[]
}

const samples: fc.Arbitrary<Sample> = fc.record({
  zone: fc.constantFrom(...zones),
  daysBefore: fc.oneof(fc.integer({ min: -20, max: 60 }), fc.integer({ min: 0, max: 4_000 })),
  minute: fc.integer({ min: 0, max: 1_439 }),
  lastsMinutes: fc.integer({ min: 1, max: 3_000 }),
  freq: fc.constantFrom('DAILY', 'WEEKLY', 'MONTHLY'),
  interval: fc.integer({ min: 1, max: 5 }),
  days: fc.uniqueArray(fc.integer({ min: 0, max: 6 }), { maxLength: 4 }),
  end: fc.oneof(
    fc.constant(undefined),
    fc.record({ count: fc.integer({ min: 1, max: 60 }) }),
    fc.record({ untilDays: fc.integer({ min: 0, max: 4_100 }) }),
  ),
  skipped: fc.uniqueArray(fc.integer({ min: 0, max: 59 }), { maxLength: 3 }),
})

/** Days since 1970 in wall time, and what a calendar says of them. */
const dateOf = (date: number) => new Date(date * day)
const weekdayOf = (date: number) => dateOf(date).getUTCDay()
const weekOf = (date: number) => Math.floor((date + 3) / 7)
const monthOf = (date: number) => dateOf(date).getUTCFullYear() * 12 + dateOf(date).getUTCMonth()

function momentOf({ zone, minute }: Sample, date: number): number {
  const { year, month, day } = Temporal.PlainDate.from(dateOf(date).toISOString().slice(0, 10))
  const wall = new Temporal.PlainDateTime(year, month, day, Math.floor(minute / 60), minute % 60)
  return wall.toZonedDateTime(zone).epochMilliseconds
}

function isDayOf({ freq, interval, days }: Sample, date: number, first: number): boolean {
  const matches = days.length === 0 || days.includes(weekdayOf(date))
  if (freq === 'DAILY') return matches && (date - first) % interval === 0
  if (freq === 'WEEKLY') {
    const isWeekday = days.length === 0 ? weekdayOf(date) === weekdayOf(first) : matches
    return isWeekday && (weekOf(date) - weekOf(first)) % interval === 0
  }
  const isDay = days.length > 0 ? matches : dateOf(date).getUTCDate() === dateOf(first).getUTCDate()
  return isDay && (monthOf(date) - monthOf(first)) % interval === 0
}

/** The first day on which the rule itself has an occurrence: RFC 5545 leaves open what another one would mean. */
function firstOf(sample: Sample): number {
  let date = from / day - sample.daysBefore
  while (!isDayOf(sample, date, date)) date++
  return date
}

/** Every day from the first on, one by one; the moments of those in the window. */
function expandNaively(sample: Sample): { readonly moments: readonly number[]; readonly until?: number } {
  const first = firstOf(sample)
  const { end } = sample
  const until = end && 'untilDays' in end ? momentOf(sample, first) + end.untilDays * day : undefined
  const count = end && 'count' in end ? end.count : Number.POSITIVE_INFINITY
  const moments: number[] = []
  for (let date = first, found = 0; found < count && date * day <= to + day; date++) {
    if (!isDayOf(sample, date, first)) continue
    found++
    if (date * day < from - 4 * day) continue
    const at = momentOf(sample, date)
    if (at <= (until ?? to)) moments.push(at)
  }
  return { moments, ...(until !== undefined && { until }) }
}

function isTaken(busy: readonly Interval[], at: number): boolean {
  return busy.some(({ from, to }) => from <= at && at < to)
}

t.test('Decision 21: for any rule the busy times are those of its occurrences, one by one', async (t) => {
  const property = fc.property(samples, (sample) => {
    const { zone, freq, interval, days, end, lastsMinutes } = sample
    const { moments, until } = expandNaively(sample)
    const skipped = sample.skipped.flatMap((index) => moments[index] ?? [])
    const byDay = days.length === 0 ? '' : `;BYDAY=${days.map((each) => weekdays[each]).join(',')}`
    const count = end && 'count' in end ? `;COUNT=${end.count}` : ''
    const last = until === undefined ? '' : `;UNTIL=${stampOf(until)}`
    const start = firstOf(sample) * day + sample.minute * 60_000
    const text = eventOf(
      `DTSTART;TZID=${zone}:${stampOf(start).slice(0, -1)}`,
      `DURATION:PT${lastsMinutes}M`,
      `RRULE:FREQ=${freq};INTERVAL=${interval}${byDay}${count}${last}`,
      ...skipped.map((at) => `EXDATE:${stampOf(at)}`),
    )
    const { busy, unreadable } = busyIntervals({ xml: multistatusOf(text), from, to, bufferMinutes: 0, zone: 'UTC' })!
    const taken = moments
      .filter((at) => !skipped.includes(at))
      .map((from) => ({ from, to: from + lastsMinutes * 60_000 }))
    const edges = [...busy, ...taken].flatMap(({ from, to }) => [from, to - 1, from - 1, to])
    const different = edges.filter((at) => at >= from && at < to && isTaken(busy, at) !== isTaken(taken, at))
    return unreadable === 0 && different.length === 0
  })
  fc.assert(property, { numRuns: 300 })
  t.pass()
})

function stampOf(at: number): string {
  return new Date(at).toISOString().replace(/[-:]|\.\d+/g, '')
}

const window = { from, to }
const start = Date.parse('2020-01-01T09:00:00Z')

/** jCal of a rule, in which a part with one value has no list. */
const expand = (rule: object, at = start, count: number = limits.stepsPerAnswer) => {
  const steps = { count }
  return { ...expandRule({ rule, start: at, isDate: false }, window, steps), used: count - steps.count }
}

t.test('A rule of many years costs no more than one of this week', async (t) => {
  const periods = ['DAILY', 'WEEKLY', 'MONTHLY', 'HOURLY'].map((freq) => ({ freq }))
  for (const rule of [...periods, { freq: 'YEARLY', bymonth: 4, byday: '1WE' }, { freq: 'MONTHLY', byday: '-1FR' }]) {
    const old = expand(rule, Date.parse('1970-01-01T09:00:00Z'))
    t.ok(old.starts.length > 0, JSON.stringify(rule))
    t.ok(old.used < 2_000, `${JSON.stringify(rule)} takes ${old.used} steps`)
  }
})

t.test('The order in which a rule lists its months and hours has no meaning', async (t) => {
  const [sorted, mixed] = [
    [3, 4],
    [4, 3],
  ].map((bymonth) => expand({ freq: 'MONTHLY', bymonth, bymonthday: [20, 5], byhour: [...bymonth, 1] }).starts)
  t.equal(sorted!.length, 6)
  t.same([...mixed!].sort(), [...sorted!].sort())
})

t.test('The 31st and the 29th of February come where there is one', async (t) => {
  const monthly = expand({ freq: 'MONTHLY' }, Date.parse('2025-12-31T09:00:00Z'))
  t.same(monthly.starts, [Date.parse('2026-03-31T09:00:00Z')])
  t.same(expand({ freq: 'YEARLY' }, Date.parse('2024-02-29T09:00:00Z')).starts, [])
})

const endless = [
  { freq: 'SECONDLY' },
  { freq: 'MINUTELY', interval: 1 },
  { freq: 'SECONDLY', count: 1_000_000_000 },
  { freq: 'DAILY', byhour: numbers(24), byminute: numbers(60), bysecond: numbers(60) },
]
/** Days that never come, and numbers beyond any calendar. */
const impossible = [
  { freq: 'DAILY', bymonth: 2, bymonthday: 30 },
  { freq: 'HOURLY', bymonth: 2, bymonthday: 30 },
  { freq: 'MONTHLY', bymonth: 2, bymonthday: 31 },
  { freq: 'YEARLY', bymonth: 2, bymonthday: 30 },
  { freq: 'YEARLY', bymonth: 4, byday: '1MO', bymonthday: 15 },
  { freq: 'YEARLY', byweekno: 54 },
  { freq: 'YEARLY', byyearday: 366, byday: '1MO' },
  { freq: 'MONTHLY', interval: 12, bymonth: 5, byday: '5MO', bymonthday: 2 },
  { freq: 'WEEKLY', interval: 1e15 },
  { freq: 'DAILY', interval: 1e9 },
  { freq: 'MONTHLY', interval: 1e20 },
  { freq: 'YEARLY', interval: 1e12 },
  { freq: 'SECONDLY', interval: 1e18 },
  { freq: 'DAILY', byday: Array(limits.ruleWeekdays + 1).fill('MO') },
  { freq: 'SOMETIMES' },
  {},
  'FREQ=DAILY',
  undefined,
]

function numbers(count: number): number[] {
  return Array.from({ length: count }, (_, value) => value)
}

t.test('A rule with more occurrences than are counted says from where on they are unknown', async (t) => {
  for (const rule of endless) {
    const { starts, unknownFrom, used } = expand(rule)
    t.ok(used <= limits.stepsPerRule + 1, JSON.stringify(rule).slice(0, 100))
    t.ok(starts.length <= limits.stepsPerRule)
    t.ok(unknownFrom! >= from && unknownFrom! < to)
  }
  const { unknownFrom, used } = expand({ freq: 'DAILY' }, start, 3)
  t.ok(unknownFrom! >= from, 'the steps of one answer are shared by its rules')
  t.ok(used <= 4)
})

t.test('A rule without an occurrence ends', async (t) => {
  for (const rule of impossible) {
    const { starts, unknownFrom, used } = expand(rule as object)
    t.same(starts, [], JSON.stringify(rule))
    t.equal(unknownFrom, undefined, `${JSON.stringify(rule)} was looked through`)
    t.ok(used <= limits.stepsPerRule, `${used} steps`)
  }
})

t.test('Any rule ends within its steps', async (t) => {
  const few = (min: number, max: number) => fc.array(fc.integer({ min, max }), { minLength: 1, maxLength: 3 })
  const rules = fc.record(
    {
      freq: fc.constantFrom('SECONDLY', 'MINUTELY', 'HOURLY', 'DAILY', 'WEEKLY', 'MONTHLY', 'YEARLY'),
      interval: fc.oneof(fc.integer({ min: 1, max: 5 }), fc.integer({ min: 1 })),
      count: fc.integer({ min: 1 }),
      bymonth: few(1, 12),
      bymonthday: few(-31, 31),
      byyearday: few(-366, 366),
      byweekno: few(-53, 53),
      byhour: few(0, 23),
      byminute: few(0, 59),
      bysetpos: few(-366, 366),
      byday: fc.array(fc.constantFrom('MO', '1TU', '-1SU', '5FR', '53WE', '-5SA'), { minLength: 1, maxLength: 3 }),
    },
    { requiredKeys: ['freq'] },
  )
  const begins = fc.integer({ min: Date.parse('1890-01-01T00:00:00Z'), max: to + day })
  const property = fc.property(rules, begins, (rule, at) => {
    const { starts, used } = expand(rule, at)
    return used <= limits.stepsPerRule + 1 && starts.every((each) => each >= from && each <= to)
  })
  fc.assert(property, { numRuns: 500 })
  t.pass()
})

t.test('A hostile calendar is taken rather than free, and its other events are still read', async (t) => {
  const text = eventOf('DTSTART:20260320T100000Z', 'DTEND:20260320T100001Z', 'RRULE:FREQ=SECONDLY')
  const { busy } = busyIntervals({ xml: multistatusOf(text), from, to, bufferMinutes: 0, zone: 'UTC' })!
  t.same(busy, [{ from: Date.parse('2026-03-20T10:00:00Z'), to }])
  const many = Array.from({ length: 200 }, () => text)
  const plain = eventOf('DTSTART:20260317T100000Z', 'DTEND:20260317T110000Z')
  const all = busyIntervals({ xml: multistatusOf(...many, plain), from, to, bufferMinutes: 0, zone: 'UTC' })!
  t.equal(all.busy.length, 2)
  t.equal(all.busy[0]!.to - all.busy[0]!.from, hour)
  const long = eventOf('DTSTART;VALUE=DATE:20260320', 'DURATION:P9999999D')
  const wide = busyIntervals({ xml: multistatusOf(long), from, to, bufferMinutes: 0, zone: 'Europe/Berlin' })!
  t.equal(wide.busy[0]!.to, to)
})
