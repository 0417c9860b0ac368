/** Decision 21: which times are offered, with whom, and under which ids. */
import fc from 'fast-check'
import t from 'tap'
import { day, hour, minute } from '../../../core/durations.js'
import type { Interval } from '../../../core/interval.js'
import { amf, scheduling as limits } from '../../../core/limits/index.js'
import type { Candidate } from '../../../core/scheduling/candidates.js'
import { findSlots, formatSlotId, parseSlotId, type SlotSearch } from '../../../core/scheduling/slots.js'
import type { BookingRules, Representative } from '../../../core/scheduling/windows.js'
import { runToEnd } from '../../../core/steps.js'
import {
  dateAfter,
  everyDay,
  isInWindows,
  localTime,
  moment,
  schedulingOf,
  windows,
  zone,
  zones,
} from './arbitraries.js'

const monday = Date.parse('2026-06-15T00:00:00Z')
const rulesOf = (more: Partial<BookingRules> = {}): BookingRules => ({
  scheduling: schedulingOf({ availableHours: everyDay('09:00', '17:00') }),
  agentZone: 'UTC',
  personZone: 'UTC',
  now: monday,
  ...more,
})
const free: Candidate = { bookings: [] }
const slotsOf = (search: Partial<SlotSearch>) =>
  runToEnd(
    findSlots({
      rules: rulesOf(),
      period: { from: monday, to: monday + 14 * day },
      durationMinutes: 30,
      candidates: [free],
      ...search,
    }),
  )
const named = (id: string, more: Partial<Candidate> = {}): Candidate => ({
  representative: { id, name: id.toUpperCase() },
  bookings: [],
  ...more,
})
const hourly = (from: number, count: number): Interval[] =>
  Array.from({ length: count }, (_, index) => ({ from: from + index * hour, to: from + (index + 1) * hour }))

t.test('Decision 21: no more are offered than ten, two of each of the next days, spread over the day', async (t) => {
  const slots = slotsOf({})
  t.equal(slots.length, limits.offered)
  t.same(
    slots.slice(0, 4).map(({ start }) => start),
    [
      '2026-06-15T09:00:00+00:00',
      '2026-06-15T13:00:00+00:00',
      '2026-06-16T09:00:00+00:00',
      '2026-06-16T13:00:00+00:00',
    ],
  )
  t.equal(new Set(slots.map(({ start }) => start.slice(0, 10))).size, 5)
})

t.test('Decision 21: fewer days have more of each', async (t) => {
  const oneDay = slotsOf({ period: { from: monday, to: monday + day } })
  t.equal(oneDay.length, limits.offered)
  const fullDay: Candidate = { bookings: [{ from: monday + 9.5 * hour, to: monday + day }] }
  const twoDays = slotsOf({ period: { from: monday, to: monday + 2 * day }, candidates: [fullDay] })
  t.equal(twoDays.length, limits.offered)
  t.equal(twoDays.filter(({ startUtc }) => startUtc < monday + day).length, 1)
})

t.test('Decision 21: slots are on the half hour, or closer together when the appointment is shorter', async (t) => {
  const startsOf = (durationMinutes: number) => {
    const scheduling = schedulingOf({ availableHours: everyDay('09:00', '10:30') })
    const search = { rules: rulesOf({ scheduling }), period: { from: monday, to: monday + day }, durationMinutes }
    return slotsOf(search).map(({ start }) => start.slice(11, 16))
  }
  t.same(startsOf(60), ['09:00', '09:30'])
  t.same(startsOf(30), ['09:00', '09:30', '10:00'])
  t.same(startsOf(20), ['09:00', '09:20', '09:40', '10:00'])
  t.same(startsOf(90), ['09:00'])
  t.same(startsOf(91), [])
  t.equal(startsOf(1).length, limits.offered, 'and never closer than five minutes')
})

t.test('Decision 21: a part of the day is one of the person’s day', async (t) => {
  const rules = rulesOf({
    personZone: 'America/New_York',
    scheduling: schedulingOf({ availableHours: everyDay('00:00', '24:00') }),
  })
  const hoursOf = (partOfDay: 'morning' | 'afternoon' | 'evening') =>
    slotsOf({ rules, partOfDay }).map(({ startUtc }) => localTime('America/New_York', startUtc).minutes / 60)
  t.ok(hoursOf('morning').every((each) => each < 12))
  t.ok(hoursOf('afternoon').every((each) => each >= 12 && each < 17))
  t.ok(hoursOf('evening').every((each) => each >= 17))
  t.equal(hoursOf('evening').length, limits.offered)
  t.match(slotsOf({ rules })[0]?.start, /-04:00$/, 'and times are written in the person’s zone')
})

t.test('Decision 21: each slot is with the representative who has the fewest appointments that day', async (t) => {
  const [tuesday, wednesday] = [monday + day, monday + 2 * day]
  const candidates = [
    named('ann', { bookings: hourly(tuesday + 9 * hour, 2) }),
    named('bob', { bookings: [...hourly(tuesday + 9 * hour, 1), ...hourly(wednesday + 9 * hour, 1)] }),
  ]
  const slots = slotsOf({ candidates, period: { from: monday, to: monday + 3 * day } })
  const whoOn = (from: number) => {
    const ofDay = slots.filter(({ startUtc }) => startUtc >= from && startUtc < from + day)
    return [
      ...new Set(
        ofDay.map(({ representativeId, representativeName }) => [representativeId, representativeName].join()),
      ),
    ]
  }
  t.same([monday, tuesday, wednesday].map(whoOn), [['ann,ANN'], ['bob,BOB'], ['ann,ANN']])
})

t.test('Decision 21: without representatives the slots are with the agent’s default identity', async (t) => {
  const scheduling = schedulingOf({
    availableHours: everyDay('09:00', '17:00'),
    defaultRepresentativeIdentity: 'The front office',
  })
  const [slot] = slotsOf({ rules: rulesOf({ scheduling }) })
  t.equal(slot?.representativeName, 'The front office')
  t.notOk('representativeId' in slot!)
  t.notOk('representativeName' in slotsOf({})[0]!)
})

t.test('Decision 21: busy times of a calendar are not offered, and another representative is', async (t) => {
  const busy = [{ from: monday, to: monday + 15 * day }]
  t.same(slotsOf({ candidates: [named('ann', { busy })] }), [])
  const slots = slotsOf({ candidates: [named('ann', { busy }), named('bob')] })
  t.ok(slots.every(({ representativeId }) => representativeId === 'bob'))
  t.equal(slots.length, limits.offered)
})

const interval = fc
  .tuple(fc.integer({ min: -1_440, max: 6 * 1_440 }), fc.integer({ min: 1, max: 600 }))
  .map(([start, length]) => ({ start: start * minute, length: length * minute }))

t.test(
  'Decision 21: every slot is in a window, on no closed day, free for its representative, in the future and found once',
  async (t) => {
    const input = fc.record({
      hours: windows,
      agentZone: zone,
      personZone: zone,
      now: moment,
      taken: fc.array(fc.array(interval, { maxLength: 6 }), { minLength: 1, maxLength: 3 }),
      ownZones: fc.array(zone, { minLength: 3, maxLength: 3 }),
      ownHours: fc.array(windows, { minLength: 3, maxLength: 3 }),
      closed: fc.array(fc.integer({ min: 0, max: 5 }), { maxLength: 2 }),
      disallowSameDayBooking: fc.boolean(),
      durationMinutes: fc.constantFrom(5, 15, 20, 25, 30, 45, 60, 240),
    })
    fc.assert(
      fc.property(
        input,
        ({ hours, agentZone, personZone, now, taken, ownZones, ownHours, durationMinutes, ...more }) => {
          const blackoutDates = more.closed.map((count) => dateAfter(now, count))
          const { disallowSameDayBooking } = more
          const scheduling = schedulingOf({ availableHours: hours, blackoutDates, disallowSameDayBooking })
          const candidates = taken.map((intervals, index): Candidate => {
            const all = intervals.map(({ start, length }) => ({ from: now + start, to: now + start + length }))
            const availability = { timezone: ownZones[index]!, workingHours: ownHours[index]! }
            const representative: Representative = { id: `r${index}`, name: `R${index}`, availability }
            const sorted = all.toSorted((one, other) => one.from - other.from)
            return { representative, bookings: sorted.slice(0, 1), busy: sorted.slice(1) }
          })
          const period = { from: now, to: now + 5 * day }
          const slots = slotsOf({
            rules: rulesOf({ scheduling, agentZone, personZone, now }),
            period,
            durationMinutes,
            candidates,
          })
          t.ok(slots.length <= limits.offered)
          t.same(
            slots.map(({ startUtc }) => startUtc),
            [...new Set(slots.map(({ startUtc }) => startUtc))].sort((one, other) => one - other),
          )
          for (const { startUtc, start, representativeId, id } of slots) {
            const end = startUtc + durationMinutes * minute
            const { representative, bookings, busy } = candidates.find(
              (each) => each.representative!.id === representativeId,
            )!
            const own = representative!.availability!
            const isOwn = own.workingHours!.length > 0
            const governing = isOwn ? own.timezone! : agentZone
            for (let at = startUtc; at < end; at += 5 * minute) {
              if (!isInWindows(isOwn ? own.workingHours! : hours, localTime(governing, at)))
                throw new Error('out of hours')
              if (blackoutDates.includes(localTime(agentZone, at).date)) throw new Error('on a closed day')
            }
            if ([...bookings, ...busy!].some(({ from, to }) => from < end && to > startUtc)) throw new Error('taken')
            if (startUtc < now || Date.parse(start) !== startUtc) throw new Error('in the past, or written wrongly')
            if (disallowSameDayBooking && localTime(personZone, startUtc).date === localTime(personZone, now).date)
              throw new Error('on the same day')
            t.same(parseSlotId(id), { startUtc, representativeId })
          }
        },
      ),
      { numRuns: 80 },
    )
  },
)

t.test('R44: the first slot of a window has its local time on every day, whatever the clocks do', async (t) => {
  const input = fc.record({ agentZone: fc.constantFrom(...zones), now: moment, start: fc.integer({ min: 6, max: 40 }) })
  fc.assert(
    fc.property(input, ({ agentZone, now, start }) => {
      const startTime = `${String(start >> 1).padStart(2, '0')}:${start % 2 ? '30' : '00'}`
      const endTime = `${String((start >> 1) + 1).padStart(2, '0')}:${start % 2 ? '30' : '00'}`
      const scheduling = schedulingOf({ availableHours: everyDay(startTime, endTime) })
      const period = { from: now, to: now + 6 * day }
      const slots = slotsOf({
        rules: rulesOf({ scheduling, agentZone, personZone: agentZone, now }),
        period,
        durationMinutes: 60,
      })
      t.ok(slots.length >= 5)
      for (const { startUtc, start: written } of slots) {
        if (localTime(agentZone, startUtc).minutes !== start * 30) throw new Error(written)
        if (written.slice(11, 16) !== startTime) throw new Error(written)
      }
    }),
  )
})

t.test(
  'Decision 21: a slot has the same id in every search, and its id names its start and its representative',
  async (t) => {
    const [one] = slotsOf({ candidates: [named('ann')] })
    const [other] = slotsOf({
      candidates: [named('ann')],
      period: { from: monday, to: monday + day },
      durationMinutes: 60,
    })
    t.equal(one?.id, other?.id)
    const representativeId = fc.stringMatching(/^[A-Za-z0-9][A-Za-z0-9_.:-]{0,180}$/)
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 2 ** 32 }),
        fc.option(representativeId, { nil: undefined }),
        (minutes, id) => {
          const startUtc = minutes * minute
          const text = formatSlotId(startUtc, id)
          t.ok(text.length <= amf.idChars)
          t.same(parseSlotId(text), { startUtc, ...(id !== undefined && { representativeId: id }) })
        },
      ),
    )
    t.equal(parseSlotId(formatSlotId(monday, 'r'.repeat(200)))?.representativeId, undefined, 'unless it is too long')
    for (const text of ['', '.', 'Z', '-1', '1.', 'tomorrow at nine']) t.equal(parseSlotId(text), undefined, text)
  },
)
