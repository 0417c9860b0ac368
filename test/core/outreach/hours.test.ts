/** Safe hours and send windows, against a look at every minute. */
import fc from 'fast-check'
import t from 'tap'
import { day, hour, minute } from '../../../core/durations.js'
import { type Hours, isOpen, nextOpenTime } from '../../../core/outreach/hours.js'

const zones = ['UTC', 'America/New_York', 'Europe/London', 'Australia/Lord_Howe', 'Asia/Kathmandu', 'Asia/Kolkata']
/** Days on which clocks change somewhere, and one on which none does. */
const days = ['2026-03-08', '2026-03-29', '2026-04-05', '2026-10-04', '2026-10-25', '2026-11-01', '2026-07-01']

const hours = fc.record({
  startHour: fc.integer({ min: 0, max: 23 }),
  endHour: fc.integer({ min: 0, max: 23 }),
  timeZone: fc.constantFrom(...zones),
})
const moment = fc
  .tuple(fc.constantFrom(...days), fc.integer({ min: 0, max: 2 * day }))
  .map(([date, into]) => Date.parse(`${date}T00:00:00Z`) - 12 * hour + into)

const walls = new Map(
  zones.map((timeZone) => [
    timeZone,
    new Intl.DateTimeFormat('en-GB', { timeZone, hour: '2-digit', minute: '2-digit', hour12: false }),
  ]),
)

/** The clock on the wall, asked another way than the code does. */
function wallHour(timeZone: string, at: number): number {
  return Number(walls.get(timeZone)!.format(at).slice(0, 2)) % 24
}

function isOpenByHand({ startHour, endHour, timeZone }: Hours, at: number): boolean {
  const open = new Set<number>()
  for (let each = startHour; each !== endHour; each = (each + 1) % 24) open.add(each)
  return startHour === endHour || open.has(wallHour(timeZone, at))
}

t.test(
  'The window is read in its own zone, wraps around midnight, and start equal to end allows any time',
  async (t) => {
    fc.assert(
      fc.property(hours, moment, (window, at) => isOpen(window, at) === isOpenByHand(window, at)),
      { numRuns: 300 },
    )
    const night = { startHour: 22, endHour: 6, timeZone: 'UTC' }
    for (const [at, expected] of [
      ['2026-07-01T21:59:59.999Z', false],
      ['2026-07-01T22:00:00.000Z', true],
      ['2026-07-02T05:59:59.999Z', true],
      ['2026-07-02T06:00:00.000Z', false],
    ] as const) {
      t.equal(isOpen(night, Date.parse(at)), expected, at)
    }
  },
)

t.test('The next opening is the first minute when every window is open, on days of clock changes too', async (t) => {
  fc.assert(
    fc.property(fc.array(hours, { minLength: 1, maxLength: 2 }), moment, (windows, at) => {
      const nextOpen = nextOpenTime(windows, at)
      const areOpen = (then: number) => windows.every((each) => isOpenByHand(each, then))
      if (areOpen(at)) return nextOpen === at
      let first: number | undefined
      for (let then = (Math.floor(at / minute) + 1) * minute; then <= at + 2 * day; then += minute) {
        if (areOpen(then)) {
          first = then
          break
        }
      }
      return first === undefined ? nextOpen === undefined || nextOpen > at + 2 * day : nextOpen === first
    }),
    { numRuns: 60 },
  )
  t.pass()
})

t.test('Windows that are never open together have no opening', async (t) => {
  const early = { startHour: 8, endHour: 10, timeZone: 'UTC' }
  const late = { startHour: 10, endHour: 12, timeZone: 'UTC' }
  t.equal(nextOpenTime([early, late], Date.parse('2026-07-01T00:00:00Z')), undefined)
})

t.test('An hour that is skipped by a clock change is open the day after', async (t) => {
  const window = { startHour: 2, endHour: 3, timeZone: 'America/New_York' }
  const opens = nextOpenTime([window], Date.parse('2026-03-08T05:00:00Z'))
  t.equal(new Date(opens!).toISOString(), '2026-03-09T06:00:00.000Z')
})
