/** Times to choose from, on the visitor's own calendar. */
import fc from 'fast-check'
import t from 'tap'
import { anyInOtherZone, daysOf } from '../../../../adapters/webchat/widget/days.js'

const slot = (iso: string, tz: string, label: string, tap = `p1.m1.${iso}`) => ({ start: { iso, tz }, label, tap })
/** Versions of Unicode data differ in which space stands before AM and PM. */
const plain = (text: string) => text.replace(/\s/g, ' ')
const summarize = (days: ReturnType<typeof daysOf>) =>
  days.map(({ name, times }) => [name, ...times.map(({ text }) => plain(text))])

t.test('Times are grouped under the days of the visitor’s time zone', async (t) => {
  const slots = [
    slot('2026-03-03T23:30:00-06:00', 'America/Chicago', 'Tue, Mar 3, 11:30 PM'),
    slot('2026-03-03T10:00:00-06:00', 'America/Chicago', 'Tue, Mar 3, 10:00 AM'),
  ]
  t.same(summarize(daysOf(slots, 'en-US', 'America/Chicago')), [['Tuesday, March 3', '10:00 AM', '11:30 PM']])
  t.same(summarize(daysOf(slots, 'en-US', 'Europe/Berlin')), [
    ['Tuesday, March 3', '5:00 PM'],
    ['Wednesday, March 4', '6:30 AM'],
  ])
  t.ok(anyInOtherZone(slots, 'Europe/Berlin'))
  t.notOk(anyInOtherZone(slots, 'America/Chicago'))
})

t.test('When clocks change, every time is shown on its own day', async (t) => {
  const zone = 'Europe/Berlin'
  const spring = ['2026-03-28T09:00:00+01:00', '2026-03-29T09:00:00+02:00'].map((iso) => slot(iso, zone, '9:00'))
  t.same(summarize(daysOf(spring, 'en-US', zone)), [
    ['Saturday, March 28', '9:00 AM'],
    ['Sunday, March 29', '9:00 AM'],
  ])
  const autumn = ['2026-10-25T02:30:00+02:00', '2026-10-25T02:30:00+01:00'].map((iso) => slot(iso, zone, '2:30'))
  t.same(summarize(daysOf(autumn, 'en-US', zone)), [['Sunday, October 25', '2:30 AM GMT+2', '2:30 AM GMT+1']])
})

t.test('The agent’s own label is shown beside a time that it differs from', async (t) => {
  const notes = (zone: string, label: string) =>
    daysOf([slot('2026-03-03T10:00:00-06:00', 'America/Chicago', label)], 'en-US', zone)[0]?.times[0]?.note
  t.equal(notes('America/Chicago', 'Tue, Mar 3, 10:00 AM'), undefined)
  t.equal(notes('America/Chicago', 'Early bird'), 'Early bird')
  t.equal(notes('Europe/Berlin', 'Tue, Mar 3, 10:00 AM'), 'Tue, Mar 3, 10:00 AM')
})

t.test('Every slot is offered once, in order of time, and different moments never look alike', async (t) => {
  const zones = ['Europe/Berlin', 'America/Chicago', 'Asia/Kolkata', 'Australia/Lord_Howe', 'Pacific/Apia']
  const minutes = fc.integer({ min: Date.parse('2026-01-01') / 60_000, max: Date.parse('2027-01-01') / 60_000 })
  fc.assert(
    fc.property(fc.uniqueArray(minutes, { maxLength: 30 }), fc.constantFrom(...zones), (moments, zone) => {
      const slots = moments.map((minute, at) => slot(new Date(minute * 60_000).toISOString(), 'UTC', 'x', `tap${at}`))
      const times = daysOf(slots, 'en-US', zone).flatMap((day) => day.times)
      const starts = times.map((time) => Date.parse(time.slot.start.iso))
      t.equal(new Set(times.map((time) => time.slot.tap)).size, slots.length)
      t.same(
        starts,
        starts.toSorted((a, b) => a - b),
      )
      t.equal(new Set(times.map(({ fullText: whole }) => whole)).size, slots.length)
    }),
    { numRuns: 40 },
  )
})
