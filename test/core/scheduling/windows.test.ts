/** R44: weekly windows as absolute time, in zones whose clocks change, and the days on which nobody can be booked. */
import fc from 'fast-check'
import t from 'tap'
import { day, hour, minute } from '../../../core/durations.js'
import { scheduling as limits } from '../../../core/limits/index.js'
import { type BookingRules, createOpenTimes, type Representative } from '../../../core/scheduling/windows.js'
import { dateAfter, everyDay, isInWindows, localTime, moment, schedulingOf, windows, zone } from './arbitraries.js'

const at = (text: string) => Date.parse(text)
const rulesOf = (more: Partial<BookingRules>): BookingRules => ({
  scheduling: schedulingOf(),
  agentZone: 'UTC',
  personZone: 'UTC',
  now: 0,
  ...more,
})
const iso = ({ from, to }: { from: number; to: number }) => [from, to].map((each) => new Date(each).toISOString())

function openIn(agentZone: string, startTime: string, endTime: string, date: string) {
  const [from, now] = [at(`${date}T00:00:00Z`), at(`${date}T00:00:00Z`) - 3 * day]
  const scheduling = schedulingOf({ availableHours: everyDay(startTime, endTime) })
  const period = { from: from - 15 * hour, to: from + 39 * hour }
  const { intervals } = createOpenTimes(rulesOf({ scheduling, agentZone, now }), period)()
  return intervals.filter((each) => localTime(agentZone, each.from).date === date).map(iso)
}

t.test('R44: a window that begins in a skipped hour begins when the clocks go on', async (t) => {
  t.same(openIn('America/New_York', '02:30', '05:00', '2026-03-08'), [
    ['2026-03-08T07:00:00.000Z', '2026-03-08T09:00:00.000Z'],
  ])
  t.same(openIn('America/New_York', '01:00', '02:30', '2026-03-08'), [
    ['2026-03-08T06:00:00.000Z', '2026-03-08T07:00:00.000Z'],
  ])
  t.same(openIn('America/New_York', '02:00', '03:00', '2026-03-08'), [], 'one that is skipped as a whole is missing')
  // The clocks of this zone skip the first hour of the day.
  t.same(openIn('America/Havana', '00:00', '02:00', '2026-03-08'), [
    ['2026-03-08T05:00:00.000Z', '2026-03-08T06:00:00.000Z'],
  ])
})

t.test('R44: a window over a repeated hour lasts longer, and one within it comes twice', async (t) => {
  t.same(openIn('America/New_York', '00:00', '05:00', '2026-11-01'), [
    ['2026-11-01T04:00:00.000Z', '2026-11-01T10:00:00.000Z'],
  ])
  t.same(openIn('America/New_York', '01:15', '01:45', '2026-11-01'), [
    ['2026-11-01T05:15:00.000Z', '2026-11-01T05:45:00.000Z'],
    ['2026-11-01T06:15:00.000Z', '2026-11-01T06:45:00.000Z'],
  ])
  // Half an hour is repeated here.
  t.same(openIn('Australia/Lord_Howe', '01:00', '03:00', '2026-04-05'), [
    ['2026-04-04T14:00:00.000Z', '2026-04-04T16:30:00.000Z'],
  ])
})

t.test('R44: a window until 24:00 and one from 00:00 of the next day are one stretch of time', async (t) => {
  const scheduling = schedulingOf({
    availableHours: [
      { dayOfWeek: 1, startTime: '22:00', endTime: '24:00' },
      { dayOfWeek: 2, startTime: '00:00', endTime: '02:00' },
    ],
  })
  const monday = at('2026-06-15T00:00:00Z')
  const { intervals } = createOpenTimes(rulesOf({ scheduling, now: monday }), { from: monday, to: monday + 2 * day })()
  t.same(intervals.map(iso), [['2026-06-15T22:00:00.000Z', '2026-06-16T02:00:00.000Z']])
})

const representative = (availability: Representative['availability']): Representative => ({
  id: 'r',
  name: 'Ada',
  ...(availability && { availability }),
})

t.test('R44: a representative has own hours in an own zone; without hours those of the agent hold', async (t) => {
  const monday = at('2026-06-15T00:00:00Z')
  const period = { from: monday, to: monday + day }
  const scheduling = schedulingOf({ availableHours: everyDay('09:00', '17:00') })
  const openTimes = createOpenTimes(rulesOf({ scheduling, agentZone: 'Europe/Lisbon', now: monday }), period)
  const openOf = (availability?: Representative['availability']) =>
    openTimes(representative(availability)).intervals.map(iso)
  const ofAgent = [['2026-06-15T08:00:00.000Z', '2026-06-15T16:00:00.000Z']]
  t.same(openOf(), ofAgent)
  t.same(openOf({ timezone: 'Asia/Kolkata', workingHours: [] }), ofAgent)
  const workingHours = [{ dayOfWeek: 1, startTime: '10:00', endTime: '12:00' }]
  t.same(openOf({ workingHours }), [['2026-06-15T09:00:00.000Z', '2026-06-15T11:00:00.000Z']])
  t.same(openOf({ timezone: 'Asia/Kolkata', workingHours }), [['2026-06-15T04:30:00.000Z', '2026-06-15T06:30:00.000Z']])
})

t.test('R44: hours that nobody entered are no hours', async (t) => {
  const period = { from: 0, to: day }
  t.same(createOpenTimes(rulesOf({}), period)().intervals, [])
  t.same(createOpenTimes(rulesOf({}), period)(representative(undefined)).intervals, [])
})

t.test('R44: a minute is open when its local time is in a window, on no closed day, and not too soon', async (t) => {
  const input = fc.record({
    hours: windows,
    agentZone: zone,
    personZone: zone,
    now: moment,
    hasOwnHours: fc.boolean(),
    ownZone: zone,
    closed: fc.array(fc.integer({ min: -1, max: 4 }), { maxLength: 3 }),
    disallowSameDayBooking: fc.boolean(),
  })
  fc.assert(
    fc.property(input, ({ hours, agentZone, personZone, now, hasOwnHours, ownZone, closed, ...more }) => {
      const blackoutDates = closed.map((count) => dateAfter(now, count))
      const scheduling = schedulingOf({ ...more, blackoutDates, ...(!hasOwnHours && { availableHours: hours }) })
      const period = { from: now - 6 * hour, to: now + 3 * day }
      const openTimes = createOpenTimes(rulesOf({ scheduling, agentZone, personZone, now }), period)
      const { intervals } = openTimes(
        representative(hasOwnHours ? { timezone: ownZone, workingHours: hours } : undefined),
      )
      const governing = hasOwnHours && hours.length > 0 ? ownZone : agentZone
      const today = localTime(personZone, now).date
      for (let time = period.from; time < period.to; time += 15 * minute) {
        const isExpected =
          time >= now &&
          isInWindows(hours, localTime(governing, time)) &&
          !blackoutDates.includes(localTime(agentZone, time).date) &&
          !(more.disallowSameDayBooking && localTime(personZone, time).date === today)
        const isOpen = intervals.some(({ from, to }) => time >= from && time < to)
        if (isOpen !== isExpected) throw new Error(`${new Date(time).toISOString()} is open: ${isOpen}`)
      }
    }),
    { numRuns: 60 },
  )
  t.pass()
})

t.test('Appointments are not made further ahead than the limit', async (t) => {
  const now = at('2026-06-15T00:00:00Z')
  const scheduling = schedulingOf({ availableHours: everyDay('00:00', '24:00') })
  const last = now + limits.bookingWithinDays * day
  const { intervals } = createOpenTimes(rulesOf({ scheduling, now }), { from: last - hour, to: last + day })()
  t.same(intervals, [{ from: last - hour, to: last }])
})
