/** R28: the reminder of a booked appointment follows it, and says in which playbook an answer begins. */
import t from 'tap'
import { day, hour, minute } from '../../../core/durations.js'
import { eventually } from '../../contract/shards/fixture.js'
import { advanceTo, openSchedulingFixture, startOfTest } from './fixture.js'

const at = (startHour: number, days: number) => ({
  start: new Date(startOfTest + (startHour - 6) * hour + days * day).toISOString(),
})
const reminders = { leadMinutes: 60, playbookId: 'appointments' }

t.test(
  'R45: a reminder follows the appointment when it moves, once, and disappears when it is cancelled',
  async (t) => {
    const fixture = await openSchedulingFixture(t, { scheduling: { reminders } })
    const { acceptedOpenings: openings } = fixture.sends
    await fixture.call('book', '+14155550100', at(10, 1))
    await fixture.call('book', '+14155550101', at(11, 1))
    await fixture.call('reschedule', '+14155550100', at(15, 1))
    await fixture.call('cancel', '+14155550101', {})
    await advanceTo(fixture, Date.parse(at(14, 1).start) - minute)
    t.same(openings, [])
    await advanceTo(fixture, Date.parse(at(14, 1).start) + minute)
    await eventually(fixture.sends.fixture, () => openings.length === 1, 100)
    await advanceTo(fixture, startOfTest + 3 * day)
    t.equal(openings.length, 1)
    t.same((openings[0]!.message.parts[0] as { text: readonly unknown[] }).text[1], { iso: at(15, 1).start, tz: 'UTC' })
  },
)

t.test('R28: an answer to a reminder begins in its playbook, or in the default one', async (t) => {
  const fixture = await openSchedulingFixture(t, { scheduling: { reminders } })
  const { acceptedOpenings: openings } = fixture.sends
  await fixture.call('book', '+14155550102', at(10, 1))
  await advanceTo(fixture, Date.parse(at(9, 1).start) + minute)
  await eventually(fixture.sends.fixture, () => openings.length === 1, 100)
  t.same(openings[0]?.start, { kind: 'reminder', playbookId: 'appointments' })
  fixture.configure({ reminders: { leadMinutes: 60 } })
  await fixture.call('book', '+14155550103', at(10, 2))
  await advanceTo(fixture, Date.parse(at(9, 2).start) + minute)
  await eventually(fixture.sends.fixture, () => openings.length === 2, 100)
  t.same(openings[1]?.start, { kind: 'reminder' })
})
