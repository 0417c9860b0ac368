/** Decision 21: no two bookings of one representative overlap; those of the past and of deleted agents are removed. */
import fc from 'fast-check'
import t from 'tap'
import { scopeOf } from '../../../core/agent/scope.js'
import { day, hour, minute } from '../../../core/durations.js'
import type { Interval } from '../../../core/interval.js'
import { appointmentsAhead, intervalOf } from '../../../core/scheduling/appointment.js'
import { reasons } from '../../../core/scheduling/request.js'
import { bookingsIn, type Partition } from '../../../mgmt/scheduling/store.js'
import { eventually, readerFor } from '../../contract/shards/fixture.js'
import { agentRef, owner } from '../outreach/fixture.js'
import { advanceTo, openSchedulingFixture, type SchedulingFixture, startOfTest } from './fixture.js'

const names = ['p1', 'p2', 'p3', 'persona1', 'persona2']
const ids = [undefined, 'ann', 'bob']
const scope = scopeOf({ ...agentRef, incarnation: 1 })

const step = fc.record({
  name: fc.constantFrom(...names),
  tool: fc.constantFrom('book', 'book', 'reschedule', 'cancel'),
  quarter: fc.integer({ min: 9 * 4, max: 12 * 4 }),
  durationMinutes: fc.constantFrom(15, 30, 60, 90),
  representativeId: fc.constantFrom(...ids),
  which: fc.integer({ min: 0, max: 3 }),
  /** Few, so that calls are repeated. */
  callId: fc.integer({ min: 0, max: 25 }),
})

function bookedBy(fixture: SchedulingFixture, partition: Partition, representativeId: string): Interval[] {
  const all = { from: 0, to: startOfTest + 400 * day }
  return bookingsIn(readerFor(fixture.sends.fixture, owner), { scope, partition }, representativeId, all)
}

t.test('Decision 21: any order of bookings, moves and cancellations of several people leaves no overlap', async (t) => {
  const fixture = await openSchedulingFixture(t, {
    scheduling: {
      representatives: [
        { id: 'ann', name: 'Ann' },
        { id: 'bob', name: 'Bob' },
      ],
    },
  })
  for (const name of names) await fixture.enter(name, name.startsWith('persona') ? { sandbox: true } : {})
  let [round, booked] = [0, 0]
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 40 }), async (steps) => {
      round++
      const startOf = (quarter: number) => startOfTest + (round - 6 / 24) * day + quarter * 15 * minute
      await Promise.all(
        steps.map(({ name, tool, quarter, durationMinutes, representativeId, which, callId }) => {
          const start = new Date(startOf(quarter)).toISOString()
          const appointmentId = fixture.appointments(name)[which]?.id
          const input = {
            ...(tool !== 'cancel' && { start, representativeId }),
            ...(tool === 'book' ? { durationMinutes } : { appointmentId }),
          }
          const options = {
            callId: `${round}.${tool}.${callId}`,
            ...(name.startsWith('persona') && { sandbox: true as const }),
          }
          return fixture.answer(tool, name, input, options)
        }),
      )
      for (const partition of ['live', 'sandbox'] as const) {
        for (const representativeId of ['ann', 'bob']) {
          const times = bookedBy(fixture, partition, representativeId)
          const isOverlap = times.some(({ from }, index) => index > 0 && times[index - 1]!.to > from)
          if (isOverlap) throw new Error(`${partition} ${representativeId}: ${JSON.stringify(times)}`)
          const expected = names
            .filter((name) => name.startsWith('persona') === (partition === 'sandbox'))
            .flatMap((name) => appointmentsAhead(fixture.appointments(name), 0))
            .filter((each) => each.representativeId === representativeId)
            .map(intervalOf)
            .sort((one, other) => one.from - other.from)
          t.same(times, expected, 'the times that are taken are those of the appointments')
        }
      }
      for (const name of names) {
        booked += appointmentsAhead(fixture.appointments(name), 0).length
        const calls = fixture.appointments(name).flatMap(({ history }) => history.map(({ callId }) => callId))
        t.equal(new Set(calls).size, calls.length, 'each call has changed one thing once')
        const sandbox = name.startsWith('persona') && ({ sandbox: true } as const)
        for (const { id: appointmentId } of appointmentsAhead(fixture.appointments(name), 0)) {
          await fixture.call('cancel', name, { appointmentId }, { ...sandbox })
        }
      }
      t.same(fixture.rows(), [])
    }),
    { numRuns: 25 },
  )
  t.ok(booked > 50, 'there were appointments at all')
})

t.test('Bookings that are over are removed, and no others', async (t) => {
  const fixture = await openSchedulingFixture(t)
  const book = (name: string, from: number) => fixture.call('book', name, { start: new Date(from).toISOString() })
  const first = startOfTest + 4 * hour
  await book('p2', first + day)
  await book('p1', first)
  await book('p3', first + hour)
  await fixture.call('reschedule', 'p3', { start: new Date(first + 2 * day).toISOString() })
  t.equal(fixture.rows('scheduling.ends').length, 3)
  const remain = async (count: number) =>
    eventually(fixture.sends.fixture, () => fixture.rows('scheduling.ends').length === count, 1_000)
  await advanceTo(fixture, first + 30 * minute)
  await remain(2)
  await advanceTo(fixture, first + day + 30 * minute)
  await remain(1)
  await advanceTo(fixture, first + 2 * day + 29 * minute)
  t.equal(fixture.rows('scheduling.ends').length, 1)
  await remain(0)
  t.same(fixture.rows(), [])
  t.equal(fixture.appointments('p1').length, 1, 'the appointments stay')
})

t.test('The bookings of a deleted agent are removed', async (t) => {
  const fixture = await openSchedulingFixture(t)
  for (const hours of [4, 5, 6]) {
    await fixture.call('book', `p${hours}`, { start: new Date(startOfTest + hours * hour).toISOString() })
  }
  await fixture.removeAgent()
  await eventually(fixture.sends.fixture, () => fixture.rows().length === 0, 1_000)
  t.equal(
    await fixture.refusal('book', 'p1', { start: new Date(startOfTest + 7 * hour).toISOString() }),
    reasons.notSetUp,
  )
})
