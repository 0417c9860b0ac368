/** Decision 22 and R46: what leaves after a change of an appointment, once, in the end, and never in the sandbox. */
import t from 'tap'
import { day, hour, minute } from '../../../core/durations.js'
import { scheduling as limits } from '../../../core/limits/index.js'
import { eventually } from '../../contract/shards/fixture.js'
import { advanceTo, openSchedulingFixture, type SchedulingFixture, startOfTest } from './fixture.js'

const at = (startHour: number, days = 0) => ({
  start: new Date(startOfTest + (startHour - 6) * hour + days * day).toISOString(),
})
const representatives = [
  { id: 'ann', name: 'Ann' },
  { id: 'bob', name: 'Bob' },
]
const recipients = { notificationRecipients: ['desk@example.com', 'boss@example.com'] }

async function settle({ sends }: SchedulingFixture, condition: () => boolean): Promise<void> {
  await eventually(sends.fixture, condition, 1_000)
}

t.test('Decision 22: each change sends one mail to the recipients, under an id of its own', async (t) => {
  const fixture = await openSchedulingFixture(t, { scheduling: recipients })
  await fixture.enter('p1', { fullName: 'Ann Berg', phone: '+14155550100' })
  await fixture.call('book', 'p1', at(10), { zone: 'America/New_York' })
  await fixture.call('reschedule', 'p1', { ...at(12), reason: 'a train' })
  await fixture.call('cancel', 'p1', { reason: 'no time' })
  await settle(fixture, () => fixture.mails.length === 3)
  t.match(fixture.mails, [
    { subject: /^Appointment booked: Ann Berg/, text: /Time of the person: .* at 06:00 \(America\/New_York\)/ },
    { subject: /^Appointment moved: Ann Berg/, text: /Reason: a train/ },
    { subject: /^Appointment cancelled: Ann Berg/, text: /Reason: no time/ },
  ])
  t.ok(fixture.mails.every(({ to }) => to.join() === recipients.notificationRecipients.join()))
  t.equal(new Set(fixture.mails.map(({ messageId }) => messageId)).size, 3)
  t.ok(fixture.mails.every(({ messageId }) => /^[a-z0-9_.]+$/.test(messageId)))
})

t.test(
  'Decision 22: a mail that fails for now is tried again, and one that never can be sent is reported',
  async (t) => {
    const fixture = await openSchedulingFixture(t, { scheduling: recipients })
    fixture.sends.document = { ...fixture.sends.document, toolBindings: [] }
    fixture.outcomes.push('later', new Error('a bug'), 'done')
    await fixture.call('book', 'p1', at(10))
    await settle(fixture, () => fixture.mails.length === 1)
    t.same(fixture.logged, [])
    fixture.outcomes.push('never')
    const { appointmentId } = await fixture.call('book', 'p1', at(12))
    await settle(fixture, () => fixture.logged.length === 1)
    t.same(fixture.logged, [{ event: 'notify.failed', data: { appointmentId, what: 'mail' } }])
    t.equal(fixture.mails.length, 1)
  },
)

t.test('R46: the calendar follows the appointment, and its absence never keeps one from being booked', async (t) => {
  const fixture = await openSchedulingFixture(t, { scheduling: { representatives } })
  fixture.outcomes.push('later', 'later', new Error('away'))
  const { appointmentId } = await fixture.call('book', 'p1', at(10))
  t.equal(fixture.appointments('p1')[0]?.status, 'scheduled')
  await settle(fixture, () => fixture.writes.length === 1)
  t.match(fixture.writes, [
    { kind: 'save', appointmentId, representativeId: 'ann', startUtc: Date.parse(at(10).start), sequence: 1 },
  ])
  await fixture.call('reschedule', 'p1', { ...at(11), representativeId: 'bob' })
  await settle(fixture, () => fixture.writes.length === 3)
  t.match(fixture.writes.slice(1), [
    { kind: 'remove', representativeId: 'ann' },
    { kind: 'save', representativeId: 'bob', sequence: 2 },
  ])
  await fixture.call('cancel', 'p1', {})
  await settle(fixture, () => fixture.writes.length === 4)
  t.match(fixture.writes.at(-1), { kind: 'remove', representativeId: 'bob', appointmentId })
})

t.test('R46: a calendar that does not work for a day is given up, and reported', async (t) => {
  const fixture = await openSchedulingFixture(t)
  fixture.outcomes.push(...Array.from({ length: 5_000 }, () => 'later' as const))
  const { appointmentId } = await fixture.call('book', 'p1', at(10, 5))
  await advanceTo(fixture, startOfTest + limits.effectRetryMs - hour)
  t.same(fixture.logged, [])
  await advanceTo(fixture, startOfTest + limits.effectRetryMs + hour, minute)
  await settle(fixture, () => fixture.logged.length === 1)
  t.same(fixture.logged, [{ event: 'scheduling.failed', data: { appointmentId, what: 'calendar' } }])
  fixture.outcomes.length = 0
  await fixture.call('reschedule', 'p1', at(11, 5))
  await settle(fixture, () => fixture.writes.length === 1)
  t.match(fixture.writes, [{ kind: 'save', startUtc: Date.parse(at(11, 5).start) }], 'the next change reaches it again')
})

t.test('R46: changes that come while the calendar is away, and crashes, leave it in the last state', async (t) => {
  const fixture = await openSchedulingFixture(t, { scheduling: { representatives } })
  fixture.outcomes.push(...Array.from({ length: 6 }, () => 'later' as const))
  await fixture.call('book', 'p1', { ...at(10), representativeId: 'ann' })
  await fixture.call('book', 'p2', { ...at(10), representativeId: 'bob' })
  await fixture.call('reschedule', 'p1', { ...at(14), representativeId: 'ann' })
  await fixture.sends.crash()
  await fixture.call('reschedule', 'p1', { ...at(15), representativeId: 'bob' })
  await fixture.call('cancel', 'p2', {})
  await settle(fixture, () => fixture.outcomes.length === 0)
  await advanceTo(fixture, startOfTest + 3 * hour, minute)
  const state = new Map<string, number | undefined>()
  for (const write of fixture.writes) {
    state.set(`${write.representativeId} ${write.appointmentId}`, write.kind === 'save' ? write.startUtc : undefined)
  }
  t.same([...state.values()].filter(Boolean), [Date.parse(at(15).start)])
})

t.test('Decisions 22, 36: the sandbox books on its own, and shows what would have left', async (t) => {
  const fixture = await openSchedulingFixture(t, {
    scheduling: { ...recipients, representatives: representatives.slice(0, 1) },
  })
  const inSandbox = { sandbox: true } as const
  const sandboxed = { sandbox: true as const }
  await fixture.enter('persona1', sandboxed)
  await fixture.enter('persona2', sandboxed)
  await fixture.call('book', 'p1', at(10))
  await settle(fixture, () => fixture.mails.length === 1 && fixture.writes.length === 1)
  const { outcome, effects } = await fixture.answer('book', 'persona1', at(10), inSandbox)
  t.equal(outcome.state, 'ok', 'a real person’s time is free in the sandbox')
  t.match(effects, [
    {
      kind: 'mail',
      summary: /^Appointment booked: .* \(to desk@example\.com, boss@example\.com\)$/,
      payload: { to: recipients.notificationRecipients },
    },
    { kind: 'calendar', payload: { kind: 'save', representativeId: 'ann' } },
  ])
  t.match(await fixture.refusal('book', 'persona2', at(10), inSandbox), 'taken', 'a persona’s is not')
  await fixture.call('book', 'persona1', at(12), inSandbox)
  await fixture.call('book', 'p2', at(12))
  const cancelled = await fixture.answer(
    'cancel',
    'persona1',
    { appointmentId: fixture.appointments('persona1')[0]!.id },
    inSandbox,
  )
  t.match(cancelled.effects, [{ kind: 'mail' }, { kind: 'calendar', payload: { kind: 'remove' } }])
  await settle(fixture, () => fixture.mails.length === 2 && fixture.writes.length === 2)
  t.ok(fixture.mails.every(({ text }) => !text.includes('persona')))
  t.notOk(
    fixture.sends
      .rows()
      .some((row) => row.includes('automation.reminders') && row.includes(fixture.person('persona1')!.id)),
  )
  t.match(await fixture.refusal('book', 'unknown', at(14), inSandbox), 'persona')
  t.equal(fixture.person('unknown'), undefined)
})

t.test('R46: the times of a deleted person are free again, and their events leave the calendar', async (t) => {
  const fixture = await openSchedulingFixture(t, { scheduling: { representatives: representatives.slice(0, 1) } })
  await fixture.enter('p1')
  await fixture.enter('persona1', { sandbox: true })
  await fixture.enter('persona2', { sandbox: true })
  const { appointmentId } = await fixture.call('book', 'p1', at(10))
  await fixture.call('book', 'persona1', at(10), { sandbox: true })
  await settle(fixture, () => fixture.writes.length === 1)
  await fixture.removePerson('p1')
  await fixture.removePerson('persona1')
  t.same(fixture.rows(), [])
  await settle(fixture, () => fixture.writes.length === 2)
  t.same(fixture.writes[1], { kind: 'remove', appointmentId, representativeId: 'ann' })
  await fixture.call('book', 'p2', at(10))
  await fixture.call('book', 'persona2', at(10), { sandbox: true })
})
