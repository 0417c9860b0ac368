/** What the arguments of the scheduling tools ask for, and which times are refused. */
import fc from 'fast-check'
import t from 'tap'
import { day, hour } from '../../../core/durations.js'
import { scheduling as limits } from '../../../core/limits/index.js'
import {
  isRefused,
  readAvailability,
  readBooking,
  readCancellation,
  reasons,
  refusalOfTime,
} from '../../../core/scheduling/request.js'
import { builtInTools } from '../../../core/tools/builtin.js'
import { localTime, moment, schedulingOf, zone } from './arbitraries.js'

const now = Date.parse('2026-06-15T22:00:00Z')
const rules = { scheduling: schedulingOf(), agentZone: 'UTC', personZone: 'Asia/Kolkata', now }

t.test('A start has its offset and a full minute; texts are cut to their bounds', async (t) => {
  t.same(readBooking({ start: '2026-06-16T10:00:00+05:30' }), { start: Date.parse('2026-06-16T04:30:00Z') })
  t.same(
    readBooking({
      start: '2026-06-16T10:00Z',
      notes: ' x ',
      representativeId: 'r',
      appointmentId: 'a',
      durationMinutes: 5,
    }),
    {
      start: Date.parse('2026-06-16T10:00:00Z'),
      durationMinutes: 5,
      representativeId: 'r',
      appointmentId: 'a',
      notes: 'x',
    },
  )
  const bad = [
    '2026-06-16T10:00',
    '2026-06-16',
    'tomorrow',
    '2026-02-30T10:00Z',
    '2026-06-16T10:00:30Z',
    '',
    5,
    null,
    undefined,
    {},
  ]
  for (const start of bad) t.same(readBooking({ start }), { refusal: reasons.noStart })
  for (const durationMinutes of [0, -5, 1.5, 1_441, '30', null]) {
    t.same(readBooking({ start: '2026-06-16T10:00Z', durationMinutes }), { refusal: reasons.duration })
  }
  t.equal(readCancellation({ reason: 'x'.repeat(5_000) }).reason?.length, limits.reasonChars)
  t.same(readCancellation({ reason: 5, appointmentId: '' }), {})
})

t.test('Decision 21: a search begins now and covers fourteen days of the person', async (t) => {
  const found = readAvailability({}, rules)
  t.same(found, {
    // It is the 16th already where the person is.
    period: { from: now, to: Date.parse('2026-06-30T00:00:00+05:30') },
    durationMinutes: limits.defaultDurationMinutes,
  })
  t.match(readAvailability({ durationMinutes: 45, partOfDay: 'evening', representativeId: 'r' }, rules), {
    durationMinutes: 45,
    partOfDay: 'evening',
    representativeId: 'r',
  })
  t.match(readAvailability({}, { ...rules, scheduling: schedulingOf({ defaultDurationMinutes: 90 }) }), {
    durationMinutes: 90,
  })
})

t.test('Decision 21: the first and the last day of a search are days of the person', async (t) => {
  const periodOf = (from?: string, to?: string) => {
    const found = readAvailability({ ...(from && { from }), ...(to && { to }) }, rules)
    return isRefused(found) ? found : [found.period.from, found.period.to].map((at) => new Date(at).toISOString())
  }
  t.same(periodOf('2026-06-20', '2026-06-20'), ['2026-06-19T18:30:00.000Z', '2026-06-20T18:30:00.000Z'])
  t.same(periodOf('2026-06-01', '2026-06-16'), ['2026-06-15T22:00:00.000Z', '2026-06-16T18:30:00.000Z'])
  t.same(
    periodOf('2026-09-01'),
    ['2026-08-31T18:30:00.000Z', '2026-09-14T18:30:00.000Z'],
    'a later day is searched too',
  )
  const nothing = ['2026-06-15T22:00:00.000Z', '2026-06-15T22:00:00.000Z']
  t.same(periodOf('2026-06-20', '2026-06-19'), nothing)
  t.same(periodOf('2026-06-01', '2026-06-10'), nothing, 'the past has no free times')
  t.same(periodOf('9999-12-31'), nothing, 'nor has a day too far ahead')
  for (const text of ['2026-02-30', 'tomorrow', '2026-6-1', '2026-06-20T10:00Z'])
    t.same(periodOf(text), { refusal: reasons.day })
})

t.test(
  'Decision 21: the period of any search is at most fourteen days long, and begins no earlier than now',
  async (t) => {
    const localDay = fc.integer({ min: -40, max: 500 })
    fc.assert(
      fc.property(zone, moment, localDay, localDay, (personZone, at, from, to) => {
        const dayText = (count: number) => new Date(at + count * day).toISOString().slice(0, 10)
        const found = readAvailability({ from: dayText(from), to: dayText(to) }, { ...rules, personZone, now: at })
        if (isRefused(found)) throw new Error(found.refusal)
        const { period } = found
        if (period.from < at || period.to < period.from) throw new Error('before now')
        if (period.to - period.from > limits.withinDays * day + hour) throw new Error('too long')
        if (period.from > at && localTime(personZone, period.from - 1).date >= dayText(from))
          throw new Error('too late')
      }),
    )
    t.pass()
  },
)

t.test('R44: times in the past, too far ahead, or on the same day where that is not allowed are refused', async (t) => {
  const at = (from: number) => ({ from, to: from + hour })
  t.same(refusalOfTime(rules, at(now - 1)), { refusal: reasons.past })
  t.equal(refusalOfTime(rules, at(now)), undefined)
  t.same(refusalOfTime(rules, at(now + limits.bookingWithinDays * day)), { refusal: reasons.tooFar })
  const strict = { ...rules, scheduling: schedulingOf({ disallowSameDayBooking: true }) }
  const midnight = Date.parse('2026-06-17T00:00:00+05:30')
  t.same(refusalOfTime(strict, at(midnight - hour)), { refusal: reasons.sameDay })
  t.equal(refusalOfTime(strict, at(midnight)), undefined)
})

t.test('Any arguments are read or refused', async (t) => {
  const names = builtInTools.flatMap(({ parameters }) => Object.keys(parameters.properties as object))
  const input = fc.dictionary(fc.constantFrom(...names), fc.anything())
  fc.assert(
    fc.property(input, (each) => {
      readBooking(each)
      readCancellation(each)
      readAvailability(each, rules)
    }),
  )
  t.pass()
})
