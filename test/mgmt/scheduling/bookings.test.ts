/** R45: appointments that are booked, moved and cancelled, and what each call may not do. */
import t from 'tap'
import { day, hour, minute } from '../../../core/durations.js'
import { scheduling as limits } from '../../../core/limits/index.js'
import { appointmentView } from '../../../core/people/view.js'
import { reasons } from '../../../core/scheduling/request.js'
import { agentRef, owner } from '../outreach/fixture.js'
import { engineOf, openSchedulingFixture, startOfTest } from './fixture.js'

const at = (startHour: number, days = 0) => {
  const start = new Date(startOfTest + days * day)
  start.setUTCHours(0, startHour * 60, 0, 0)
  return { start: start.toISOString() }
}
const representatives = [
  { id: 'ann', name: 'Ann', title: 'Broker' },
  { id: 'bob', name: 'Bob' },
]

t.test(
  'R45: an appointment is booked, moved and cancelled; each is in its status, its history and the journal',
  async (t) => {
    const fixture = await openSchedulingFixture(t, { scheduling: { representatives } })
    const person = await fixture.enter('+14155550100')
    const caller = '+14155550100'
    const booked = await fixture.call('book', caller, { ...at(10), notes: 'The lake house' }, { zone: 'Europe/Lisbon' })
    t.same(booked, {
      appointmentId: booked.appointmentId,
      start: '2026-06-15T11:00:00+01:00',
      startUtc: Date.parse('2026-06-15T10:00:00Z'),
      zone: 'Europe/Lisbon',
      durationMinutes: limits.defaultDurationMinutes,
      representativeName: 'Ann',
    })
    const view = () => fixture.appointments(caller).map(appointmentView)
    t.match(view(), [
      {
        status: 'scheduled',
        representativeTitle: 'Broker',
        notes: 'The lake house',
        history: [{ action: 'scheduled' }],
      },
    ])
    await fixture.call('reschedule', caller, { ...at(12), reason: 'a train' })
    t.match(view(), [
      {
        id: booked.appointmentId,
        status: 'rescheduled',
        startUtc: '2026-06-15T12:00:00.000Z',
        history: [
          { action: 'scheduled' },
          { action: 'rescheduled', from: '2026-06-15T10:00:00.000Z', reason: 'a train' },
        ],
      },
    ])
    await fixture.call('cancel', caller, {})
    t.match(view(), [{ status: 'cancelled', history: [{}, {}, { action: 'cancelled' }] }])
    const read = await fixture.sends.fixture.shards.query(owner, fixture.sends.people.queries.read, {
      ...agentRef,
      personId: person.id,
    })
    t.match(read, {
      journal: [
        /^Cancelled the appointment with Ann/,
        /^Moved .* Reason: a train/,
        /^Booked an appointment with Ann/,
      ].map((text) => ({ author: 'agent', text })),
    })
    t.same(fixture.rows(), [], 'and no time is taken any more')
  },
)

t.test('R45: a person who is not known yet is created with their first appointment, and only with it', async (t) => {
  const fixture = await openSchedulingFixture(t)
  t.equal(await fixture.refusal('book', '+14155550101', at(18)), reasons.closed)
  t.equal(fixture.person('+14155550101'), undefined)
  await fixture.call('book', '+14155550101', at(10))
  t.match(fixture.person('+14155550101'), { source: 'conversation', identities: [{ asid: 'usr_rcs_+14155550101' }] })
  await fixture.enter('ann', { phone: '+14155550102' })
  await fixture.call('book', '+14155550102', at(11))
  t.match(
    fixture.person('+14155550102'),
    { phone: '+14155550102' },
    'the person known by the number is the one who books',
  )
})

t.test('Decision 21: a time is booked once; another representative is free, one right after it too', async (t) => {
  const fixture = await openSchedulingFixture(t, { scheduling: { representatives } })
  t.equal((await fixture.call('book', 'p1', at(10))).representativeName, 'Ann')
  t.equal((await fixture.call('book', 'p2', at(10))).representativeName, 'Bob')
  t.equal(await fixture.refusal('book', 'p3', at(10)), reasons.taken)
  t.equal(await fixture.refusal('book', 'p3', { ...at(9.75), representativeId: 'ann' }), reasons.taken)
  t.equal((await fixture.call('book', 'p3', { ...at(10.5), representativeId: 'ann' })).representativeName, 'Ann')
  t.equal((await fixture.call('book', 'p4', at(12))).representativeName, 'Bob', 'the one with fewer that day')
})

t.test('Decision 21: two who book one time at once do not both get it', async (t) => {
  const fixture = await openSchedulingFixture(t)
  const answers = await Promise.all(['p1', 'p2', 'p3'].map((name) => fixture.answer('book', name, at(10))))
  t.same(answers.map(({ outcome }) => outcome.state).sort(), ['ok', 'refused', 'refused'])
})

t.test(
  'R44: times outside the hours, in the past, on a closed day or for an unknown representative are refused',
  async (t) => {
    const fixture = await openSchedulingFixture(t, { scheduling: { representatives, blackoutDates: ['2026-06-17'] } })
    for (const [input, reason] of [
      [at(8), reasons.closed],
      [at(16.75), reasons.closed],
      [{ ...at(16), durationMinutes: 61 }, reasons.closed],
      [at(10, 2), reasons.closed],
      [at(10, -1), reasons.past],
      [at(10, 400), reasons.tooFar],
      [{ ...at(10), representativeId: 'eve' }, reasons.noRepresentative],
      [{ start: '2026-06-16T10:00:00' }, reasons.noStart],
      [{ ...at(10), durationMinutes: 0 }, reasons.duration],
    ] as const)
      t.equal(await fixture.refusal('book', 'p1', input), reason, JSON.stringify(input))
    fixture.configure({ disallowSameDayBooking: true })
    t.equal(await fixture.refusal('book', 'p1', at(10)), reasons.sameDay)
    await fixture.call('book', 'p1', at(10, 1))
    fixture.sends.document = { ...fixture.sends.document, scheduling: undefined as never }
    t.equal(await fixture.refusal('book', 'p1', at(11, 1)), reasons.notSetUp)
    t.same(await fixture.find('p1'), { state: 'refused', reason: reasons.notSetUp })
  },
)

t.test(
  'R45: an appointment that is moved frees its time, keeps its length, and stays with a representative who is free',
  async (t) => {
    const fixture = await openSchedulingFixture(t, { scheduling: { representatives } })
    await fixture.call('book', 'p1', { ...at(10), durationMinutes: 60, representativeId: 'bob' })
    t.equal((await fixture.call('reschedule', 'p1', at(10.5))).representativeName, 'Bob', 'its own time is no obstacle')
    await fixture.call('book', 'p2', { ...at(12), representativeId: 'bob' })
    t.equal((await fixture.call('reschedule', 'p1', at(12))).representativeName, 'Ann')
    t.equal((await fixture.call('reschedule', 'p1', { ...at(14), representativeId: 'bob' })).representativeName, 'Bob')
    t.equal(await fixture.refusal('reschedule', 'p1', { ...at(12), representativeId: 'bob' }), reasons.taken)
    t.match(
      await fixture.call('reschedule', 'p1', at(14)),
      { durationMinutes: 60 },
      'a move to its own time changes nothing',
    )
    t.equal(fixture.appointments('p1')[0]?.history.length, 4)
    t.equal(
      (await fixture.call('book', 'p3', { ...at(10), durationMinutes: 120, representativeId: 'bob' })).durationMinutes,
      120,
    )
  },
)

t.test('R45: which appointment is meant must be clear, and it must be ahead', async (t) => {
  const fixture = await openSchedulingFixture(t)
  t.equal(await fixture.refusal('cancel', 'p1', {}), reasons.noneAhead)
  const first = await fixture.call('book', 'p1', at(10))
  t.equal(await fixture.refusal('cancel', 'p1', { appointmentId: 'ap_other' }), reasons.noAppointment)
  t.equal(
    await fixture.refusal('cancel', 'p2', { appointmentId: first.appointmentId }),
    reasons.noneAhead,
    'one of another person',
  )
  const second = await fixture.call('book', 'p1', at(11))
  const choice = await fixture.refusal('reschedule', 'p1', at(12))
  t.match(choice, first.appointmentId)
  t.match(choice, second.appointmentId)
  await fixture.call('cancel', 'p1', { appointmentId: second.appointmentId })
  t.equal(await fixture.refusal('cancel', 'p1', { appointmentId: second.appointmentId }), reasons.cancelled)
  await fixture.sends.fixture.time.advance(4 * hour)
  t.equal(await fixture.refusal('cancel', 'p1', { appointmentId: first.appointmentId }), reasons.over)
  t.equal(await fixture.refusal('cancel', 'p1', {}), reasons.noneAhead)
})

t.test('A repeat of a call changes nothing, under whatever command it comes', async (t) => {
  const fixture = await openSchedulingFixture(t, {
    scheduling: { representatives, notificationRecipients: ['desk@example.com'] },
  })
  const booked = await fixture.call('book', 'p1', at(10), { callId: 'c1' })
  t.same(await fixture.call('book', 'p1', at(10), { callId: 'c1' }), booked)
  await fixture.call('reschedule', 'p1', at(11), { callId: 'c2' })
  const moved = await fixture.call('reschedule', 'p1', at(12), { callId: 'c3' })
  t.same(await fixture.call('reschedule', 'p1', at(11), { callId: 'c2' }), moved)
  t.same(await fixture.call('book', 'p1', at(10), { callId: 'c1' }), moved)
  await fixture.call('book', 'p1', at(15), { callId: 'c4' })
  const { appointmentId } = booked
  await fixture.call('cancel', 'p1', { appointmentId }, { callId: 'c5' })
  await fixture.call('cancel', 'p1', { appointmentId }, { callId: 'c5' })
  await fixture.call('cancel', 'p1', {}, { callId: 'c5' })
  await fixture.call('book', 'p1', at(10), { callId: 'c1' })
  t.same(
    fixture.appointments('p1').map(({ status, history }) => [status, history.length]),
    [
      ['scheduled', 1],
      ['cancelled', 4],
    ],
  )
  await fixture.sends.fixture.time.advance(minute)
  t.equal(fixture.mails.length, 5)
  t.equal(fixture.rows('scheduling.ends').length, 1)
})

t.test('Under one command id the first answer comes again', async (t) => {
  const fixture = await openSchedulingFixture(t)
  const first = await fixture.answer('book', 'p1', at(10), { id: 'one' })
  await fixture.call('cancel', 'p1', {})
  t.same(await fixture.answer('book', 'p1', at(10), { id: 'one' }), first)
})

t.test(
  'A person has a bounded number of appointments ahead, and each is changed a bounded number of times',
  async (t) => {
    const fixture = await openSchedulingFixture(t)
    for (let index = 0; index < limits.upcomingPerPerson; index++)
      await fixture.call('book', 'p1', at(9 + (index % 8), Math.floor(index / 8)))
    t.equal(await fixture.refusal('book', 'p1', at(10, 10)), reasons.tooMany)
    await fixture.call('book', 'p2', at(9, 10))
    for (let change = 1; change < limits.changesPerAppointment; change++)
      await fixture.call('reschedule', 'p2', at(9 + (change % 2), 10))
    t.equal(await fixture.refusal('reschedule', 'p2', at(12, 10)), reasons.tooManyChanges)
    await fixture.call('cancel', 'p2', {})
  },
)

t.test('R44, decision 21: the one who is assigned to the person is the one whom they meet', async (t) => {
  const fixture = await openSchedulingFixture(t, { scheduling: { representatives } })
  await fixture.enter('p1', { assignedRepresentativeId: 'bob' })
  t.equal((await fixture.call('book', 'p1', at(10))).representativeName, 'Bob')
  t.equal(await fixture.refusal('book', 'p1', at(10)), reasons.taken)
  fixture.configure({ representatives: [], defaultRepresentativeIdentity: 'The office' })
  t.equal((await fixture.call('book', 'p2', at(10))).representativeName, 'The office')
})

t.test('R44: the hours of an agent without a zone are those of its org’s zone', async (t) => {
  const fixture = await openSchedulingFixture(t)
  fixture.configure({ timezone: undefined })
  const { connect } = fixture.area
  const input = {
    ...agentRef,
    asid: 'usr_1',
    channel: 'rcs',
    address: 'p1',
    zone: 'Not/AZone',
    arguments: { from: '2026-06-16' },
  } as const
  const outcome = await connect(engineOf(fixture.sends)).availability({ ...input, orgZone: 'Asia/Kolkata' })
  t.match(outcome, { state: 'ok', result: { zone: 'Asia/Kolkata', slots: [{ start: '2026-06-16T09:00:00+05:30' }] } })
})
